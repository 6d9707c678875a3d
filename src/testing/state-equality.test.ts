import { describe, expect, it } from 'vitest'
import type { Entry } from '../model/entry.ts'
import { equalState, stateDifference } from './state-equality.ts'

const A: Entry = {
  id: 'a',
  seq: 1,
  revision: 'r',
  scope: 'main',
  kind: 'note',
  name: 'n',
  aliases: ['x', 'y'],
  description: 'd',
  content: 'c',
  metadata: { m: 1 },
  createdAt: '2026-11-15T14:03:00.000Z',
  updatedAt: '2026-11-15T14:03:00.000Z',
  expiresAt: null,
  origin: { by: 'agent', agent: 'main' },
  path: 'entries/n.md',
}
const B: Entry = { ...A, id: 'b', seq: 2, kind: 'context', name: null, key: 'k', aliases: [] }

const HELD: readonly Partial<Entry>[] = [
  { scope: 'other' },
  { kind: 'fact' },
  { name: 'm' },
  { aliases: ['x'] },
  { description: '' },
  { content: 'C' },
  { metadata: { m: 2 } },
  { expiresAt: '2030-01-01T00:00:00.000Z' },
  { id: 'c' },
]
const LOST: readonly Partial<Entry>[] = [
  { seq: 9 },
  { createdAt: '2020-01-01T00:00:00.000Z' },
  { updatedAt: '2030-01-01T00:00:00.000Z' },
  { origin: { by: 'hand' } },
  { aliases: ['y', 'x'] },
]

describe('equalState', () => {
  it('does not look at paths, nor at the order that entries are given in', () => {
    const { path: _, ...pathless } = A
    expect(equalState([A, B], [B, pathless])).toBe(true)
    expect(equalState([A, B], [B, pathless], { withoutState: true })).toBe(true)
  })

  it.each([...HELD, ...LOST])('in full sees a change of %j', (change) => {
    expect(equalState([{ ...A, ...change }, B], [A, B])).toBe(false)
  })

  it.each(HELD)('without .state still sees a change of %j, which the files hold', (change) => {
    expect(equalState([{ ...A, ...change }, B], [A, B], { withoutState: true })).toBe(false)
  })

  it.each(LOST)('without .state does not see a change of %j', (change) => {
    expect(equalState([{ ...A, ...change }, B], [A, B], { withoutState: true })).toBe(true)
  })

  it('sees another key, an entry too few, and one that is there twice', () => {
    for (const withoutState of [false, true]) {
      expect(equalState([A, { ...B, key: 'l' }], [A, B], { withoutState })).toBe(false)
      expect(equalState([A], [A, B], { withoutState })).toBe(false)
      expect(equalState([A, B, B], [A, B], { withoutState })).toBe(false)
      expect(equalState([], [], { withoutState })).toBe(true)
    }
  })
})

describe('stateDifference', () => {
  it('names the entry and the field', () => {
    expect(stateDifference([{ ...A, content: 'x' }], [A])).toBe('state.a[0].content is "x", not "c"')
  })
})
