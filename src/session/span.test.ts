import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Role, Turn } from './records.ts'
import { spanOf } from './span.ts'

/** By one letter each: user, assistant, tool. */
function turnsOf(letters: string): Turn[] {
  const roles: Readonly<Record<string, Role>> = { u: 'user', a: 'assistant', t: 'tool' }
  return [...letters].map((letter, n) => ({
    id: `t${n}`,
    role: roles[letter] ?? 'system',
    content: `${n}`,
    at: '2026-11-16T09:00:00.000Z',
    tools: letter === 't' ? ['recall'] : [],
    metadata: {},
  }))
}

describe('the turns that are taken', () => {
  it.each([
    ['uaua', 4, 4],
    ['uaua', 9, 4],
    ['uaua', 3, 2],
    ['uaua', 2, 2],
    ['uaua', 1, 0],
    ['uaua', 0, 0],
    // A call and what it gave are never parted.
    ['uatauata', 5, 4],
    ['uatauata', 3, 0],
    ['uatauata', 7, 4],
    // What stands before the first user's turn goes with that one.
    ['aua', 1, 0],
    ['aauaua', 3, 0],
    ['aauaua', 4, 4],
    ['aaa', 2, 0],
    ['aaa', 3, 3],
    ['', 5, 0],
  ])('of %j with %d at most are %d', (letters, most, taken) => {
    const turns = turnsOf(letters)
    expect(spanOf(turns, { take: () => most })).toEqual(turns.slice(0, taken))
  })

  it('end with an exchange, and are as many as may be', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('u', 'a', 't'), maxLength: 12 }), fc.nat(14), (letters, most) => {
        const taken = spanOf(turnsOf(letters), { take: () => most }).length
        expect(taken).toBeLessThanOrEqual(most)
        const first = letters.indexOf('u')
        const ends = (at: number): boolean => at === letters.length || (letters[at] === 'u' && at > first)
        expect(taken === 0 || ends(taken)).toBe(true)
        for (let at = taken + 1; at <= Math.min(most, letters.length); at++) expect(ends(at)).toBe(false)
      }),
    )
  })

  it('go as far as a copy of the last one, and come in place of what is kept', () => {
    const [a, b, c] = turnsOf('uau') as [Turn, Turn, Turn]
    expect(spanOf([a, b, c, b], { take: () => 2, keep: 5 })).toEqual([a, b, c, b])
  })

  it.each([-1, 1.5, Number.NaN])('are a number of turns, and not %d', (most) => {
    expect(() => spanOf(turnsOf('ua'), { take: () => most })).toThrow(/take/)
  })
})
