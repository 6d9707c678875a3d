/** Replay from the end against an oracle that reads everything forward and does the plainest thing. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/tier.ts'
import type { Marker, TranscriptRecord, Turn } from './records.ts'
import { type Live, Replay } from './replay.ts'
import { windowStart } from './window.ts'

const START_MS = Date.parse('2026-01-01T00:00:00.000Z')

function turn(id: number, minute = id): Turn {
  const at = new Date(START_MS + minute * 60_000).toISOString()
  return { id: `t${id}`, role: 'user', content: `turn ${id}`, at, tools: [], metadata: {} }
}

function marker(id: string, first: number, through: number, extra: Partial<Marker> = {}): Marker {
  const { at: until } = turn(through)
  return {
    id,
    at: until,
    reason: 'compact',
    first: `t${first}`,
    through: `t${through}`,
    turns: through - first + 1,
    until,
    ...extra,
  }
}

const said = (id: number, minute?: number): TranscriptRecord => ({ type: 'turn', turn: turn(id, minute) })
const marked = (one: Marker): TranscriptRecord => ({ type: 'marker', marker: one })
const unmarked = (id: string): TranscriptRecord => ({ type: 'unmark', marker: id })
const revised = (id: number, content: string): TranscriptRecord => {
  return { type: 'revision', revision: { turn: `t${id}`, content, tools: [] } }
}
const slid = (id: number): TranscriptRecord => ({ type: 'slid', through: `t${id}` })

/** What a record says of the turns before it. */
function take(turns: Turn[], record: TranscriptRecord): void {
  if (record.type === 'turn') turns.push(record.turn)
  if (record.type !== 'revision') return
  const { turn: id, content } = record.revision
  for (const [index, one] of turns.entries()) if (one.id === id) turns[index] = { ...one, content }
}

/** Put in from the end as if each page held so many records, and how many were needed. */
function replayed(records: readonly TranscriptRecord[], pageSize: number): { live: Live; read: number } {
  const replay = new Replay()
  for (let end = records.length; ; end -= pageSize) {
    const start = Math.max(0, end - pageSize)
    replay.putBefore(records.slice(start, end))
    const live = replay.live(start === 0)
    if (live) return { live, read: records.length - start }
  }
}

function unslidOf(records: readonly TranscriptRecord[], pageSize: number): readonly Turn[] {
  const replay = new Replay()
  for (let end = records.length; ; end -= pageSize) {
    const start = Math.max(0, end - pageSize)
    replay.putBefore(records.slice(start, end))
    const turns = replay.unslid(start === 0)
    if (turns) return turns
  }
}

/** The last exchanges, read from the end as if each page held so many records. */
function windowOf(records: readonly TranscriptRecord[], pageSize: number, size: number): readonly Turn[] {
  const replay = new Replay()
  for (let end = records.length; ; end -= pageSize) {
    const start = Math.max(0, end - pageSize)
    replay.putBefore(records.slice(start, end))
    const found = replay.live(start === 0) ?? replay.recent(size)
    if (found) return found.turns.slice(windowStart(found.turns, size))
  }
}

/** How many of the turns before it a marker covers; `undefined`: it tells nothing. */
function coveredBy({ first, through, until, turns: count }: Marker, before: readonly Turn[]): number | undefined {
  const start = before.findLastIndex(({ id }) => id === first)
  const end = before.findLastIndex(({ id }) => id === through)
  if (end >= 0 && end >= start) return end + 1
  if (start < 0) return undefined
  let covered = start + 1
  while (covered - start < count - 1 && covered < before.length && (before[covered]?.at ?? '') <= until) covered++
  return covered
}

function oracle(records: readonly TranscriptRecord[]): Live {
  const turns: Turn[] = []
  let markers: { marker: Marker; covers: number | undefined }[] = []
  for (const record of records) {
    take(turns, record)
    if (record.type === 'marker') markers.push({ marker: record.marker, covers: coveredBy(record.marker, turns) })
    if (record.type === 'unmark') markers = markers.filter(({ marker: { id } }) => id !== record.marker)
  }
  let furthest = 0
  let chosen: Marker | undefined
  for (const { marker: one, covers = furthest } of markers) {
    if (covers < furthest || (covers === furthest && chosen?.reason === 'new' && one.reason !== 'new')) continue
    furthest = covers
    chosen = one
  }
  return { ...(chosen ? { marker: chosen } : {}), turns: turns.slice(furthest) }
}

function unslidOracle(records: readonly TranscriptRecord[]): Turn[] {
  const turns: Turn[] = []
  let offered = 0
  for (const record of records) {
    take(turns, record)
    if (record.type === 'slid') offered = Math.max(offered, turns.findLastIndex(({ id }) => id === record.through) + 1)
  }
  return turns.slice(offered)
}

/** Ids are few, so that they meet, repeat and are missing; times need not be in order. */
const anyId = fc.integer({ min: 1, max: 12 })
const anyRecord: fc.Arbitrary<TranscriptRecord> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(anyId, fc.integer({ min: 1, max: 14 })).map(([id, minute]) => said(id, minute)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 5 }), anyId, anyId, fc.constantFrom('compact', 'trim', 'new'))
      .map(([id, a, b, reason]) => marked(marker(`m${id}`, Math.min(a, b), Math.max(a, b), { reason }))),
  },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 5 }).map((id) => unmarked(`m${id}`)) },
  { weight: 1, arbitrary: anyId.map(slid) },
  {
    weight: 2,
    arbitrary: fc.tuple(anyId, fc.constantFrom('more', 'still more')).map(([id, text]) => revised(id, text)),
  },
)

/** A session as it is made: spans follow each other, markers come late, lines break, an undo takes one back. */
type Step = 'turn' | 'compact' | 'keep one' | 'late' | 'reset' | 'undo' | 'break' | 'slide'
const STEPS: readonly Step[] = [
  'turn',
  'turn',
  'turn',
  'turn',
  'compact',
  'keep one',
  'late',
  'reset',
  'undo',
  'break',
  'slide',
]

function made(steps: readonly Step[]): TranscriptRecord[] {
  const records: TranscriptRecord[] = []
  let late: TranscriptRecord | undefined
  let next = 1
  for (const [index, step] of steps.entries()) {
    const { marker: current, turns } = oracle(records)
    const numbers = turns.map(({ id }) => Number(id.slice(1)))
    const [first, last] = [numbers[0], numbers.at(step === 'keep one' ? -2 : -1)]
    if (step === 'turn') records.push(said(next++))
    if (step === 'undo' && current) records.push(unmarked(current.id))
    if (step === 'break') records.splice(Math.floor(records.length / 2), 1)
    if (first === undefined || last === undefined) continue
    const one = marked(marker(`m${index}`, first, last, step === 'reset' ? { reason: 'new' } : {}))
    if (step === 'slide') records.push(slid(last))
    if (step === 'compact' || step === 'keep one' || step === 'reset') records.push(one)
    if (step !== 'late') continue
    if (late) records.push(late)
    late = late ? undefined : one
  }
  return records
}

describe('replay', () => {
  const pages = fc.integer({ min: 1, max: 9 })

  it('from the end says what reading everything says', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 40 }), pages, (records, pageSize) => {
        const live = oracle(records)
        expect(replayed(records, pageSize).live).toEqual(live)
        for (const size of [0, 1, 3]) {
          expect(windowOf(records, pageSize, size)).toEqual(live.turns.slice(windowStart(live.turns, size)))
        }
        expect(unslidOf(records, pageSize)).toEqual(unslidOracle(records))
      }),
      { numRuns: isNightly ? 10_000 : 800 },
    )
  })

  it('says so for sessions as they are made, with races and broken lines', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 60 }), pages, (steps, pageSize) => {
        const records = made(steps)
        const live = oracle(records)
        expect(replayed(records, pageSize).live).toEqual(live)
        for (const size of [0, 1, 3]) {
          expect(windowOf(records, pageSize, size)).toEqual(live.turns.slice(windowStart(live.turns, size)))
        }
        expect(unslidOf(records, pageSize)).toEqual(unslidOracle(records))
      }),
      { numRuns: isNightly ? 10_000 : 600 },
    )
  })

  it('reads no more for the fiftieth compaction than for the first', () => {
    const records: TranscriptRecord[] = []
    const read: number[] = []
    for (let n = 0; n < 50; n++) {
      for (let id = n * 20 + 1; id <= n * 20 + 20; id++) records.push(said(id))
      records.push(marked(marker(`m${n}`, n * 20 + 1, n * 20 + 18)))
      const { live, read: needed } = replayed(records, 5)
      expect(live.turns.map(({ id }) => id)).toEqual([`t${n * 20 + 19}`, `t${n * 20 + 20}`])
      read.push(needed)
    }
    expect(Math.max(...read)).toBe(read[0])
    expect(read[0]).toBeLessThanOrEqual(10)
  })

  it('takes a marker that came late for what it covers, not for where it stands', () => {
    const reset = marked(marker('reset', 1, 4, { reason: 'new' }))
    const records = [said(1), said(2), said(3), said(4), reset, said(5), marked(marker('late', 1, 2))]
    expect(replayed(records, 2).live).toMatchObject({ marker: { id: 'reset' }, turns: [{ id: 't5' }] })
  })

  it('covers what is left of a span whose last turn is broken, and nothing that came after it', () => {
    const records = [said(1), said(2), said(4), marked(marker('m', 1, 3, { turns: 3 })), said(5, 1)]
    const { live } = replayed(records, 1)
    expect(live.turns.map(({ id }) => id)).toEqual(['t4', 't5'])
  })

  it('still shows the archive of a span of which nothing is left', () => {
    const records = [said(1), marked(marker('one', 1, 1)), marked(marker('two', 2, 3)), said(4)]
    expect(replayed(records, 2).live).toMatchObject({ marker: { id: 'two' }, turns: [{ id: 't4' }] })
  })

  it('counts a marker that has no record yet, and none that is void', () => {
    const replay = new Replay()
    replay.putBefore([said(1), said(2), marked(marker('m', 1, 1)), said(3)])
    expect(replay.live(true, new Set(), marker('lost', 2, 2))).toMatchObject({
      marker: { id: 'lost' },
      turns: [{ id: 't3' }],
    })
    expect(replay.live(true, new Set(['m']))?.turns).toHaveLength(3)
  })
})
