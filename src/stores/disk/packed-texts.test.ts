import { expect, test } from 'vitest'
import { packTexts, textAt, textsBetween } from './packed-texts.ts'

test.each([
  ['characters of one byte', ['a/one.md', '', 'b,c', 'z']],
  ['others', ['a/é.md', 'one', '', '→😀', 'z']],
  ['none at all', []],
])('of %s, any that follow each other are what they are one by one', (_, texts) => {
  const packed = packTexts(texts)
  for (let from = 0; from <= texts.length; from++) {
    for (let to = from; to <= texts.length; to++) {
      const textOf = textsBetween(packed, from, to)
      for (let row = from; row < to; row++) expect([textOf(row), textAt(packed, row)]).toEqual([texts[row], texts[row]])
    }
  }
})
