import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareTexts, encode } from './utf8.ts'

test('compares bytes as `<` compares the texts that they are of', () => {
  // Few, from all lengths of UTF-8 and from both sides of the surrogates, so that texts differ late.
  const unit = fc.constantFrom(
    'a',
    'b',
    '\u007f',
    'é',
    '\u0800',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '\u{10ffff}',
  )
  const text = fc.string({ unit, maxLength: 4 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      const expected = a === b ? 0 : a < b ? -1 : 1
      expect(Math.sign(compareTexts(encode(a), encode(b)))).toBe(expected)
    }),
    { numRuns: 5000 },
  )
})
