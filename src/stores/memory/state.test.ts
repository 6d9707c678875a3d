import { describe, expect, it } from 'vitest'
import type { Entry } from '../../model/entry.ts'
import { MemoryState } from './state.ts'

const TIME = '2026-03-14T09:26:53.589Z'

function note(id: string, seq: number, name: string, aliases: readonly string[] = []): Entry {
  const times = { createdAt: TIME, updatedAt: TIME, expiresAt: null }
  const texts = { description: '', content: id, metadata: {} }
  return {
    id,
    seq,
    revision: id,
    scope: 'main',
    kind: 'note',
    name,
    aliases,
    origin: { by: 'hand' },
    ...times,
    ...texts,
  }
}

describe('who holds a name that several claim', () => {
  const claimants = [note('b', 2, 'x', ['y']), note('a', 1, 'y', ['x']), note('c', 3, 'x')]

  it('is the oldest, in whatever order they came', () => {
    for (const order of [claimants, claimants.toReversed()]) {
      const state = new MemoryState()
      for (const after of order) state.takeTouched([{ id: after.id, after }], 1)
      expect([state.owner('main', 'x'), state.owner('main', 'y')]).toEqual(['a', 'a'])
      state.takeTouched([{ id: 'a' }], 1)
      expect([state.owner('main', 'x'), state.owner('main', 'y')]).toEqual(['b', 'b'])
      state.takeTouched([{ id: 'b' }], 1)
      expect([state.owner('main', 'x'), state.owner('main', 'y')]).toEqual(['c', undefined])
      state.takeTouched([{ id: 'c' }], 1)
      expect(state.owner('main', 'x')).toBeUndefined()
    }
  })

  it('goes from one to the other within one change', () => {
    const state = new MemoryState()
    state.takeTouched([{ id: 'a', after: note('a', 1, 'x') }], 2)
    state.takeTouched(
      [
        { id: 'b', after: note('b', 2, 'x') },
        { id: 'a', after: note('a', 1, 'z') },
      ],
      3,
    )
    expect([state.owner('main', 'x'), state.owner('main', 'z'), state.nextSeq]).toEqual(['b', 'a', 3])
  })
})
