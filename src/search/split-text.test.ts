import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitText } from './split-text.ts'

function pieces(text: string, mostTokens: number): string[] {
  return splitText(text, mostTokens).map(({ start, end }) => text.slice(start, end))
}

const TEXT = fc
  .array(
    fc.oneof(
      fc.constantFrom(' ', '\n', '\n\n', '. ', '。', '👨‍👩‍👧', 'é', 'e\u0301', '한국', '東京', '12345', 'a'.repeat(60)),
      fc.string({ unit: 'grapheme' }),
    ),
  )
  .map((parts) => parts.join(''))

describe('pieces of a text', () => {
  test('hold every character but white space, once and in order', () => {
    fc.assert(
      fc.property(TEXT, fc.integer({ min: 1, max: 60 }), (text, most) => {
        const cut = splitText(text, most)
        let at = 0
        for (const { start, end } of cut) {
          expect(text.slice(at, start).trim()).toBe('')
          expect(end).toBeGreaterThan(start)
          at = end
        }
        expect(text.slice(at).trim()).toBe('')
      }),
    )
  })

  test('never part a character', () => {
    fc.assert(
      fc.property(TEXT, fc.integer({ min: 20, max: 60 }), (text, most) => {
        const whole = new Set([...new Intl.Segmenter().segment(text)].map(({ index }) => index))
        for (const { start } of splitText(text, most)) expect(whole.has(start)).toBe(true)
      }),
    )
  })

  test.each(['👨‍👩‍👧', '🇩🇪', '👍🏽', 'q\u0323\u0307'])(
    'never part %s, in the first of them or in any later one',
    (character) => {
      const cut = pieces(character.repeat(400), 20)
      expect(cut.length).toBeGreaterThan(3)
      for (const piece of cut) expect(piece.replaceAll(character, '')).toBe('')
    },
  )

  test.each([
    ['paragraphs', 'The two three four.\n\nFive six seven eight.', ['The two three four.', 'Five six seven eight.']],
    ['lines', 'the two three four\nfive six seven eight', ['the two three four', 'five six seven eight']],
    ['sentences', 'The "two three." Four five six.', ['The "two three."', 'Four five six.']],
    ['words', 'the two three four five six', ['the two three', 'four five six']],
    ['stops of CJK', '東京は首都。大阪は街。', ['東京は首都。', '大阪は街。']],
  ])('end at %s', (_, text, expected) => {
    expect(pieces(text, 6.5)).toEqual(expected)
  })

  test('are one for a short text and none for a blank one', () => {
    expect(pieces('  A short text.\n\nOf two paragraphs. ', 200)).toEqual(['A short text.\n\nOf two paragraphs.'])
    expect(pieces(' \n ', 200)).toEqual([])
    expect(pieces('', 200)).toEqual([])
  })

  test('are of like size, none with a few words alone', () => {
    const sizes = pieces('the word '.repeat(90), 200).map((piece) => piece.length)
    expect(sizes).toHaveLength(2)
    expect(Math.min(...sizes)).toBeGreaterThan(400)
  })

  test('cost the same with accents as characters of their own', () => {
    const text = 'Žluťoučký kůň úpěl ďábelské ódy. '.repeat(40)
    const apart = pieces(text.normalize('NFD'), 200).map((piece) => piece.normalize('NFC'))
    expect(apart).toEqual(pieces(text, 200))
  })

  // Work far from linear would run into the test's timeout.
  test.each(['a', 'word ', '\n', 'a\u0301', '👨‍👩‍👧', '東'])(
    'of half a million characters are made in one pass: %j',
    (unit) => {
      const text = unit.repeat(500_000 / unit.length)
      expect(splitText(text, 200).at(-1)?.end ?? 0).toBe(text.trimEnd().length)
    },
  )
})
