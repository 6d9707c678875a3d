/** `keepsake rename`: gives an entry another name, and its file with it. */
import type { Command, Context, Outcome } from '../command.ts'
import { labelOf } from '../entry-text.ts'
import { writtenOutcome } from '../outcomes.ts'

export const rename: Command = {
  verb: 'rename',
  operands: [{ name: 'REF' }, { name: 'NAME' }],
  about: [
    'Gives an entry another name; its file moves along. The old name stays as an alias, so that what refers to it',
    'still finds it. REF is a name, an alias or an id.',
  ],
  options: [],
  examples: ['keepsake rename deploys "How we ship"'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const { memory } = await context.open()
  const before = await memory.find(given.operand(0))
  const written = await memory.rename(before.id, given.operand(1))
  return writtenOutcome(
    context,
    written,
    `Renamed ${labelOf(before)} to "${written.entry.name}"; the old name is an alias`,
  )
}
