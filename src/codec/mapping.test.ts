import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isNightly } from '../../test/tier.ts'
import { BrokenText, type ParseYaml } from './file-entry.ts'
import { parseMapping, readMapping } from './mapping.ts'

const yaml: ParseYaml = (text) => parse(text, { logLevel: 'error' })
const noYaml: ParseYaml = (text) => {
  throw new Error(`the library was called for ${text}`)
}

// Pieces of YAML, right and wrong, ours and other people's.
const KEYS = [
  'name',
  'tags',
  'a b',
  '"q: k"',
  "'it''s'",
  'true',
  '1',
  '"1"',
  'null',
  '0x10',
  'ключ',
  '__proto__',
  '? x',
  '<<',
  '&a k',
  '{x',
  '- i',
  '\uFEFFb',
  '%Y',
  '--- d',
  'a#b',
  'a #b',
]
const VALUES = [
  '',
  'text',
  'two words',
  "it's",
  'a: b',
  'a:b',
  'x # c',
  'x# c',
  '# c',
  '"quoted"',
  '"q" # c',
  '"a\\u0041\\n"',
  '"a\\x41"',
  "'single'",
  '"open',
  "'open",
  'true',
  'True',
  'yes',
  'null',
  '~',
  '0',
  '-0',
  '1',
  '-1.50',
  '1e3',
  '1E400',
  '123456789012345678901',
  '0x1F',
  '0o17',
  '017',
  '1_000',
  '12:30',
  '.5',
  '.inf',
  '-.nan',
  '+1',
  '2026-11-15',
  '2026-11-15T14:03:00.000Z',
  '2026-11-15 14:03',
  '1.2.3',
  '3 apples',
  '[]',
  '[a, b]',
  '[a,b]',
  '[ a ]',
  '[a, "b: c"]',
  '["a","b"]',
  '[1, 2]',
  '[1,2]',
  '[a, b',
  '[a: b]',
  '[a, , b]',
  '[a,]',
  '[a, a]',
  '[true, no]',
  '[a b, c#d]',
  '{}',
  '{"a":1}',
  '{"a":1,"a":2}',
  '{"a": 1}',
  '{a: 1}',
  '{"b":[{"c":null}]}',
  '{"1":1,"0":2}',
  '{"__proto__":1}',
  '|',
  '>-',
  '|+',
  '&x 1',
  '*x',
  '!!str 1',
  '!!set {a, b}',
  '@at',
  '`tick',
  '%p',
  '- item',
  '-',
  '?',
  ':',
  ': x',
  '\u0085',
  'a\u2028b',
  '"a\u2028b"',
  '\u00a0',
  'tab\there',
  '\ttab',
  'end\t',
]
const indented = fc
  .tuple(
    fc.constantFrom('  ', '  ', '  ', ' ', '    ', '\t'),
    fc.constantFrom('- ', '- ', '', '"k": ', 'k: ', 'j: ', '# '),
    fc.constantFrom(...VALUES),
  )
  .map((parts) => parts.join(''))
const pair = fc
  .tuple(
    fc.constantFrom(...KEYS),
    fc.constantFrom(': ', ': ', ': ', ':', ':  ', ' : ', ':\t'),
    fc.constantFrom(...VALUES),
  )
  .map((parts) => parts.join(''))
const soup = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 4, arbitrary: pair },
        { weight: 3, arbitrary: indented },
        fc.constantFrom('', '# comment', '   ', '- x', ']', '}', '...', 'junk', '\t', '\uFEFF'),
      ),
      fc.constantFrom('\n', '\n', '\n', '\n', '\n', '\r\n', '\r', ' \n'),
    ),
    { maxLength: 6 },
  )
  .map((lines) => lines.map((line) => line.join('')).join(''))

const RUNS = isNightly ? 8000 : 400

describe('a mapping', () => {
  test('has the values that the YAML library reads, however it was read', () => {
    const styles = new Map<string, number>()
    fc.assert(
      fc.property(
        fc.oneof(
          soup,
          fc.string({ unit: 'binary' }),
          pair,
          indented.map((line) => `k:\n${line}\n`),
        ),
        (text) => {
          const ours = attempt(() => readMapping(text, yaml, 1))
          if (ours instanceof BrokenText) return
          styles.set(ours.style, (styles.get(ours.style) ?? 0) + 1)
          const theirs: unknown = yaml(text) ?? {}
          expect(isDeepStrictEqual(Object.fromEntries(ours.values), theirs), JSON.stringify(text)).toBe(true)
        },
      ),
      { numRuns: RUNS },
    )
    // The test is worth nothing if one of the ways is never taken.
    for (const style of ['own', 'foreign', 'opaque']) expect(styles.get(style)).toBeGreaterThan(RUNS / 80)
  })

  test.each([
    [
      'a: 1\nb:\n  - x\n  - "y: z"\nc:\n  k: true\n  "l m": [a, b]\n',
      { a: 1, b: ['x', 'y: z'], c: { k: true, 'l m': ['a', 'b'] } },
    ],
    [
      "# comment\n\nname: It's 5 o'clock, https://x.y/?a#b\n\nwhen: 2026-11-15\n",
      { name: "It's 5 o'clock, https://x.y/?a#b", when: '2026-11-15' },
    ],
    ['a: "x"\r\nb:\r\n', { a: 'x', b: null }],
    ['\uFEFFformat: 1', { format: 1 }],
    ['', {}],
  ])('of the simple kind needs no library: %j', (text, values) => {
    expect(parseMapping(text, noYaml)).toEqual(values)
    expect(parseMapping(text, yaml)).toEqual(values)
  })

  test('lets the library see only what needs it, at its line', () => {
    const seen: string[] = []
    const spy: ParseYaml = (text) => {
      seen.push(text)
      return yaml(text)
    }
    expect(parseMapping('a: 1\nb:\n  - x\n# about c\nc: |\n  two\n  lines\nd: 4\n', spy)).toEqual({
      a: 1,
      b: ['x'],
      c: 'two\nlines\n',
      d: 4,
    })
    expect(seen).toEqual(['#\n#\n#\n# about c\nc: |\n  two\n  lines\n#\n'])
  })

  test.each([
    ['a: 1\na: 2\n', /"a" stands here twice/, 2],
    ['a: 1\n"a": 2\n', /"a" stands here twice/, 2],
    ["a: 1\n'a': 2\n", /"a" stands here twice/, 2],
    ['1: x\n"1": y\n', /"1" stands here twice/, 2],
    ['a: !!x 1\nb: !!x 1\na: !!x 2\n', /unique/, 3],
    ['ok: 1\nbad: [1\nok2: 1\n', /not YAML/, 2],
    ['ok: 1\nbad: "x\n', /not YAML/, 2],
    ['just text\n', /not a mapping/, 1],
    ['- a\n- b\n', /not a mapping/, 1],
    ['!!set {a, b}\n', /not a mapping/, 1],
    ['a: 1\n...\nb: 2\n', /not YAML/, undefined],
    ['a: 1\n--- b: 2\n', /not YAML/, undefined],
    ['a: *gone\n', /not YAML/, undefined],
  ])('that is none says why and where: %j', (text, problem, line) => {
    const error = attempt(() => readMapping(text, yaml, 1))
    expect(error).toBeInstanceOf(BrokenText)
    expect(error).toMatchObject({ problem: expect.stringMatching(problem) })
    if (line !== undefined) expect(error).toMatchObject({ line })
  })

  // Parsing these instead of refusing them would exceed the test's timeout.
  test('refuses a bomb, a tower and a flood', () => {
    let bomb = 'a0: &a0 [x, x, x, x, x, x, x, x, x]\n'
    for (let n = 1; n < 12; n++) bomb += `a${n}: &a${n} [${`*a${n - 1}, `.repeat(9)}]\n`
    for (const text of [
      bomb,
      `a: ${'['.repeat(60_000)}\n`,
      `a: ${'['.repeat(60_000)}${']'.repeat(60_000)}\n`,
      `a: ${'{"a":'.repeat(20_000)}\n`,
      `a: ["${']'.repeat(90_000)}",${'['.repeat(90_000)}${']'.repeat(90_001)}\n`,
      `a: '\n${'  x\n'.repeat(150_000)}`,
      `${'? '.repeat(300_000)}\n`,
    ]) {
      expect(() => readMapping(text, yaml, 1)).toThrow(BrokenText)
    }
  })

  // Work far from linear would run into the test's timeout.
  test('reads a very large one of ours in one pass', () => {
    const lines = Array.from({ length: 300_000 }, (_, n) => `key${n}: value ${n}\n`).join('')
    expect(readMapping(lines, noYaml, 1).values.size).toBe(300_000)
  })
})

function attempt<T>(run: () => T): T | BrokenText {
  try {
    return run()
  } catch (error) {
    if (error instanceof BrokenText) return error
    throw error
  }
}

describe('a mapping that is nested too deeply', () => {
  test.each([
    ['brackets', `a: ${'['.repeat(5000)}`],
    ['braces that are closed again', `a: ${'{a: '.repeat(500)}x${'}'.repeat(500)}`],
    ['dashes', `a:\n  ${'- '.repeat(500)}x`],
    ['question marks', `${'? '.repeat(500)}x`],
    ['blanks', Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}k:`).join('\n')],
  ])('is refused before the library sees it: %s', (_, text) => {
    const seen: string[] = []
    const read = (): unknown => parseMapping(`${text}\n`, (given) => seen.push(given))
    expect(read).toThrow(/nested too deeply/)
    expect(seen).toEqual([])
  })

  test('may be as deep as people write', () => {
    const text = 'a: {b: {c: [1, {d: 2}]}}\n'
    expect(parseMapping(text, yaml)).toEqual({ a: { b: { c: [1, { d: 2 }] } } })
  })
})
