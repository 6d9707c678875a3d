import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isNightly } from '../../test/tier.ts'
import { inlineText, jsonText, keyText, pairLines, stringListText } from './yaml-write.ts'

const LOOKALIKES = [
  '',
  ' ',
  '~',
  'null',
  'Null',
  'yes',
  'No',
  'ON',
  'off',
  'y',
  'N',
  'true',
  'FALSE',
  '0',
  '-1',
  '+1',
  '1.5',
  '.5',
  '1e3',
  'e0',
  '0x1f',
  '0o7',
  '0b1',
  '017',
  '1_000',
  '12:30',
  '190:20:30',
  '.inf',
  '-.INF',
  '.nan',
  '1.2.3',
  '1,000',
  '2026-11-15',
  '2026-11-15T14:03:00.000Z',
  '2001-12-14 21:59:43.10 -5',
  '<<',
  '=',
  '-',
  '- a',
  '?',
  '? a',
  ':',
  'a:',
  'a: b',
  'a :b',
  'a #b',
  '#a',
  '&a',
  '*a',
  '!a',
  '|',
  '>',
  '%a',
  '@a',
  '`a',
  '"a"',
  "'a'",
  '[a]',
  '{a}',
  ',a',
  ' a',
  'a ',
  '\u00a0a',
  'a\tb',
  'a\nb',
  'a\u2028b',
  '\u0085',
  '\uFEFF',
  '\u0007',
  '---',
  '...',
  '--- a',
  '\uFFFE',
  '__proto__',
]
const text = fc.oneof(
  fc.constantFrom(...LOOKALIKES),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'0123456789abefox._:-+,TZ ntrueyso#~'), maxLength: 8 }),
)

describe('a written string', () => {
  test.each(['1.1', '1.2'] as const)('is that string to a reader of YAML %s, as value, item and key', (version) => {
    fc.assert(
      fc.property(text, (value) => {
        const options = { version, logLevel: 'error' } as const
        expect(parse(`k: ${inlineText(value)}\n`, options)).toStrictEqual({ k: value })
        expect(parse(`k: ${stringListText([value, value])}\n`, options)).toStrictEqual({ k: [value, value] })
        const keyed: unknown = parse(`k:\n  ${keyText(value)}: 1\n`, options)
        expect(JSON.stringify(keyed)).toBe(JSON.stringify({ k: Object.fromEntries([[value, 1]]) }))
      }),
      { numRuns: isNightly ? 10_000 : 600 },
    )
  })

  test('hides nothing and breaks no line', () => {
    fc.assert(
      fc.property(text, (value) => {
        for (const written of [inlineText(value), jsonText({ [value]: value }), keyText(value)]) {
          expect(written).not.toMatch(/[\p{Cc}\u2028\u2029\uFEFF]/u)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['Deploys', 'Deploys'],
    ["It's 5 o'clock, C++ (mostly)", "It's 5 o'clock, C++ (mostly)"],
    ['https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'],
    ['3 apples', '3 apples'],
    ['naïve 日本語 🙂', 'naïve 日本語 🙂'],
    ['0190c5e2-7b1a-7c3d-8e4f-0123456789ab', '0190c5e2-7b1a-7c3d-8e4f-0123456789ab'],
    ['2024', '"2024"'],
    ['a: b', '"a: b"'],
    ['a\u2028b', '"a\\u2028b"'],
  ])('has quotes only where it needs them: %s', (value, written) => {
    expect(inlineText(value)).toBe(written)
  })
})

test('a list that fits stands on one line, a longer one has a line an item', () => {
  expect(pairLines('aliases', ['a', 'b: c'])).toEqual(['aliases: [a, "b: c"]'])
  const long = Array.from({ length: 12 }, (_, n) => `alias number ${n}`)
  expect(pairLines('aliases', long)).toEqual(['aliases:', ...long.map((alias) => `  - ${alias}`)])
})

test('metadata has a line a key, deeper values as JSON on it', () => {
  expect(pairLines('metadata', { source: 'web', 'a: b': 1, tags: ['x', 'z'], deep: { list: [1, null] } })).toEqual([
    'metadata:',
    '  source: web',
    '  "a: b": 1',
    '  tags: [x, z]',
    '  deep: {"list":[1,null]}',
  ])
})

test('metadata with a key too long for YAML to find its colon stands on one line', () => {
  const key = 'k'.repeat(2000)
  const [line = '', ...rest] = pairLines('metadata', { [key]: 1 })
  expect(rest).toEqual([])
  expect(parse(line)).toEqual({ metadata: { [key]: 1 } })
})

test('times of ours stand bare, times in metadata in quotes', () => {
  const at = '2026-11-15T14:03:00.000Z'
  expect(pairLines('created', at)).toEqual([`created: ${at}`])
  expect(pairLines('metadata', { at })).toEqual(['metadata:', `  at: "${at}"`])
})
