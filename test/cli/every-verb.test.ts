/** What holds for every command of the table: under `--json` one object on standard output, whatever is wrong. */
import { beforeAll, describe, expect, it } from 'vitest'
import { VERBS } from '../../src/cli/verbs.ts'
import { Desk } from './keepsake.ts'

// One for all, since none of these commands changes anything.
let desk: Desk
beforeAll(async () => {
  desk = await Desk.furnished()
})

describe.concurrent.each([...VERBS.keys()])('%s --json', (verb) => {
  async function refused(...args: string[]): Promise<void> {
    const before = desk.hash()
    const printed = await desk.json([verb, ...args])
    expect(printed.status).toBe(2)
    expect(Object.keys(printed)).toEqual(['error', 'status'])
    expect(Object.keys(printed.error)).toEqual(['code', 'message', 'hint'])
    expect(printed.error.code).toBe('INVALID')
    expect(printed.error.message).not.toBe('')
    expect(printed.error.hint).not.toBe('')
    expect(desk.hash()).toBe(before)
  }

  it('tells an option that it does not know', () => refused('--nonsense'))

  it('tells an option without its value', () => refused('--workspace'))

  it('tells an agent that can not be', async () => {
    const { operands } = (await VERBS.get(verb)?.load()) ?? { operands: [] }
    const given = operands.filter(({ optional }) => !optional).map(() => '1')
    const { status, error } = await desk.json([verb, ...given, '--agent', 'a b'])
    // A command that needs no memory does not look at it.
    if (verb === 'completion') expect(error.message).toContain('shell')
    else expect([status, error?.code]).toEqual([2, 'INVALID'])
  })

  it('tells too many operands, or too few', async () => {
    const { operands } = (await VERBS.get(verb)?.load()) ?? { operands: [] }
    const needed = operands.filter(({ optional }) => !optional).length
    if (needed > 0) await refused(...Array.from({ length: needed - 1 }, () => 'x'))
    if (!operands.at(-1)?.many) await refused(...Array.from({ length: operands.length + 1 }, () => 'x'))
  })

  it('has help with an example that begins with the program', async () => {
    const { help } = await desk.json([verb, '--help'])
    expect(help).toMatch(/\nExamples?:\n( {2}.*keepsake .*\n?)+$/)
  })
})
