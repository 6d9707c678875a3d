import { describe, expect, it } from 'vitest'
import { type Analyzer, englishAnalyzer, loadAnalyzer } from './analyzer.ts'

interface Token {
  readonly term: string
  readonly start: number
  readonly end: number
}

const english = englishAnalyzer()

function tokensOf(text: string, analyzer: Analyzer = english): Token[] {
  const tokens: Token[] = []
  analyzer.tokens(text, (term, start, end) => tokens.push({ term, start, end }))
  return tokens
}

function termsOf(text: string): string {
  return tokensOf(text)
    .map(({ term }) => term)
    .join(' ')
}

function surfacesOf(text: string): string[] {
  return tokensOf(text).map(({ start, end }) => text.slice(start, end))
}

describe('words', () => {
  it.each([
    ['When do we deploy the services?', 'when do we deploy the servic'],
    ['Deployments, deploying; deployed!', 'deploy deploy deploy'],
    ["don't can't", 'dont cant'],
    ['Melanie\u2019s dog', 'melani dog'],
    ["we'll they've I'm she'd it's you're", 'we they i she it you'],
    ["the parents' house", 'the parent hous'],
    ["'quoted' rock 'n' roll", 'quot rock n roll'],
    ['résumés resumes', 'resum resum'],
    ['APIs URLs', 'api url'],
    ['U.S.A. e.g. 5 p.m.', 'usa eg 5 pm'],
    ['keepsake™ ©2026', 'keepsak 2026'],
    ['co\u00adoperate', 'cooper'],
    ['a\u200bb', 'a b'],
    ['', ''],
    [' \t\n.,;-_*"\'', ''],
    ['\u0301\u0302', ''],
  ])('%j is %s', (text, terms) => {
    expect(termsOf(text)).toBe(terms)
  })
})

describe('identifiers: the whole, then its parts', () => {
  it.each([
    ['getUserById', 'getuserbyid get user by id'],
    ['snake_case', 'snakecas snake case'],
    ['kebab-case', 'kebabcas kebab case'],
    ['SCREAMING_SNAKE', 'screamingsnak scream snake'],
    ['HTTPServer2', 'httpserver2 http server 2'],
    ['parseHTML5Page', 'parsehtml5page pars html 5 page'],
    ['utf8', 'utf8 utf 8'],
    ['b2b 1st 3pm v2', 'b2b 1st 3pm v2'],
    ['foo.bar.baz', 'foo.bar.baz foo bar baz'],
    ['a/b.ts', 'a/b.ts a b.ts b ts'],
    ['src/search/query-parser.ts', 'src/search/queryparser.ts src search queryparser.ts querypars queri parser ts'],
    ['self.get_user_by_id(x)', 'self.getuserbyid self getuserbyid get user by id x'],
    ['C:\\temp\\a', 'c temp\\a temp a'],
    ['v1.2', 'v1.2 v1 2'],
    ['3.14', '3.14 3 14'],
    ['10:30', '10:30 10 30'],
    ['2026-11-01', '2026-11-01 2026 11 01'],
    ['2026-11-01T10:30Z', '2026-11-01t10:30z 2026-11-01 2026 11 01 10 30z'],
    ['C++ c++17', 'c++ c c 17'],
    ['C#, F#.', 'c# c f# f'],
    ['issue #5 foo#bar', 'issu 5 foo bar'],
    ['.NET and ASP.NET', '.net net and asp.net asp net'],
    ['(.env)', '.env env'],
    ['the end.Next', 'the end.next end next'],
    ['wait...what', 'wait what'],
    ['node.js', 'node.js node js'],
    ['@scope/pkg', 'scope/pkg scope pkg'],
    ['user@host.com', 'user@host.com user host.com host com'],
    ['AT&T', 'at&t at t'],
    ['std::vector a->b --force -x', 'std vector a b forc x'],
    ['https://example.org/a', 'https example.org/a example.org exampl org a'],
    ["O'Brien", 'obrien o brien'],
  ])('%s is %s', (text, terms) => {
    expect(termsOf(text)).toBe(terms)
  })

  it.each([
    ['e-mail', 'email'],
    ['Wi-Fi', 'wifi'],
    ['get_user', 'getUser'],
    ['get-user', 'GetUser'],
    ['log-ins', 'login'],
    ['co\u2010operate', 'cooperate'],
  ])('finds %s and %s by each other', (one, other) => {
    expect(tokensOf(one)[0]?.term).toBe(tokensOf(other)[0]?.term)
  })

  it('says where each stands', () => {
    expect(surfacesOf('in src/getUser.ts')).toEqual([
      ...['in', 'src/getUser.ts', 'src', 'getUser.ts', 'getUser', 'get', 'User', 'ts'],
    ])
    expect(surfacesOf("use .NET, C++, Melanie's")).toEqual(['use', '.NET', 'NET', 'C++', 'C', 'Melanie'])
  })
})

describe('scripts', () => {
  it.each([
    ['Chinese', '东京都 人', '东京 京都 人'],
    ['Japanese', '東京に行く。', '東京 京に に行 行く'],
    ['Katakana', 'サーバー', 'サー ーバ バー'],
    ['half-width Katakana', 'ｶﾞｷﾞｸﾞ', 'ガギ ギグ'],
    ['Kana with a combining sound mark', 'か\u3099く', 'がく'],
    ['ideographs of plane 2', '𠀀𠀁𠀂', '𠀀𠀁 𠀁𠀂'],
    ['Korean', '학교에서 책', '학교 교에 에서 책'],
    ['Korean in jamo', '\u1112\u1161\u11a8\u1100\u116d', '학교'],
    ['Thai', 'น้ำดี', 'น้ำ ำดี'.normalize('NFKC')],
    ['Lao', 'ລາວ', 'ລາ າວ'],
    ['Khmer', 'ខ្មែរ', 'ខ្មែ មែរ'],
    ['Burmese', 'မြန်', 'မြန်'],
    ['mixed with Latin', 'iPhoneを買うAPI', 'iphon i phone を買 買う api'],
    ['Russian', 'Ёлки и книги', 'елки и книги'],
    ['Greek', 'ΟΔΌΣ οδός', 'οδοσ οδοσ'],
    ['Hindi', 'हिन्दी में', 'हिन्दी में'],
    ['Arabic', 'الكِتَابُ', 'الكتاب'],
    ['Persian with a joiner', 'می\u200cخواهم', 'میخواهم'],
    ['Hebrew', 'שָׁלוֹם', 'שלום'],
    ['Georgian', 'საქართველო', 'საქართველო'],
    ['Arabic digits', '٣٤', '٣٤'],
    ['a ligature', 'ﬁnance', 'financ'],
    ['a dotted capital I', 'İzmir', 'izmir'],
    ['a sharp s', 'Straße STRASSE', 'strass strass'],
    ['full width', 'ＡＰＩ', 'api'],
    ['a Roman numeral and a unit', 'Ⅳ 5㎏', 'iv 5kg'],
    ['emoji', 'ship it 🚀🚀', 'ship it 🚀 🚀'],
    ['emoji with a skin tone, a flag and a joined one', '👍🏽 🇩🇪 👩\u200d💻', '👍 🇩 🇪 👩 💻'],
    ['a keycap', '1\ufe0f\u20e3', '1'],
    ['lone surrogates', '\ud800a\udc00b\ud83d', 'a b'],
  ])('%s', (_, text, terms) => {
    expect(termsOf(text)).toBe(terms)
  })

  it.each([
    ['ﬁnd İt', ['ﬁnd', 'İt']],
    ['e\u0301te\u0301 x', ['e\u0301te\u0301', 'x']],
    ['ｶﾞｷﾞ', ['ｶﾞｷﾞ']],
    ['\u1112\u1161\u11ab\u1100\u116e\u11a8', ['\u1112\u1161\u11ab\u1100\u116e\u11a8']],
    ['𠀀𠀁a', ['𠀀𠀁', 'a']],
  ])('gives offsets of the text as it is: %s', (text, surfaces) => {
    expect(surfacesOf(text)).toEqual(surfaces)
  })
})

describe('long runs', () => {
  it.each([
    ['a word', 'x'.repeat(1000), 1],
    ['a word with parts', 'fooBar'.repeat(100), 1],
    ['letters of plane 1', '𐐨'.repeat(1000), 1],
    ['a ligature that folds to eighteen letters', 'ﷺ'.repeat(60), 1],
    ['one letter with a thousand marks', `a${'\u0301'.repeat(1000)}`, 1],
    ['one ideograph with a thousand marks', `字${'\u0301'.repeat(1000)}`, 1],
  ])('keeps the beginning of %s', (_, text, count) => {
    const tokens = tokensOf(text)
    expect(tokens).toHaveLength(count)
    for (const { term } of tokens) expect(term.length).toBeLessThanOrEqual(64)
  })

  it('keeps only the parts of a long compound', () => {
    const path = `${'folder/'.repeat(20)}file.ts`
    const terms = tokensOf(path).map(({ term }) => term)
    expect(terms).toEqual([...Array(20).fill('folder'), 'file.ts', 'file', 'ts'])
  })
})

describe('the languages', () => {
  it('gives English at once, always the same', async () => {
    expect(await loadAnalyzer('en')).toBe(englishAnalyzer())
    expect(english.version).toMatch(/^\d+-en$/)
  })

  it('stems by the configured language', async () => {
    const german = await loadAnalyzer('de')
    expect(german.version).toMatch(/^\d+-de$/)
    const terms = (text: string) => tokensOf(text, german).map(({ term }) => term)
    expect(terms('Häuser')).toEqual(terms('Haus'))
    expect(terms('Straßen')).toEqual(['strass'])
    const french = await loadAnalyzer('fr')
    expect(tokensOf("l'école", french).map(({ term }) => term)).toEqual(['l', 'ecol'])
  })
})
