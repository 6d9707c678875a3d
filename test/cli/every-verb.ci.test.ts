/**
 * What holds for every command of the table: under `--json` one object on standard output, whatever is wrong. Each is
 * started once; its other mistakes are told by the same code in this process.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { allCommands } from './all-commands.ts'
import { jsonHere, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

// One for all, since none of these commands changes anything.
let desk: Desk
beforeAll(async () => {
  desk = await Desk.furnished()
  sitDownAt(desk)
})

// A hook answers its client whatever is wrong: see hook.ci.test.ts.
const commands = (await allCommands()).filter(({ words }) => words !== 'hook')

describe.concurrent.each(commands)('$words --json', ({ words, operands }) => {
  const verb = words.split(' ')

  async function refused(ask: () => Promise<Printed>): Promise<void> {
    const before = desk.hash()
    const printed = await ask()
    expect(printed.status).toBe(2)
    expect(Object.keys(printed)).toEqual(['error', 'status'])
    expect(Object.keys(printed.error)).toEqual(['code', 'message', 'hint'])
    expect(printed.error.code).toBe('INVALID')
    expect(printed.error.message).not.toBe('')
    expect(printed.error.hint).not.toBe('')
    expect(desk.hash()).toBe(before)
  }

  it('tells an option that it does not know', () => refused(() => desk.json([...verb, '--nonsense'])))

  it('tells an option without its value', () => refused(() => jsonHere([...verb, '--workspace'])))

  it('tells an agent that can not be', async () => {
    const given = operands.filter(({ optional }) => !optional).map(() => '1')
    const { status, error } = await jsonHere([...verb, ...given, '--agent', 'a b'])
    // A command that needs no memory does not look at it.
    if (words === 'completion') expect(error.message).toContain('shell')
    else if (words === 'setup') expect(status).toBe(0)
    else expect([status, error?.code]).toEqual([2, 'INVALID'])
  })

  it('tells too many operands, or too few', async () => {
    const needed = operands.filter(({ optional }) => !optional).length
    const refusedWith = (count: number): Promise<void> =>
      refused(() => jsonHere([...verb, ...Array.from({ length: count }, () => 'x')]))
    if (needed > 0) await refusedWith(needed - 1)
    if (!operands.at(-1)?.many) await refusedWith(operands.length + 1)
  })

  it('has help with an example that begins with the program', async () => {
    const { help } = await jsonHere([...verb, '--help'])
    expect(help).toMatch(/\nExamples?:\n( {2}.*keepsake .*\n?)+$/)
  })
})
