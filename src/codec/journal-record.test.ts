import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../model/operation.ts'
import { decodeJournal, encodeHeader, encodeRecord, type JournalRecord } from './journal-record.ts'

const HEADER = {
  keepsake: 'journal',
  version: 1,
  workspace: 'w',
  host: 'h',
  boot: 'b',
  epoch: 'e',
  inode: 7,
  at: '2026-03-14T09:26:53.589Z',
} as const

function record(number: number, content: string, text = `# a\n\n${content}\n`): JournalRecord {
  return {
    number,
    turn: 1,
    at: '2026-11-15T21:32:22.173Z',
    origin: { by: 'agent', agent: 'main' },
    operations: [{ op: 'write', id: '01a1e120-2307-73c5-98df-e1e583dae23b', content }],
    set: [{ revision: '0123456789abcdef' }],
    files: [
      { path: 'world/a.md', before: null, after: 'x', text },
      { path: 'daily/b.md', at: 3, append: text },
    ],
  }
}

function journal(...contents: string[]): Uint8Array {
  return Buffer.concat([
    encodeHeader(HEADER),
    ...contents.map((content, index) => encodeRecord(record(index + 1, content))),
  ])
}

describe('the journal', () => {
  it('reads back what was written, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.string({ unit: 'binary' }), (content, text) => {
        fc.pre(content.isWellFormed() && text.isWellFormed())
        const bytes = Buffer.concat([encodeHeader(HEADER), encodeRecord(record(1, content, text + content + text))])
        const { lines, length, rest } = decodeJournal(bytes)
        expect(lines).toEqual([{ header: HEADER }, { record: record(1, content, text + content + text) }])
        expect([length, rest]).toEqual([bytes.length, 'none'])
      }),
    )
  })

  it('holds a long text once, though an operation and two files have it', () => {
    const content = 'a memory of some length, '.repeat(400)
    expect(encodeRecord(record(1, content)).length).toBeLessThan(content.length * 1.1)
  })

  it('holds each text of a batch once, and reads each no more often in a large batch', () => {
    const contents = Array.from({ length: 2000 }, (_, n) => `${'the same words at the beginning '.repeat(10)}${n}\n`)
    let reads = 0
    const counted = (id: string, content: string): Operation => ({
      op: 'write',
      id,
      get content() {
        reads++
        return content
      },
    })
    const one = record(1, '')
    const many: JournalRecord = {
      ...one,
      operations: contents.map((content, n) => counted(String(n), content)),
      set: [],
      files: contents.map((content, n) => ({
        path: `${n}.md`,
        before: null,
        after: 'x',
        text: `---\na: b\n---\n${content}`,
      })),
    }
    const bytes = encodeRecord(many)
    expect(reads).toBeLessThan(10 * contents.length)
    expect(Buffer.from(bytes).toString().split('at the beginning 1999').length).toBeLessThanOrEqual(2)
    expect(bytes.length).toBeLessThan(contents.join('').length * 2)
    expect(decodeJournal(bytes).lines).toEqual([{ record: many }])
  })

  it('gives every whole line before a cut, wherever it is cut', () => {
    const bytes = journal('one', 'two', 'three')
    const ends = [...bytes.keys()].filter((index) => bytes[index] === 10).map((index) => index + 1)
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { lines, length, rest } = decodeJournal(bytes.subarray(0, cut))
      const whole = ends.filter((end) => end <= cut)
      expect(lines).toHaveLength(whole.length)
      expect(length).toBe(whole.at(-1) ?? 0)
      expect(rest).toBe(length === cut ? 'none' : 'torn')
    }
  })

  it('calls NULs at the end torn, and a changed byte damaged', () => {
    const bytes = Buffer.from(journal('one', 'two'))
    expect(decodeJournal(Buffer.concat([bytes, Buffer.alloc(50)])).rest).toBe('torn')
    for (let at = 0; at < bytes.length; at += 7) {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ 1
      const { lines, rest } = decodeJournal(flipped)
      expect(lines.length).toBeLessThan(3)
      expect(rest).not.toBe('none')
    }
  })

  it('never crashes on what is no journal', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(decodeJournal(bytes).lines).toEqual([])
      }),
    )
  })
})
