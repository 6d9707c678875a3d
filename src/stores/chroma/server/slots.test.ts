import { describe, expect, it } from 'vitest'
import { RECORD_BYTES } from './shelf.ts'
import { fromSlots, intoSlots, isSlot } from './slots.ts'

const SLOT_BYTES = 3_900

function kept(text: string): { readonly values: readonly string[]; readonly back: string } {
  const slots = intoSlots(text, { every: false })
  return { values: Object.values(slots), back: fromSlots({ ...slots, kind: 'c', n: 3 }) }
}

describe('texts as values of metadata', () => {
  it('come back as they were, with no half character in any of them', () => {
    // One to four bytes each; shifted, so that every cut falls into every place of a character.
    for (const letter of ['a', 'é', '漢', '🧠', 'a\u0301', '"', '\\', '\u2028', '\0']) {
      for (let shift = 0; shift < 5; shift++) {
        const count = Math.floor((RECORD_BYTES - shift) / Buffer.byteLength(letter))
        const text = 'x'.repeat(shift) + letter.repeat(count)
        const { values, back } = kept(text)
        expect(back).toBe(text)
        for (const value of values) {
          expect(Buffer.byteLength(value)).toBeLessThanOrEqual(SLOT_BYTES)
          expect(value.isWellFormed()).toBe(true)
        }
      }
    }
  })

  it('leave no value out where a text is empty or short', () => {
    expect(intoSlots('', { every: false })).toEqual({ t0: '' })
    expect(intoSlots('ab', { every: false })).toEqual({ t0: 'ab' })
    expect(fromSlots({ t0: '' })).toBe('')
  })

  it('overwrite what a longer text had left', () => {
    const long = intoSlots('y'.repeat(RECORD_BYTES), { every: false })
    expect(fromSlots({ ...long, ...intoSlots('short', { every: true }) })).toBe('short')
  })

  it('are refused when they are too long or no text', () => {
    expect(() => intoSlots('z'.repeat(8 * SLOT_BYTES + 1), { every: false })).toThrow(RangeError)
    expect(() => intoSlots('a\ud83ez', { every: false })).toThrow('half a character')
  })

  it('are told from labels', () => {
    expect(Object.keys(intoSlots('', { every: true })).every(isSlot)).toBe(true)
    expect(['n', 'kind', 't', 't8', 'tag'].some(isSlot)).toBe(false)
  })
})
