import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Extent, MOST_EXTENT_BYTES } from '../../codec/one-file/catalogue.ts'
import { type LineSource, readBackward, readForward, readMetadata, readRest } from '../disk/session-file.ts'
import { extentSource, piecesOf } from './extent-source.ts'

const META = '{"key":"chat","createdAt":"2026-03-14T09:26:53.589Z"}\n'

/** Pieces one after another, as a file would hold them. */
function inPieces(pieces: readonly Uint8Array[]): { readonly source: LineSource; readonly read: Extent[] } {
  const file = Buffer.concat(pieces)
  const read: Extent[] = []
  let offset = 0
  const extents = pieces.map((piece): Extent => {
    offset += piece.length
    return [offset - piece.length, piece.length, crc32(piece)]
  })
  const source = extentSource(extents, (extent) => {
    read.push(extent)
    return file.subarray(extent[0], extent[0] + extent[1])
  })
  return { source, read }
}

function whole(bytes: Uint8Array): LineSource {
  return { size: bytes.length, bytes: (from, to) => bytes.subarray(from, to) }
}

/** All that can be read of a transcript, page by page. */
function everything(source: LineSource): string {
  const pages: unknown[] = []
  for (let before: number | undefined; before !== 0; ) {
    const page = readBackward(source, before)
    pages.push(page)
    before = page?.start ?? 0
  }
  return JSON.stringify([readForward(source, 0), readMetadata(source), readRest(source), pages])
}

describe('a transcript in pieces', () => {
  it('is read as the same bytes in one piece are, wherever it is cut', () => {
    const line = fc.oneof(
      fc.record({ n: fc.nat(9) }).map((record) => JSON.stringify(record)),
      fc.nat(90_000).map((length) => `{"text":"${'語x'.repeat(length / 4)}"}`),
      fc.constantFrom('', 'no JSON', '[{"n":1},{"n":2}]', '{"torn":'),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), fc.array(fc.nat(5000)), (lines, isEnded, cuts) => {
        const text = Buffer.from(`${META}${lines.join('\n')}${isEnded ? '\n' : ''}`)
        const places = [0, ...cuts.map((cut) => cut * 37).filter((cut) => cut < text.length), text.length]
        places.sort((a, b) => a - b)
        const pieces = places.slice(1).map((end, n) => text.subarray(places[n], end))
        const expected = everything(whole(text))
        expect(everything(inPieces(pieces).source) === expected).toBe(true)
        expect(everything(inPieces(piecesOf(text)).source) === expected).toBe(true)
        expect(Buffer.concat(piecesOf(text)).equals(text)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('is cut at line ends, into pieces that are short unless a line is long', () => {
    const long = `{"text":"${'x'.repeat(3 * MOST_EXTENT_BYTES)}"}\n`
    const text = Buffer.from(`${META}${'{"n":1}\n'.repeat(20_000)}${long}${'{"n":2}\n'.repeat(20_000)}{"torn`)
    const pieces = piecesOf(text)
    expect(Buffer.concat(pieces).equals(text)).toBe(true)
    const isLong = (piece: Uint8Array): boolean => piece.length > MOST_EXTENT_BYTES
    expect(pieces.filter(isLong).map((piece) => Buffer.from(piece).toString())).toEqual([long])
    for (const piece of pieces.slice(0, -1)) expect(piece.at(-1)).toBe(10)
    expect(piecesOf(new Uint8Array())).toEqual([])
  })

  it('is read at its end without the rest', () => {
    const { source, read } = inPieces(piecesOf(Buffer.from(META + '{"n":1}\n'.repeat(200_000))))
    expect(readBackward(source, undefined)?.records.length).toBeGreaterThan(1000)
    expect(read.length).toBeLessThan(5)
  })
})
