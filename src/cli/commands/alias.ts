/** `keepsake alias`: one more name for an entry, moved over from another, or given up. */
import type { Written } from '../../memory.ts'
import { usageError } from '../arguments.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { labelOf } from '../entry-text.ts'
import { writtenOutcome } from '../outcomes.ts'

export const alias: Command = {
  verb: 'alias',
  operands: [{ name: 'REF' }, { name: 'NAME' }],
  about: ['Gives an entry one more name that it is found by. REF is a name, an alias or an id.'],
  options: [
    { name: 'take', about: 'if NAME is an alias of another entry, move it over' },
    { name: 'drop', about: 'take the alias NAME away from the entry' },
  ],
  examples: [
    'keepsake alias deploys releases',
    'keepsake alias "release notes" releases --take',
    'keepsake alias deploys releases --drop',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  if (given.has('take') && given.has('drop')) throw usageError('--take and --drop contradict each other', 'Choose one.')
  const mode = given.has('take') ? 'take' : given.has('drop') ? 'drop' : 'bind'
  const { memory } = await context.open()
  const name = given.operand(1)
  const written = await memory.alias(given.operand(0), name, { mode })
  const label = labelOf(written.entry)
  if (mode === 'drop') return writtenOutcome(context, written, `"${name}" is no longer an alias of ${label}`)
  const loser = loserId(written)
  const from = loser === undefined ? undefined : await memory.get(loser)
  const taken = from === undefined ? '' : `, taken from ${labelOf(from)}`
  return writtenOutcome(context, written, `"${name}" is now an alias of ${label}${taken}`)
}

/** The entry that gave the alias up. */
function loserId({ entry, change }: Written): string | undefined {
  const operation = change?.operations.find((done) => done.op === 'alias' && done.id !== entry.id)
  return operation?.op === 'alias' ? operation.id : undefined
}
