/** `keepsake review`: rewrites of MEMORY.md that a model proposed and that wait for a person, who takes them or not. */
import { acceptReview, ifAccepted, rejectReview } from '../../consolidate/review.ts'
import { pendingReview, type Review, reviews } from '../../consolidate/reviews.ts'
import { shellLine } from '../../model/shell-line.ts'
import { usageError } from '../arguments.ts'
import { changeJson } from '../change-json.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { reviewJson } from '../consolidated-json.ts'
import { diffText } from '../diff-text.ts'
import { warningsJson, writtenJson } from '../entry-json.ts'
import { rowsText, timeText } from '../entry-text.ts'
import { writtenOutcome } from '../outcomes.ts'
import type { Screen } from '../screen.ts'

export const review: Command = {
  verb: 'review',
  operands: [{ name: 'ARCHIVE', optional: true }],
  about: [
    'Shows the rewrites of MEMORY.md that were not applied, because they drop most of it, make it too long for any model,',
    'break a test of recall.tests.md or contradict what was written meanwhile: why, and what would become of each line.',
    'All else of the condensing is done.',
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
  const shown = []
  for (const one of meant) shown.push({ one, ...(await ifAccepted(memory, one)) })
  const texts = shown.map(({ one, now, then }) =>
    [...headText(one, then !== undefined, zone, screen), ...proposedText(now, then ?? one.proposed, screen)].join('\n'),
  )
  return {
    json: {
      reviews: shown.map(({ one, then }) => ({ ...reviewJson(one), ...(then === undefined ? { fits: false } : {}) })),
    },
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

const NO_LONGER_FITS =
  'not possible: MEMORY.md was changed since in the same lines. Write what you want with: keepsake reflect'

function headText(review: Review, fits: boolean, zone: string, screen: Screen): string[] {
  const { name, session, at, reason, detail } = review
  const command = (flag: string): string => shellLine(['keepsake', 'review', name, flag])
  const rows = rowsText(
    [
      ['session', screen.line(session)],
      ['condensed', timeText(at, zone)],
      ['why', screen.line(detail === '' ? reason : `${reason}: ${detail}`)],
      ['take it', fits ? screen.line(command('--accept')) : NO_LONGER_FITS],
      ['leave it', screen.line(command('--reject'))],
    ],
    screen,
  )
  return [screen.bold(screen.line(name)), ...rows]
}

function proposedText(now: string, then: string, screen: Screen): string[] {
  const lines = diffText(now, then, screen)
  return lines.length === 0 ? ['    MEMORY.md says so already.'] : lines.map((line) => `    ${line}`)
}
