import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../errors.ts'
import { decodeHeader, encodeHeader, encodeSlot, FILE_VERSION, HEADER_BYTES, slotOffset } from './header.ts'

const HEADER = { generation: Uint8Array.from({ length: 16 }, (_, n) => 200 + n), catalogue: 2 ** 40 + 8 }
const OLD = { end: 4096, number: 41 }
const NEW = { end: 2 ** 41, number: 42 }

function header(): Uint8Array {
  const bytes = encodeHeader(HEADER, OLD, crc32)
  bytes.set(encodeSlot(NEW, crc32), slotOffset('B'))
  return bytes
}

function decode(bytes: Uint8Array): ReturnType<typeof decodeHeader> {
  return decodeHeader(bytes, crc32, 'memory.keepsake')
}

function codeOf(bytes: Uint8Array): string {
  try {
    decode(bytes)
    return 'read'
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    expect(error.message).toContain('memory.keepsake')
    expect(error.hint).toContain('It was left as it is.')
    return error.code
  }
}

/** With a right checksum, as another program would write it. */
function ofVersion(version: number): Uint8Array {
  const bytes = header()
  const view = new DataView(bytes.buffer)
  view.setUint32(8, version, true)
  view.setUint32(60, crc32(bytes.subarray(0, 60)), true)
  return bytes
}

describe('the header of the one file', () => {
  it('reads back what was written, and counts the slot that tells of more', () => {
    const fresh = encodeHeader(HEADER, OLD, crc32)
    expect(fresh).toHaveLength(HEADER_BYTES)
    expect(decode(fresh)).toEqual({ header: HEADER, slot: OLD, nextSlot: 'B' })
    expect(decode(header())).toEqual({ header: HEADER, slot: NEW, nextSlot: 'A' })
  })

  it('finds every flipped bit: refused, or the other slot counts and it says so', () => {
    for (let bit = 0; bit < HEADER_BYTES * 8; bit++) {
      const bytes = header()
      const at = bit >> 3
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
      if (at < slotOffset('A')) {
        expect(codeOf(bytes), `bit ${bit}`).toBe('DAMAGED')
        continue
      }
      const { slot, nextSlot, problem } = decode(bytes)
      const inA = at < slotOffset('B')
      expect([slot, nextSlot], `bit ${bit}`).toEqual(inA ? [NEW, 'A'] : [OLD, 'B'])
      expect(problem).toContain(`byte ${slotOffset(nextSlot)}`)
    }
  })

  it('refuses a file of which both slots are damaged', () => {
    const bytes = header()
    bytes.fill(0, slotOffset('A') + 3)
    expect(codeOf(bytes)).toBe('DAMAGED')
  })

  it('takes no empty or short file for a new one', () => {
    for (let length = 0; length < HEADER_BYTES; length++) {
      expect(codeOf(header().subarray(0, length)), `${length} bytes`).toBe('DAMAGED')
    }
  })

  it('tells what was sent as text, other programs’ files and newer ones from damage', () => {
    const text = Buffer.from(Buffer.from(header()).toString('latin1').replace('\r\n', '\n'), 'latin1')
    expect(codeOf(text)).toBe('DAMAGED')
    expect(() => decode(text)).toThrow(/transfer in text mode/)
    expect(codeOf(Buffer.from('# A page of Markdown\n'))).toBe('FOREIGN')
    expect(codeOf(Buffer.from('SQLite format 3\0'))).toBe('FOREIGN')
    expect(codeOf(Buffer.alloc(4096))).toBe('FOREIGN')
    expect(codeOf(ofVersion(FILE_VERSION + 1))).toBe('NEWER')
    expect(codeOf(ofVersion(0))).toBe('DAMAGED')
  })
})
