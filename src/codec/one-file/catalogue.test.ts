import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  type CatalogueHead,
  type CatalogueSections,
  decodeCatalogue,
  encodeCatalogue,
  type SessionRow,
} from './catalogue.ts'
import { decodeFrame, encodeFrame } from './frame.ts'
import { bytesOf, floatsOf, integersOf, turned } from './numbers.ts'

const PLACE = { path: 'm.keepsake', at: 1024 }
const HEAD: CatalogueHead = {
  epoch: 'e',
  number: 9,
  nextSeq: 4,
  firstOfEpoch: 1,
  since: '2026-01-01T00:00:00.000Z',
  contested: [['main\0x', 'id']],
  bases: [200],
  files: [['directives/memory.md', 640]],
  derived: [['index', [1024, 8, 77]]],
}
const SESSIONS: readonly SessionRow[] = [['main', 'chat', [[2 ** 33, 65_536, 2 ** 32 - 1]]]]

/** Lengths that are no multiples of 8, so that each next section shows whether it was found. */
function sections(rows: number): CatalogueSections {
  const integers = (first: number, length = rows): Uint32Array => Uint32Array.from({ length }, (_, n) => first + n)
  return {
    rows: Buffer.from('["a"],["b"]'),
    offsets: integers(10, rows + 1),
    groups: Buffer.from('[]'),
    groupOf: integers(20),
    ids: integers(30, rows * 2),
    handles: integers(40, rows * 2),
    seqs: integers(50, rows * 2),
    textOffsets: Float64Array.from({ length: rows }, (_, n) => 2 ** 40 + n),
    textLengths: integers(60),
    textCrcs: integers(2 ** 32 - 100),
    changeNumbers: Float64Array.of(7, 9),
    changeOffsets: Float64Array.of(4096, 2 ** 45),
  }
}

describe('the catalogue', () => {
  it.each([0, 1, 3])('brings back line, sessions and sections of %d rows, wherever it lies in memory', (rows) => {
    const frame = encodeFrame('cata', encodeCatalogue(HEAD, sections(rows), SESSIONS), crc32)
    for (let shift = 0; shift < 8; shift++) {
      const memory = new Uint8Array(frame.length + shift)
      memory.set(frame, shift)
      const read = decodeFrame(memory.subarray(shift), crc32)
      if (typeof read === 'string') throw new Error(read)
      const catalogue = decodeCatalogue(read.payload, PLACE)
      expect(catalogue.head).toEqual(HEAD)
      expect(catalogue.sessions()).toEqual(SESSIONS)
      for (const [name, given] of Object.entries(sections(rows))) {
        expect([...catalogue.sections[name as keyof CatalogueSections]], name).toEqual([...given])
      }
    }
  })

  it('is used where it lies when its frame begins at a multiple of 8', () => {
    const frame = encodeFrame('cata', encodeCatalogue(HEAD, sections(3), SESSIONS), crc32)
    const { payload } = decodeFrame(frame, crc32) as { payload: Uint8Array }
    const read = decodeCatalogue(payload, PLACE).sections
    expect(read.textOffsets.buffer).toBe(frame.buffer)
    expect(read.ids.buffer).toBe(frame.buffer)
  })

  it('has its numbers little-endian', () => {
    expect([...bytesOf(Uint32Array.of(0x01020304))]).toEqual([4, 3, 2, 1])
    expect([...integersOf(Uint8Array.of(4, 3, 2, 1))]).toEqual([0x01020304])
    expect([...floatsOf(bytesOf(Float64Array.of(0.1, -5)))]).toEqual([0.1, -5])
    expect([...turned(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 4)]).toEqual([4, 3, 2, 1, 8, 7, 6, 5])
  })
})
