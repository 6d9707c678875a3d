import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ODD_TEXT } from '../../test/search/odd-text.ts'
import { block } from '../model/injected.ts'
import { type Analyzer, englishAnalyzer, loadAnalyzer } from '../search/analyzer.ts'
import { parseQuery } from '../search/query.ts'
import { type AutoQueryOptions, autoQuery } from './auto-query.ts'

const analyzer = englishAnalyzer()

function queryOf(message: string, options: Partial<AutoQueryOptions> = {}): string {
  return autoQuery(message, { analyzer, words: 8, toTheLetter: false, documentsWith: () => 1, ...options })
}

describe('the first words that count', () => {
  it.each([
    ['one two three four five six seven eight nine ten', 'two three four five six seven eight nine'],
    ['Hi, good morning', ''],
    ['Hi, good morning! Could you please tell me when the boiler was serviced?', 'tell boiler serviced'],
    ['Hey there, thanks. How do I deploy the website to staging?', 'deploy website staging'],
    ['How are you doing today?', 'today'],
    ["What's the name of my dog? Thank you!", 'name dog'],
    ['ok', ''],
    ['Who are you?', ''],
    ['   \n\t ', ''],
    ['', ''],
    ['My hello world program fails', 'hello world program fails'],
    ['A good plan for the morning', 'good plan morning'],
    ['Does IT know?', 'IT know'],
    ['boilers AND pumps, NOT valves', 'boilers pumps valves'],
    ['WHO IS IT', ''],
    ["Melanie's birthday isn't today", 'Melanie birthday today'],
    ['Compare C++, .NET and node.js v1.2', 'Compare C++ .NET node.js v1.2'],
    ['👍', ''],
    ['🎉🎉 the party was great 🎉', 'party great'],
  ])('of %j are %j', (message, query) => {
    expect(queryOf(message)).toBe(query)
  })

  it.each([
    ['a phrase', 'find "blue house" today', 'find blue house today'],
    ['curly quotes', 'the \u201cblue house\u201d \u201efoo\u201d \uff02bar\uff02', 'blue house foo bar'],
    ['a prefix', 'deploy* all of it*', 'deploy'],
    ['an exclusion', 'rollback -deploy -"blue house"', 'rollback deploy blue house'],
    ['options of a command', 'run git push --force -f -O2', 'run git push force f O2'],
    ['brackets', '(-foo) [*bar*] {"baz"}', 'foo bar baz'],
  ])('never mean the syntax of a query: %s', (_, message, query) => {
    expect(queryOf(message)).toBe(query)
    expect(parseQuery(query, analyzer)).toMatchObject({ phrases: [], prefixes: [], not: [] })
  })

  it.each([
    ['en', 'hallo, guten Morgen, grüß dich', 'gruß dich'],
    ['de', 'Hallo, guten Morgen! Wann wurde die Heizung gewartet?', 'Heizung gewartet'],
    ['fr', "Bonjour, quand est-ce que la chaudière a été révisée, s'il vous plaît ?", 'est-ce chaudière révisée'],
    ['es', 'Hola, buenos días. ¿Dónde vive mi hermana, por favor?', 'vive hermana'],
    ['ru', 'Здравствуйте! Как зовут мою собаку? Спасибо', 'зовут мою собаку'],
    ['ar', 'السلام عليكم، متى موعد الطبيب', 'متى موعد الطبيب'],
  ])('in %s: of %j are %j', async (language, message, query) => {
    const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}|ß/gu, '')
    expect(folded(queryOf(message, { analyzer: await loadAnalyzer(language) }))).toBe(folded(query))
  })

  it('are pairs of characters where words are not parted, two characters to a word', () => {
    expect(queryOf('你好，我昨天去了东京塔')).toBe('我昨天去了东京塔')
    expect(queryOf('こんにちは。東京タワーはどこ', { words: 2 })).toBe('東京タワ')
    expect(queryOf('一二三四五六七八九十甲乙丙丁戊己庚辛')).toBe('一二三四五六七八九十甲乙丙丁戊己')
    expect(queryOf('你好')).toBe('')
  })

  it('leave out fenced code, long keys and the questions of an address, unless there is nothing else', () => {
    expect(queryOf('Why does this fail?\n```js\nconst x = getUserById(1)\n```\nOn staging only.')).toBe('fail staging')
    expect(queryOf('```js\ngetUserById\n```')).toBe('getUserById')
    expect(queryOf(`Use ${'k'.repeat(65)} for staging`)).toBe('Use staging')
    expect(queryOf('k'.repeat(65))).toBe('k'.repeat(64))
    expect(queryOf('See https://www.example.com/docs/setup?utm_source=a&id=7#top please')).toBe(
      'See example.com/docs/setup',
    )
  })

  it('leave out the blocks that we injected', () => {
    expect(queryOf(`${block('recall', 'the boiler and the lantern')}\n\nWhere is my violin?`)).toBe('violin')
    expect(queryOf(block('memory', 'the boiler'))).toBe('')
  })
})

describe('to the letter', () => {
  it.each([
    ['Hi, good morning! Could you tell me when it was?', 'Hi good morning Could you tell me when'],
    ['one  two\nthree', 'one two three'],
    ['-not "a phrase" prefix* of it', 'not a phrase prefix of it'],
    ['- - - - - - - - nine', ''],
    ['', ''],
  ])('the first words as they are: of %j are %j', (message, query) => {
    expect(queryOf(message, { toTheLetter: true })).toBe(query)
  })
})

describe('all', () => {
  const counts: Readonly<Record<string, number>> = { boiler: 2, hous: 90, servic: 5, plumber: 1, deploy: 3 }
  const documentsWith = (term: string): number => counts[term] ?? 0

  it('takes what stands in the index, in the order of the message, and repeats what is said again', () => {
    const message = 'Hi! The boiler of the house, serviced by the plumber or a wizard: the boiler "deploys" -nothing'
    expect(queryOf(message, { words: 'all', documentsWith })).toBe('boiler house serviced plumber boiler deploys')
    expect(queryOf('a wizard', { words: 'all', documentsWith })).toBe('')
  })

  it('takes the rarest where there are more, each a few times at most', () => {
    const words = Array.from({ length: 40 }, (_, n) => `w${String.fromCharCode(97 + (n % 26))}${n < 26 ? 'k' : 'x'}o`)
    const places = new Map(words.map((word, n) => [word, n + 1]))
    const rare = queryOf(words.toReversed().join(' '), { words: 'all', documentsWith: (term) => places.get(term) ?? 0 })
    expect(rare.split(' ')).toEqual(words.slice(0, 24).toReversed())
    expect(queryOf(`${'boiler '.repeat(5000)}plumber`, { words: 'all', documentsWith })).toBe(
      `${'boiler '.repeat(6)}plumber`,
    )
  })

  it('counts a compound by the rarest of its parts', () => {
    expect(queryOf('see boiler-house', { words: 'all', documentsWith })).toBe('boiler-house')
  })
})

describe('any message', () => {
  const messages = fc.oneof(
    ODD_TEXT,
    fc.array(fc.constantFrom(...'"“*-a bc -d* 東京 都 ` \n ```'), { maxLength: 60 }).map((parts) => parts.join('')),
  )
  const options = fc.record({ words: fc.constantFrom<number | 'all'>(1, 8, 'all'), toTheLetter: fc.boolean() })

  it('gives a query without phrases, stars and exclusions, with words of the message only', () => {
    fc.assert(
      fc.property(messages, options, (message, { words, toTheLetter }) => {
        const query = queryOf(message, { words, toTheLetter })
        const read = parseQuery(query, analyzer)
        expect([read.phrases, read.not]).toEqual([[], []])
        // One character alone of a script that is indexed in pairs is found where it begins one.
        expect(read.prefixes.filter(({ text }) => text.endsWith('*'))).toEqual([])
        for (const word of read.words) expect(message).toContain(word.text)
      }),
      { numRuns: 300 },
    )
  })

  it('of half a megabyte is short, and made of no more than its head', () => {
    const length = 500_000
    const hostile = [
      'x'.repeat(length),
      'the '.repeat(length / 4),
      'boiler '.repeat(length / 7),
      '京'.repeat(length),
      '```\n'.repeat(length / 4),
      '"*- '.repeat(length / 4),
      'hello '.repeat(length / 6),
      '\u0301'.repeat(length),
      'a.'.repeat(length / 2),
      'https://a'.repeat(length / 9),
      'مرحبا بك '.repeat(length / 9),
      '🎉'.repeat(length / 2),
    ]
    for (const message of hostile) {
      let characters = 0
      const counting: Analyzer = {
        ...analyzer,
        tokens: (text, found) => {
          characters += text.length
          analyzer.tokens(text, found)
        },
      }
      expect(queryOf(message, { analyzer: counting }).length).toBeLessThan(20_000)
      // Once without its code, and once with it.
      expect(characters).toBeLessThanOrEqual(200_001)
      expect(queryOf(message, { toTheLetter: true }).length).toBeLessThan(100_000)
    }
    for (const message of hostile.slice(2, 4)) expect(queryOf(message, { words: 'all' }).length).toBeLessThan(20_000)
  })
})
