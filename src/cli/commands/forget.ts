/** `keepsake forget`: removes an entry, once someone has said that they mean it; with `--purge`, every trace of it. */
import type { Entry } from '../../model/entry.ts'
import { DRY_RUN, insist } from '../ask.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { entryJson, warningsJson } from '../entry-json.ts'
import { labelOf, shortened } from '../entry-text.ts'
import { writtenOutcome } from '../outcomes.ts'

export const forget: Command = {
  verb: 'forget',
  operands: [{ name: 'REF' }],
  about: [
    'Removes an entry: by its name, an alias, or the id that "keepsake list" shows. On a terminal it asks first; a',
    'program says --yes. Without either it only tells what would be removed. "keepsake undo" brings it back.',
    'With --purge nothing does: it is removed from the history too, also if it was forgotten before, and you are told',
    'what can not be reached from here, also with --quiet.',
  ],
  options: [
    { name: 'yes', about: 'remove it without asking' },
    { name: 'purge', about: 'remove every trace of it, for good' },
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
  const what = `${purge ? 'every trace of ' : ''}${labelOf(entry)}${where}: "${shortened(entry.content)}"`
  if (given.has('dry-run')) return tried(context, entry, what)
  await insist(context, {
    question: `Remove ${what}?`,
    would: `this would remove ${what}`,
    spared: 'nothing was removed',
    deed: 'remove it',
  })
  // By id: whatever the name means by now, this is the entry that was agreed on.
  return purge ? purged(context) : forgotten(context, entry)
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
  const written = await memory.forget(id)
  const outcome = await writtenOutcome(context, written, `Forgot ${labelOf(written.entry)}`)
  const { change } = written
  return change ? { ...outcome, text: `${outcome.text}\nTo bring it back: keepsake undo ${change.number}` } : outcome
}

async function purged(context: Context): Promise<Outcome> {
  const { memory } = await context.open()
  // By what was given: what was forgotten under that name before goes too.
  const { entry, cleaned, outOfReach, warnings } = await memory.purge(context.given.operand(0))
  const text = [
    `Purged ${labelOf(entry)}. This can't be undone.`,
    'Cleaned:',
    ...cleaned.map((sentence) => `  ${sentence}`),
    'Out of reach, so look there yourself:',
    ...outOfReach.map((sentence) => `  ${sentence}`),
  ].join('\n')
  return {
    json: { entry: entryJson(entry), cleaned, outOfReach, ...warningsJson(warnings) },
    text: context.screen.plain(text),
    // What is left elsewhere must be told.
    quietText: context.screen.plain(outOfReach.join('\n')),
    warnings,
  }
}
