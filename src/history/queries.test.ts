/** What the contract can't test on every store: histories that begin in the middle, and undos that changed nothing. */
import { describe, expect, it } from 'vitest'
import type { Entry, OriginBy } from '../model/entry.ts'
import type { Recorded, Touched } from '../ports/store.ts'
import { entriesAt, findChanges, findGone, type LoadedHistory, versionsOf } from './queries.ts'

function entry(name: string, more: Partial<Entry> = {}): Entry {
  return {
    id: name,
    seq: 1,
    scope: 'main',
    kind: 'note',
    name,
    aliases: [],
    description: '',
    content: name,
    metadata: {},
    createdAt: time(0),
    updatedAt: time(0),
    expiresAt: null,
    revision: name,
    origin: { by: 'agent' },
    ...more,
  }
}

function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
}

function recorded(
  number: number,
  touched: readonly Touched[],
  more: { by?: OriginBy; reverts?: number[] } = {},
): Recorded {
  const { by = 'agent', ...rest } = more
  return { change: { number, at: time(number), origin: { by }, operations: [], ...rest }, touched }
}

function add(after: Entry): Touched {
  return { id: after.id, after }
}

const CUT: LoadedHistory = {
  since: time(5),
  entries: [entry('old', { seq: 1 }), entry('kept', { seq: 2 })],
  changes: [recorded(6, [{ id: 'old', before: entry('old') }]), recorded(7, [add(entry('new', { seq: 3 }))])],
}

describe('a history that begins in the middle', () => {
  it('knows its beginning and every state since', () => {
    const names = (at: number | string): unknown => entriesAt(CUT, at).map(({ name }) => name)
    expect([names(5), names(time(5))]).toEqual([
      ['old', 'kept'],
      ['old', 'kept'],
    ])
    expect([names(6), names(time(7))]).toEqual([['kept'], ['kept', 'new']])
  })

  it.each<[number | string, number | string]>([
    [4, 5],
    [0, 5],
    [time(4), time(5)],
  ])('refuses what is older: %s', (at, earliest) => {
    expect(() => entriesAt(CUT, at)).toThrowError(
      expect.objectContaining({ code: 'NOT_FOUND', data: { at, earliest } }),
    )
  })

  it('returns the state at its beginning as versions without a change, and finds what was removed since', () => {
    expect(versionsOf(CUT, ['old']).map(({ change, entry: state }) => [change?.number, state?.name])).toEqual([
      [undefined, 'old'],
      [6, undefined],
    ])
    expect(findGone(CUT, { called: 'old' }).map(({ id }) => id)).toEqual(['old'])
  })
})

describe('changes', () => {
  it('are undone by the newest undo that counts', () => {
    const undo = (number: number, reverts: number[]): Recorded => recorded(number, [], { by: 'undo', reverts })
    const changes = [recorded(1, []), recorded(2, []), undo(3, [1, 2]), undo(4, [2]), undo(5, [3])]
    const undoneBy = findChanges({ entries: [], changes }).map((logged) => [logged.change.number, logged.undoneBy])
    expect(Object.fromEntries(undoneBy)).toEqual({ 1: undefined, 2: 4, 3: 5, 4: undefined, 5: undefined })
  })

  it('leave no trace of an entry that one change added and removed', () => {
    const history = { entries: [], changes: [recorded(1, [{ id: 'a' }])] }
    expect([versionsOf(history, ['a']), findGone(history), entriesAt(history, 1)]).toEqual([[], [], []])
  })
})
