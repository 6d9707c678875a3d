import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidError } from '../errors.ts'
import { keepableText, normalizeContent, normalizeDescription, normalizeText, stripFinalNewlines } from './content.ts'

describe('normalizeContent', () => {
  it.each([
    ['text', 'text'],
    ['text\n', 'text'],
    ['text\r\n\n\r', 'text'],
    ['\n\ntext', '\n\ntext'],
    ['  text  ', '  text  '],
    ['a\r\nb', 'a\r\nb'],
    ['e\u0301', 'e\u0301'],
    ['\ufefftext', '\ufefftext'],
    ['---\n## 12:00\n</memory>', '---\n## 12:00\n</memory>'],
    ['a\u2028', 'a\u2028'],
  ])('keeps %j as %j', (given, kept) => {
    expect(normalizeContent(given)).toBe(kept)
  })

  it.each(['', ' ', '\n', '\t \r\n', '\u00a0\u3000', 'a\0', '\ud800', 'a\udc00b', 7, null, undefined, ['a']])(
    'refuses %j, naming the field',
    (given) => {
      expect(() => normalizeContent(given, 'summary')).toThrow(InvalidError)
      expect(() => normalizeContent(given, 'summary')).toThrow(/^summary: /)
    },
  )

  it('takes off only line ends, and takes what it gave for what it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\n', '\r', ' ', 'a', '\u2028', '🎉', '-') }), (text) => {
        const kept = normalizeText(text, 'content')
        expect(normalizeText(kept, 'content')).toBe(kept)
        expect(text.startsWith(kept)).toBe(true)
        expect(text.slice(kept.length)).toMatch(/^[\r\n]*$/)
      }),
      { numRuns: 500, seed: 1 },
    )
  })
})

describe('normalizeText', () => {
  it('may be blank, since a memory can be erased on purpose', () => {
    expect(normalizeText('', 'content')).toBe('')
    expect(normalizeText('\n', 'content')).toBe('')
  })
})

describe('keepableText', () => {
  it('replaces what no entry can keep, and nothing else', () => {
    expect(keepableText('a\0b\ud800c\udc00 \u{1F408}\r\n\u001b')).toBe('a\ufffdb\ufffdc\ufffd \u{1F408}\r\n\u001b')
  })
})

describe('normalizeDescription', () => {
  it.each([
    [undefined, ''],
    [null, ''],
    ['', ''],
    ['  how we ship ', 'how we ship'],
    ['two\nlines', 'two lines'],
    ['two\r\n\r\nlines\n', 'two lines'],
    ['Cafe\u0301', 'Caf\u00e9'],
  ])('makes %j to %j', (given, line) => {
    expect(normalizeDescription(given)).toBe(line)
  })

  it.each([7, {}, 'a\0', '\ud800'])('refuses %j', (given) => {
    expect(() => normalizeDescription(given)).toThrow(/^description: /)
  })
})

describe('stripFinalNewlines', () => {
  it('is fast on a text that is all line ends', () => {
    expect(stripFinalNewlines('\n'.repeat(1_000_000))).toBe('')
  })
})
