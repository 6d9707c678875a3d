import { expect, it } from 'vitest'
import { displayWidth, fittingLength, padToWidth } from './display-width.ts'

it.each([
  ['', 0],
  ['plain', 5],
  ['Grüße', 5],
  ['e\u0301a\u0308', 2],
  ['東京', 4],
  ['ｆｕｌｌ', 8],
  ['한국어', 6],
  ['\u1112\u1161\u11ab', 2],
  ['カナ ｶﾅ', 7],
  ['🦀', 2],
  ['👩\u200d💻', 2],
  ['👩🏽\u200d🚀', 2],
  ['❤\ufe0f ❤ ☎ ©', 8],
  ['🇩🇪🇫🇷', 4],
  ['1\ufe0f\u20e3', 2],
  ['🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', 2],
  ['שלום', 4],
  ['می\u200cخواهم', 7],
  ['ไทย กำ', 6],
  ['𠮷', 2],
  ['…·→', 3],
])('%s takes %i columns', (text, columns) => {
  expect(displayWidth(text)).toBe(columns)
})

it('pads by columns', () => {
  expect(padToWidth(6, '東京')).toBe('東京  ')
  expect(padToWidth(2, '東京')).toBe('東京')
})

it.each([
  ['plain', 3, 'pla'],
  ['plain', 9, 'plain'],
  ['東京都', 5, '東京'],
  ['cafe\u0301s', 4, 'cafe\u0301'],
  ['a👩\u200d💻b', 2, 'a'],
  ['a👩\u200d💻b', 3, 'a👩\u200d💻'],
  ['🇩🇪🇫🇷', 3, '🇩🇪'],
])('cuts %s to %i columns between characters', (text, columns, kept) => {
  expect(text.slice(0, fittingLength(columns, text))).toBe(kept)
})
