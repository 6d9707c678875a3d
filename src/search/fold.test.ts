import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from './fold.ts'

describe('fold', () => {
  it.each([
    ['Deploy', 'deploy'],
    ['ÉCOLE', 'ecole'],
    ['e\u0301cole', 'ecole'],
    ['ﬁnance', 'finance'],
    ['İstanbul', 'istanbul'],
    ['ısı', 'isi'],
    ['Straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['Ærøskøbing', 'aeroskobing'],
    ['Łódź', 'lodz'],
    ['Đà Nẵng', 'da nang'],
    ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
    ['Ёлка', 'елка'],
    ['ＡＢＣ１２３', 'abc123'],
    ['㎏', 'kg'],
    ['x²', 'x2'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['كتـــاب', 'كتاب'],
    ['don\u2019t', 'dont'],
    ['co\u00adoperate', 'cooperate'],
    ['می\u200cخواهم', 'میخواهم'],
    ['1\ufe0f\u20e3', '1'],
  ])('makes %s %s', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  it.each([
    ['the vowel signs and virama of Hindi', 'हिन्दी'],
    ['the tone marks of Thai', 'น้ำ'.normalize('NFKC')],
    ['the sound mark of Kana', 'が'],
  ])('keeps %s', (_, text) => {
    expect(fold(text)).toBe(text)
  })

  it.each([
    ['か\u3099', 'が'],
    ['ｶﾞ', 'ガ'],
    ['\u1112\u1161\u11ab', '한'],
  ])('composes %s to %s', (text, composed) => {
    expect(fold(text)).toBe(composed)
  })

  it('has nothing left to do on what it has folded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(fold(fold(text))).toBe(fold(text))
      }),
      { numRuns: 3000 },
    )
  })
})
