/** `keepsake show`: one entry, whole. */
import type { Command, Context, Outcome } from '../command.ts'
import { readOutcome } from '../outcomes.ts'

export const show: Command = {
  verb: 'show',
  operands: [{ name: 'REF' }],
  about: [
    'Shows an entry: by its name, an alias, or the id that "keepsake list" shows. Another spelling will do where only',
    'one entry can be meant. With --quiet only its text.',
  ],
  options: [],
  examples: ['keepsake show deploys', 'keepsake show MEMORY', 'keepsake show deploys --quiet > deploys.md'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { memory } = await context.open()
  return readOutcome(context, await memory.find(context.given.operand(0)))
}
