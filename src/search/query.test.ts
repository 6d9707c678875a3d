import { describe, expect, it } from 'vitest'
import { englishAnalyzer, loadAnalyzer } from './analyzer.ts'
import { parseQuery, type Query } from './query.ts'

const english = englishAnalyzer()

/** A query in one line: words with their weights where they are not 1, "phrases", prefixes*, -exclusions, (ignored). */
function summary(query: Query): string {
  const one = (part: Query['not'][number]) => {
    if (part.type === 'phrase') return `"${part.terms.join(' ')}"`
    if (part.type === 'prefix') return part.prefix === part.term ? `${part.prefix}*` : `${part.prefix}*|${part.term}`
    return part.weight === 1 ? part.term : `${part.term}:${Number(part.weight.toFixed(3))}`
  }
  return [
    ...[...query.words, ...query.phrases, ...query.prefixes].map(one),
    ...query.not.map((part) => `-${one(part)}`),
    ...query.ignored.map((word) => `(${word})`),
  ].join(' ')
}

function read(text: string): string {
  return summary(parseQuery(text, english))
}

describe('words', () => {
  it.each([
    ['smoke tests', 'smoke test'],
    ['test tests testing', 'test:3'],
    ['when do we deploy', 'deploy (when) (do) (we)'],
    ["What's the plan? Don't tell.", "plan tell (What) (the) (Don't)"],
    ['to be or not to be', 'to:2 be:2 or not'],
    ['The Who', 'the who'],
    ['the IT department', 'it depart (the)'],
    ['WHO guidelines', 'who guidelin'],
    ['cats AND dogs NOT birds', 'cat dog bird (AND) (NOT)'],
    ['WHAT IS THE PLAN', 'plan (WHAT) (IS) (THE)'],
    ['', ''],
    ['  ?! … ', ''],
  ])('%j is %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })
})

describe('compounds: the whole and its parts weigh 1.5 together', () => {
  it.each([
    ['getUserName', 'getusernam:0.5 get:0.333 user:0.333 name:0.333'],
    ['getUserById', 'getuserbyid:0.5 get:0.333 user:0.333 id:0.333'],
    ['long-term memory', 'longterm:0.5 long:0.5 term:0.5 memori'],
    ['C++', 'c++ c:0.5'],
    ['.NET', '.net net:0.5'],
    ['to-do list', 'todo list'],
    ['e-mail email', 'email:1.5 e:0.5 mail:0.5'],
  ])('%j is %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })
})

describe('phrases', () => {
  it.each([
    ['"smoke tests"', 'smoke test "smoke test"'],
    ['deploy "smoke tests" now', 'deploy smoke test now "smoke test"'],
    ['"the who" concert', 'concert "the who"'],
    ['"the who"', 'the who "the who"'],
    ['\u201csmart quotes\u201d', 'smart quot "smart quot"'],
    ['("smoke tests")', 'smoke test "smoke test"'],
    ['"a b" "a b" x', 'b:2 x "a b"'],
    ['"东京都"', '东京 京都 "东京 京都"'],
    ['"never closed', 'never close'],
    ['"never closed -x deploy*', 'never close deploy* -x'],
    ['-"never closed', 'never close'],
    ['5" pipe, 3" pipe', '5 pipe:2 3'],
    ['"" "  " "!" x', 'x'],
    ['"', ''],
  ])('%j is %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it.each([['who wrote the book "The Lean Startup" for Jon'], ['what is "Little Women" about according to Joanna']])(
    'does not insist on quotes in a sentence: %s',
    (text) => {
      const query = parseQuery(text, english)
      expect(query.phrases).toEqual([])
      expect(query.words.length).toBeGreaterThanOrEqual(4)
    },
  )

  it.each(['C++ "smoke tests" deploy*', '"smoke tests" deploy', 'when are the "smoke tests"', '"the lean startup"'])(
    'insists on quotes among words: %s',
    (text) => {
      expect(parseQuery(text, english).phrases).toHaveLength(1)
    },
  )

  it('takes a phrase of more than 64 tokens for text', () => {
    const query = parseQuery(`"${'word '.repeat(65)}"`, english)
    expect(query.phrases).toEqual([])
    expect(query.words).toMatchObject([{ term: 'word', weight: 65 }])
  })
})

describe('prefixes', () => {
  it.each([
    ['deploy*', 'deploy*'],
    ['deployments*', 'deployments*|deploy'],
    ['Éco*', 'eco*'],
    ['(deploy*).', 'deploy*'],
    ['the*', 'the*'],
    ['getUser*', 'getuser*|getus'],
    ['foo.bar*', 'foo.bar*'],
    ['foo,bar*', 'foo bar*'],
    ['东京*', '东京'],
    ['**bold** *soft*', 'bold soft'],
    ['src/*.ts 2*3 a ** *', 'src ts 2 3 (a)'],
    ['src/*', 'src'],
  ])('%j is %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it('finds a single ideograph where it begins a pair', () => {
    expect(read('东')).toBe('东*')
    expect(read('x -东')).toBe('x -东*')
    expect(read('"东" x')).toBe('x 东*')
    expect(read('x -"东"')).toBe('x -东*')
  })
})

describe('exclusions', () => {
  it.each([
    ['x -bar', 'x -bar'],
    ['x -tests', 'x -test'],
    ['x -tests -test -"a b" -"a b" -pre* -pre*', 'x -test -"a b" -pre*'],
    ['x -foo,bar*', 'x -"foo bar"'],
    ['x -"smoke tests"', 'x -"smoke test"'],
    ['x -pre*', 'x -pre*'],
    ['x -node.js', 'x -node.js'],
    ['x -东京都', 'x -"东京 京都"'],
    ['x -the', 'x -the'],
    ['the -bar', 'the -bar'],
    ['-bar', 'bar'],
    ['-bar -"smoke tests"', 'bar smoke test'],
    ['-bar !!!', 'bar'],
    ['git push --force', 'git push forc'],
    ['gcc -O2 -5 a-b', 'gcc o2 5 ab:0.5 b'],
    ['x - y', 'x y'],
    ['x -', 'x'],
    ['x -- y', 'x y'],
    ['x (-bar)', 'x bar'],
    ['-', ''],
  ])('%j is %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })
})

describe('what was typed', () => {
  it('is kept for each part', () => {
    const query = parseQuery('Deploys "Smoke Tests" serv* -Friday', english)
    expect(query.words.map(({ text }) => text)).toEqual(['Deploys', 'Smoke', 'Tests'])
    expect(query.phrases.map(({ text }) => text)).toEqual(['"Smoke Tests"'])
    expect(query.prefixes.map(({ text }) => text)).toEqual(['serv*'])
    expect(query.not.map(({ text }) => text)).toEqual(['Friday'])
  })
})

describe('limits', () => {
  it('cuts a query beyond 10,000 characters between two words', () => {
    const query = parseQuery(`${'x'.repeat(9_990)} tail beginning`, english)
    expect(query.words.map(({ text }) => text)).toEqual(['x'.repeat(64), 'tail'])
  })

  it('cuts one that has no end of a word, but no character', () => {
    const [first, ...rest] = parseQuery('东'.repeat(20_000), english).words
    expect(first).toMatchObject({ term: '东东', weight: 9_999 })
    expect(rest).toEqual([])
    expect(parseQuery('🚀'.repeat(20_000), english).words).toMatchObject([{ term: '🚀', weight: 5_000 }])
    expect(parseQuery(`x${'🚀'.repeat(20_000)}`, english).words[1]).toMatchObject({ term: '🚀', weight: 4_999 })
  })

  it('takes phrases, prefixes and exclusions beyond the 32nd for text', () => {
    const many = Array.from({ length: 40 }, (_, at) => `-w${String.fromCharCode(97 + (at % 26))}${'x'.repeat(at)}`)
    const query = parseQuery(`yes ${many.join(' ')}`, english)
    expect(query.not).toHaveLength(32)
    expect(query.words).toHaveLength(8)
  })
})

describe('other languages', () => {
  it('drop their own stop words', async () => {
    const german = await loadAnalyzer('de')
    expect(summary(parseQuery('Wann gehen wir über die Straßen?', german))).toBe('geh strass (Wann) (wir) (über) (die)')
    const finnish = await loadAnalyzer('fi')
    expect(parseQuery('ja talo', finnish).ignored).toEqual([])
  })
})
