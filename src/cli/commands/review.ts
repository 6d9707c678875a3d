/** `keepsake review`: rewrites of MEMORY.md that a model proposed and that wait for a person, who takes them or not. */
import { acceptReview, rejectReview } from '../../consolidate/review.ts'
import { pendingReview, type Review, reviews } from '../../consolidate/reviews.ts'
import { usageError } from '../arguments.ts'
import { changeJson } from '../change-json.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { reviewJson } from '../consolidated-json.ts'
import { diffText } from '../diff-text.ts'
import { warningsJson, writtenJson } from '../entry-json.ts'
import { rowsText, timeText } from '../entry-text.ts'
import { shellLine } from '../install/server-command.ts'
import { writtenOutcome } from '../outcomes.ts'
import type { Screen } from '../screen.ts'

export const review: Command = {
  verb: 'review',
  operands: [{ name: 'ARCHIVE', optional: true }],
  about: [
    'Shows the rewrites of MEMORY.md that were not applied, because they drop most of it, break a test of recall.tests.md',
    'or contradict what was written meanwhile: why, and what would become of each line. All else of the condensing is done.',
    'ARCHIVE, by its name or id, says which one; it may be left out where there is only one.',
  ],
  options: [
    { name: 'accept', about: 'rewrite MEMORY.md so; what was written into it since stays' },
    { name: 'reject', about: 'leave MEMORY.md as it is' },
  ],
  examples: ['keepsake review', 'keepsake review --accept', 'keepsake review chat-1-1 --reject'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const [accept, reject] = [given.has('accept'), given.has('reject')]
  if (accept && reject) throw usageError('--accept and --reject contradict each other', 'Choose one.')
  const [ref] = given.operands
  if (accept) return accepted(context, ref)
  return reject ? rejected(context, ref) : shown(context, ref)
}

async function shown({ screen, open }: Context, ref: string | undefined): Promise<Outcome> {
  const { memory } = await open()
  const { timezone: zone } = await memory.store.settings()
  const meant = ref === undefined ? await reviews(memory) : [await pendingReview(memory, ref, {})]
  const now = (await memory.get('MEMORY'))?.content ?? ''
  const texts = meant.map((one) => [...headText(one, zone, screen), ...proposedText(one, now, screen)].join('\n'))
  return {
    json: { reviews: meant.map(reviewJson) },
    text: texts.length === 0 ? 'Nothing waits for review.' : texts.join('\n\n'),
    quietText: meant.map(({ name }) => screen.line(name)).join('\n'),
    warnings: [],
  }
}

async function accepted(context: Context, ref: string | undefined): Promise<Outcome> {
  const { memory } = await context.open()
  const written = await acceptReview(memory, ref)
  const outcome = await writtenOutcome(context, written, `Rewrote the memory of ${memory.agent}`)
  return { ...outcome, json: { review: reviewJson(written.review), ...writtenJson(written) } }
}

async function rejected({ screen, open }: Context, ref: string | undefined): Promise<Outcome> {
  const { memory } = await open()
  const { review: one, change, warnings } = await rejectReview(memory, ref)
  const rows = rowsText([['change', change && String(change.number)]], screen)
  return {
    json: { review: reviewJson(one), ...(change ? { change: changeJson(change) } : {}), ...warningsJson(warnings) },
    text: [screen.line(`Rejected the rewrite of ${one.name}; MEMORY.md is as it was`), ...rows].join('\n'),
    quietText: '',
    warnings,
  }
}

function headText({ name, session, at, reason, detail }: Review, zone: string, screen: Screen): string[] {
  const command = (flag: string): string => shellLine(['keepsake', 'review', name, flag])
  const rows = rowsText(
    [
      ['session', screen.line(session)],
      ['condensed', timeText(at, zone)],
      ['why', screen.line(detail === '' ? reason : `${reason}: ${detail}`)],
      ['take it', screen.line(command('--accept'))],
      ['leave it', screen.line(command('--reject'))],
    ],
    screen,
  )
  return [screen.bold(screen.line(name)), ...rows]
}

function proposedText({ proposed }: Review, now: string, screen: Screen): string[] {
  const lines = diffText(now, proposed, screen)
  return lines.length === 0 ? ['    MEMORY.md says so already.'] : lines.map((line) => `    ${line}`)
}
