import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeFrame,
  decodeFrameHead,
  encodeFrame,
  FRAME_BYTES,
  FRAME_TYPES,
  frameParts,
  MOST_PAYLOAD,
} from './frame.ts'

const frames = fc.array(
  fc.tuple(fc.constantFrom(...FRAME_TYPES), fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 4 })),
  { maxLength: 6 },
)

describe('frames', () => {
  it('are read one behind the other, whatever is in them', () => {
    fc.assert(
      fc.property(frames, (given) => {
        const file = Buffer.concat(given.map(([type, parts]) => encodeFrame(type, parts, crc32)))
        let at = 0
        for (const [type, parts] of given) {
          const frame = decodeFrame(file.subarray(at), crc32)
          if (typeof frame === 'string') throw new Error(frame)
          expect(frame.head.type).toBe(type)
          expect(Buffer.from(frame.payload)).toEqual(Buffer.concat(parts))
          at += frame.head.size
          expect(at % 8).toBe(0)
        }
        expect(at).toBe(file.length)
        expect(decodeFrame(file.subarray(at), crc32)).toBe('torn')
      }),
    )
  })

  it('are the same in pieces', () => {
    const parts = [Buffer.from('one'), Buffer.from(''), Buffer.from('two')]
    expect(Buffer.concat(frameParts('chng', parts, crc32))).toEqual(Buffer.from(encodeFrame('chng', parts, crc32)))
  })

  it('are torn wherever they are cut, and where there are only zeros', () => {
    const frame = encodeFrame('sess', [Buffer.from('some lines\n')], crc32)
    for (let length = 0; length < frame.length; length++) {
      expect(decodeFrame(frame.subarray(0, length), crc32), `${length} bytes`).toBe('torn')
    }
    expect(decodeFrame(new Uint8Array(64), crc32)).toBe('torn')
  })

  it('find every flipped bit; only in the zeros at their end it says nothing', () => {
    const payload = Buffer.from('eleven long')
    const frame = encodeFrame('file', [payload], crc32)
    for (let bit = 0; bit < frame.length * 8; bit++) {
      const bytes = Buffer.from(frame)
      const at = bit >> 3
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
      const read = decodeFrame(bytes, crc32)
      if (at < FRAME_BYTES + payload.length) expect(read, `bit ${bit}`).toBe('damaged')
      else expect(read).toMatchObject({ payload })
    }
  })

  it('are never longer than one call can read', () => {
    const huge = { length: MOST_PAYLOAD + 1 } as Uint8Array
    expect(() => frameParts('chng', [huge], crc32)).toThrow(/it has \d+ bytes/)
    const frame = encodeFrame('base', [], crc32)
    const view = new DataView(frame.buffer)
    view.setUint32(4, MOST_PAYLOAD + 1, true)
    view.setUint32(12, crc32(frame.subarray(0, 12)), true)
    expect(decodeFrameHead(frame, crc32)).toBe('damaged')
  })

  it('are not believed when their type is none of ours', () => {
    const frame = encodeFrame('base', [], crc32)
    const view = new DataView(frame.buffer)
    view.setUint8(0, 0xff)
    view.setUint32(12, crc32(frame.subarray(0, 12)), true)
    expect(decodeFrameHead(frame, crc32)).toBe('damaged')
  })
})
