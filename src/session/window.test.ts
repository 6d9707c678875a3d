import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { block } from '../model/injected.ts'
import { ROLES, type Role, type Turn } from './records.ts'
import { messagesOf, windowStart } from './window.ts'

let count = 0
function turn(role: Role, content = 'something'): Turn {
  return { id: `t${++count}`, role, content, at: '2026-01-01T00:00:00.000Z', tools: [], metadata: {} }
}

const RECALLED = block('recall', 'what was found')

/** Parts the turns into exchanges, forward, and takes the last ones. */
function naiveWindow(turns: readonly Turn[], size: number): Turn[] {
  const exchanges: Turn[][] = []
  for (const one of turns) {
    if (one.role === 'user' && one.content !== RECALLED) exchanges.push([one])
    else exchanges.at(-1)?.push(one)
  }
  return size === 0 ? [] : exchanges.slice(-size).flat()
}

describe('the window', () => {
  const anyTurn = fc.oneof(
    fc.constantFrom(...ROLES).map((role) => turn(role)),
    fc.constant(0).map(() => turn('user', RECALLED)),
  )

  it('is the last exchanges, whatever was said', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 30 }), fc.integer({ min: 0, max: 8 }), (turns, size) => {
        expect(turns.slice(windowStart(turns, size))).toEqual(naiveWindow(turns, size))
      }),
      { numRuns: 1000 },
    )
  })

  it("never begins with an assistant's or a tool's turn, and never parts a call from its answer", () => {
    const turns = (['assistant', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'tool'] as const).map(
      (role) => turn(role),
    )
    expect([0, 1, 2, 3].map((size) => windowStart(turns, size))).toEqual([8, 5, 1, 1])
  })

  it('gives messages without what we injected, and none for what is nothing else', () => {
    const turns = [turn('user', `${RECALLED}\n\nand now?`), turn('user', RECALLED), turn('assistant', '')]
    expect(messagesOf(turns).map(({ content }) => content.trim())).toEqual(['and now?'])
    expect(messagesOf([turn('user', `\n${RECALLED}\n\n `), turn('assistant', ' \n')])).toEqual([])
  })
})
