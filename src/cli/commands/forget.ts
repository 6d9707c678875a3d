/** `keepsake forget`: removes an entry after a confirmation; with `--purge`, every version of it. */

import { KeepsakeError } from '../../errors.ts'
import { type Entry, WORLD } from '../../model/entry.ts'
import { isLogged } from '../../model/operation.ts'
import type { Occurrence } from '../../model/redaction.ts'
import { shellLine } from '../../model/shell-line.ts'
import { DRY_RUN, insist } from '../ask.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { entryJson, warningsJson } from '../entry-json.ts'
import { labelOf, shortened } from '../entry-text.ts'
import { writtenOutcome } from '../outcomes.ts'

const MAX_LISTED = 50

export const forget: Command = {
  verb: 'forget',
  operands: [{ name: 'REF' }],
  about: [
    'Removes an entry: by its name, an alias, or the id that "keepsake list" shows. On a terminal it asks first; a',
    'program says --yes. Without either it only tells what would be removed. "keepsake undo" brings it back.',
    'With --purge nothing does: every version of it is deleted, and of every forgotten entry that had the name you give.',
    "Their texts are removed from the agent's own sessions. Other places with the same words, and copies out of reach, are",
    'not changed; they are listed, also with --quiet.',
  ],
  options: [
    { name: 'yes', about: 'remove it without asking' },
    { name: 'purge', about: 'delete every version of it, for good' },
    DRY_RUN,
  ],
  examples: ['keepsake forget deploys', 'keepsake forget deploys --yes', 'keepsake forget "old password" --purge'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, screen } = context
  const { memory, root } = await context.open()
  const purge = given.has('purge')
  const ref = given.operand(0)
  const { entry, gone } = purge ? await memory.findEver(ref) : { entry: await memory.find(ref), gone: false }
  const where = entry.path === undefined || gone ? '' : ` in ${screen.path(root, entry.path)}`
  const it = `${labelOf(entry)}${where}: "${shortened(entry.content)}"`
  const namesakes = ref === entry.id ? '' : ', and every forgotten entry with this name'
  const what = purge ? `every version of ${it}${namesakes}` : it
  if (given.has('dry-run')) return tried(context, entry, what)
  await insist(context, {
    question: `Remove ${what}?`,
    would: `this would remove ${what}`,
    spared: 'nothing was removed',
    deed: 'remove it',
  })
  return purge ? purged(context, entry) : forgotten(context, entry)
}

function tried({ screen }: Context, entry: Entry, what: string): Outcome {
  return {
    json: { entry: entryJson(entry), dryRun: true },
    text: screen.plain(`Would remove ${what}\nNothing was removed.`),
    quietText: '',
    warnings: [],
  }
}

async function forgotten(context: Context, { id }: Entry): Promise<Outcome> {
  const { memory } = await context.open()
  // By id: whatever the name means by now, this is the entry that was agreed on.
  const written = await memory.forget(id)
  const outcome = await writtenOutcome(context, written, `Forgot ${labelOf(written.entry)}`)
  const { change } = written
  return isLogged(change)
    ? { ...outcome, text: `${outcome.text}\nTo bring it back: keepsake undo ${change.number}` }
    : outcome
}

async function purged(context: Context, agreed: Entry): Promise<Outcome> {
  const { memory } = await context.open()
  const ref = context.given.operand(0)
  if ((await memory.findEver(ref)).entry.id !== agreed.id) {
    throw new KeepsakeError('CONFLICT', `"${ref}" is another entry by now; nothing was removed`, {
      hint: `To purge the one that you were asked about, give its id: ${agreed.id}`,
    })
  }
  // By what was given: what was forgotten under that name before goes too.
  const { entry, cleaned, occurrences, outOfReach, warnings } = await memory.purge(ref)
  const found = occurrences.map((place) => ({ ...place, ...commandFor(place, memory.agent, context) }))
  const listed = found.slice(0, MAX_LISTED).map(({ command, ...place }) => {
    return `${occurrenceText(place)}${command === undefined ? '' : `: ${command}`}`
  })
  if (found.length > MAX_LISTED) listed.push(`and ${found.length - MAX_LISTED} more; --json lists them all`)
  const text = [
    `Purged ${labelOf(entry)}. This can't be undone.`,
    'Cleaned:',
    ...cleaned.map((sentence) => `  ${sentence}`),
    ...(listed.length === 0
      ? []
      : ['Other places with the same words, not changed:', ...listed.map((one) => `  ${one}`)]),
    'Out of reach, so look there yourself:',
    ...outOfReach.map((sentence) => `  ${sentence}`),
  ].join('\n')
  return {
    json: { entry: entryJson(entry), cleaned, occurrences: found, outOfReach, ...warningsJson(warnings) },
    text: context.screen.plain(text),
    // What is left elsewhere must be told.
    quietText: context.screen.plain([...listed, ...outOfReach].join('\n')),
    warnings,
  }
}

function occurrenceText(place: Occurrence): string {
  if (place.in === 'file') return `the file ${place.path}`
  const owner = place.scope === WORLD ? 'the world' : place.scope
  if (place.in === 'session') return `the session ${JSON.stringify(place.key)} of ${owner}`
  const { kind, id, name = id, earlier } = place
  return `${earlier ? 'an earlier version of ' : ''}the ${kind} ${JSON.stringify(name)} of ${owner}`
}

/** The command that shows a session or purges an entry, in the same memory. `agent`: whose memory this command is about. */
function commandFor(place: Occurrence, agent: string, { asked, given }: Context): { readonly command?: string } {
  if (place.in === 'file') return {}
  const isImplied = place.scope === WORLD || (place.scope === agent && asked.agent === undefined)
  const words = place.in === 'entry' ? ['forget', place.id, '--purge'] : ['session', 'show', place.key, '--all']
  const options = [
    ...(isImplied ? [] : ['--agent', place.scope]),
    ...['workspace', 'config'].flatMap((name) => {
      const value = given.one(name)
      return value === undefined ? [] : [`--${name}`, value]
    }),
  ]
  return { command: shellLine(['keepsake', ...words, ...options]) }
}
