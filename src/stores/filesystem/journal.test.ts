/** Lines from the last to the first, whatever stands between them and however long they are. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeRecord, type JournalRecord } from '../../codec/journal-record.ts'
import { Journal } from './journal.ts'

const SEGMENT = '00000001-00000000.jsonl'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-journal-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function line(number: number, length = 0): Buffer {
  const record: JournalRecord = {
    number,
    turn: number,
    at: '2026-01-01T00:00:00.000Z',
    origin: { by: 'agent' },
    operations: [{ op: 'add', scope: 'main', kind: 'note', name: 'a', content: 'ü'.repeat(length) }],
    set: [{}],
    files: [],
  }
  return Buffer.from(encodeRecord(record))
}

function backwards(...parts: readonly (Buffer | string)[]): number[] {
  writeFileSync(join(folder, SEGMENT), Buffer.concat(parts.map((part) => Buffer.from(part as string)))) // or a buffer
  const lines = new Journal(folder).linesBackwards(SEGMENT)
  return [...lines].flatMap((one) => ('record' in one ? one.record.number : []))
}

describe('a segment read backwards', () => {
  it('gives all lines, the last one first', () => {
    const lengths = [0, 100_000, 3, 40_000, 200_000, 0, 32_000, 32_000]
    expect(backwards(...lengths.map((length, number) => line(number, length)))).toEqual([7, 6, 5, 4, 3, 2, 1, 0])
  })

  it('passes over what is no line', () => {
    expect(backwards(line(1), '\n\n', line(2), 'torn')).toEqual([2, 1])
    expect(backwards(line(1), 'x\n', line(2), '\0\0')).toEqual([2, 1])
  })

  it('ends where a segment begins with an empty line', () => {
    expect(backwards('\n', line(1))).toEqual([1])
    expect(backwards('\n')).toEqual([])
    expect(backwards('')).toEqual([])
  })
})
