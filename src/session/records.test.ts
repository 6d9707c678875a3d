import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionRecord } from '../ports/store.ts'
import {
  type Marker,
  markerRecord,
  parseRecord,
  parseRecords,
  replacedRecord,
  revisionRecord,
  slidRecord,
  type Turn,
  turnRecord,
  unmarkRecord,
} from './records.ts'

const AT = '2026-01-02T03:04:05.678Z'
const turn: Turn = {
  id: 't1',
  role: 'assistant',
  content: 'yes',
  at: AT,
  tools: ['recall'],
  metadata: { type: 'marker' },
}
const marker: Marker = {
  ...{ id: 'm1', at: AT, reason: 'trim', first: 't1', through: 't2', turns: 2, until: AT },
  ...{ archiveId: 'a', archiveName: 'chat-1', archivedAt: AT },
}

describe('a record', () => {
  it('is read as it was written', () => {
    expect(parseRecord(turnRecord(turn))).toEqual({ type: 'turn', turn })
    const { id, content, tools } = turn
    expect(parseRecord(revisionRecord(AT, turn))).toEqual({ type: 'revision', revision: { turn: id, content, tools } })
    expect(parseRecord(markerRecord(marker))).toEqual({ type: 'marker', marker })
    expect(parseRecord(unmarkRecord('u', AT, 'm1'))).toEqual({ type: 'unmark', marker: 'm1' })
    expect(parseRecord(slidRecord(AT, 't1'))).toEqual({ type: 'slid', through: 't1' })
    expect(parseRecord(replacedRecord(AT, 'a'))).toEqual({ type: 'replaced', archive: 'a' })
  })

  it('says nothing where there is nothing to say', () => {
    expect(Object.keys(turnRecord({ ...turn, tools: [], metadata: {} }))).toEqual([
      'type',
      'id',
      'at',
      'role',
      'content',
    ])
  })

  it('of another kind, or half of one, is passed over', () => {
    const { content: _, ...half } = turnRecord(turn)
    const records: SessionRecord[] = [
      half,
      { ...turnRecord(turn), role: 'robot' },
      { ...turnRecord(turn), at: 'noon' },
      { ...revisionRecord(AT, turn), content: 1 },
      { ...markerRecord(marker), reason: 'because' },
      { ...markerRecord(marker), through: 7 },
      { type: 'unmark' },
      { type: 'slid', through: '' },
      { type: 'replaced', archive_id: 1 },
      { type: 'injected', at: AT, prints: [1] },
      { type: 'from the future' },
      {},
    ]
    expect(parseRecords(records)).toEqual([])
  })

  it('never fails, whatever JSON it is', () => {
    const type = fc.constantFrom('turn', 'marker', 'unmark', 'slid', 'replaced')
    const whole = fc.constantFrom<SessionRecord>(turnRecord(turn), markerRecord(marker))
    const field = fc.constantFrom(
      'id',
      'at',
      'role',
      'content',
      'tools',
      'metadata',
      'first',
      'turns',
      'until',
      'archive_id',
    )
    fc.assert(
      fc.property(type, whole, field, fc.jsonValue(), (kind, record, name, value) => {
        const parsed = parseRecord({ ...record, type: kind, [name]: value } as SessionRecord) // jsonValue gives JSON
        if (parsed?.type === 'turn') expect(parseRecord(turnRecord(parsed.turn))).toEqual(parsed)
        if (parsed?.type === 'marker') expect(parseRecord(markerRecord(parsed.marker))).toEqual(parsed)
      }),
    )
  })
})
