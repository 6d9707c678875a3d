/** Every command that there is, those of a family too, by the words that call it. */
import type { Operand } from '../../src/cli/command.ts'
import { VERBS } from '../../src/cli/verbs.ts'

export interface Called {
  /** `session append` */
  readonly words: string
  readonly operands: readonly Operand[]
}

export async function allCommands(): Promise<Called[]> {
  const all = await Promise.all(
    [...VERBS].map(async ([verb, { load }]): Promise<Called[]> => {
      const called = await load()
      if (!('commands' in called)) return [{ words: verb, operands: called.operands }]
      const members = [...called.commands].map(async ([word, member]) => ({
        words: `${verb} ${word}`,
        operands: (await member.load()).operands,
      }))
      return [{ words: verb, operands: [{ name: 'COMMAND' }] }, ...(await Promise.all(members))]
    }),
  )
  return all.flat()
}
