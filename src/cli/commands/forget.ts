/** `keepsake forget`: removes an entry, once someone has said that they mean it. */
import { usageError } from '../arguments.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { labelOf, shortened } from '../entry-text.ts'
import { writtenOutcome } from '../outcomes.ts'
import { printable } from '../screen.ts'

export const forget: Command = {
  verb: 'forget',
  operands: [{ name: 'REF' }],
  about: [
    'Removes an entry: by its name, an alias, or the id that "keepsake list" shows. On a terminal it asks first; a',
    'program says --yes. Without either it only tells what would be removed.',
  ],
  options: [{ name: 'yes', about: 'remove it without asking' }],
  examples: ['keepsake forget deploys', 'keepsake forget deploys --yes'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, screen } = context
  const { memory, root } = await context.open()
  const entry = await memory.find(given.operand(0))
  const where = entry.path === undefined ? '' : ` in ${screen.path(root, entry.path)}`
  const what = `${labelOf(entry)}${where}: "${shortened(entry.content)}"`
  if (!given.has('yes')) {
    if (given.has('json') || !canAsk()) {
      throw usageError(`this would remove ${what}`, 'Nothing was removed. Say --yes to remove it.')
    }
    if (!(await isMeant(`Remove ${what}? [y/N] `))) {
      throw usageError('nothing was removed', 'Answer y to remove it, or say --yes.')
    }
  }
  // By id: whatever the name means by now, this is the entry that was agreed on.
  const written = await memory.forget(entry.id)
  return writtenOutcome(context, written, `Forgot ${labelOf(entry)}`)
}

function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

async function isMeant(question: string): Promise<boolean> {
  process.stderr.write(printable(question))
  for await (const line of process.stdin) return /^y(es)?$/i.test(String(line).trim())
  return false
}
