/** Texts that tokenizers stumble over, for properties: every script, joiners, marks, half characters, syntax of queries. */
import fc from 'fast-check'

const PIECES = [
  ...['a', 'Z', 'ab', 'the', 'Deploy', 'getUserById', 'HTTP', 's', '7', '2026', 'don', 'T'],
  ...[' ', ' ', '\n', '\t', '\u00a0', '\u3000', '\0'],
  ...[
    '-',
    '--',
    '_',
    '.',
    '..',
    '/',
    '\\',
    '@',
    ':',
    '&',
    '+',
    '++',
    '#',
    "'",
    '\u2019',
    '\u2010',
    '"',
    '\u201c',
    '*',
    '(',
  ],
  ...['é', 'e\u0301', 'ß', 'İ', 'ı', 'ﬁ', 'ﷺ', 'ς', 'Ⅳ', '½', '㎏', 'Ａ', '™', 'ـ'],
  ...['東', '京都', 'が', 'か\u3099', 'ｶﾞ', 'ー', '한', '국어', '\u1112', '\u1161', '\u11ab', 'ก', 'น้ำ', 'ខ្មែរ', '𠀀'],
  ...[
    'हि',
    'ن',
    '\u064e',
    'א',
    'Ж',
    '𐐨',
    '🚀',
    '👍🏽',
    '🇩🇪',
    '\u200d',
    '\u200b',
    '\u00ad',
    '\ufe0f',
    '\u0301',
    '\ufeff',
  ],
  ...['\ud800', '\udc00', '\udbff', '\uffff', '\u{10ffff}', 'x'.repeat(70), '\u0301'.repeat(70), 'a-'.repeat(40)],
]

const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })

export const ODD_TEXT: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join('')), weight: 4 },
  { arbitrary: units.map((codes) => String.fromCharCode(...codes)), weight: 1 },
  { arbitrary: fc.string({ unit: 'binary' }), weight: 1 },
)
