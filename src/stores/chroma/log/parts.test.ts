import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RamShelf } from '../../../../test/chroma/ram-shelf.ts'
import { RECORD_BYTES } from '../server/shelf.ts'
import { readParts, removeParts, writeParts } from './parts.ts'

const PLACE = { generation: 'g', of: 'g/z/1' }

describe('parts', () => {
  it('come to the very bytes, text or not, wherever they are cut', async () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array(), fc.constant('\0'), fc.constant('\ufeff'))
    const pieces = fc.array(piece, { maxLength: 5 })
    const size = fc.integer({ min: 0, max: 3 * RECORD_BYTES })
    await fc.assert(
      fc.asyncProperty(pieces, size, async (some, least) => {
        const once = Buffer.concat(some.map((one) => Buffer.from(one)))
        const bytes = Buffer.alloc(once.length === 0 ? 0 : Math.ceil(least / once.length) * once.length, once)
        const shelf = new RamShelf()
        const note = await writeParts(shelf, PLACE, bytes)
        expect(bytes.equals((await readParts(shelf, 'g', note)) ?? Uint8Array.of(1))).toBe(true)
        expect(shelf.records.size).toBe(note.count)
        await removeParts(shelf, 'g', [note])
        expect(shelf.records.size).toBe(0)
      }),
    )
  })

  it('are as few as can be', async () => {
    const shelf = new RamShelf()
    const { count } = await writeParts(shelf, PLACE, Buffer.from('x'.repeat(RECORD_BYTES * 3)))
    expect(count).toBe(3)
    const { form } = await writeParts(shelf, PLACE, Uint8Array.of(0xff))
    expect(form).toBe('base64')
  })

  it('are nothing where one is missing or is not as it was', async () => {
    const shelf = new RamShelf()
    const note = await writeParts(shelf, PLACE, Buffer.from('two parts '.repeat(5000)))
    const [first, second] = [...shelf.records.values()]
    if (!first || !second) throw new Error('not two')
    shelf.records.set(first.id, { ...first, text: first.text.replace('t', 'T') })
    expect(await readParts(shelf, 'g', note)).toBeUndefined()
    shelf.records.set(first.id, first)
    expect(await readParts(shelf, 'g', note)).toBeDefined()
    shelf.records.delete(second.id)
    expect(await readParts(shelf, 'g', note)).toBeUndefined()
  })
})
