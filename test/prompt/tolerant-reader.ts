/**
 * A reader that is easily taken in: it sees through every disguise, and tells each tag, token and role that it believes to have
 * seen, in order. Written apart from src/prompt, so that the two do not share their mistakes.
 */

const CONFUSABLES: Readonly<Record<string, string>> = {
  '<': '‹〈⟨«《ᐸ˂❮❬❰⟪',
  '[': '【⟦',
  '|': '∣ǀ│',
  '/': '∕⁄╱',
  ':': '∶ː꞉',
  a: 'аαɑᴀ',
  c: 'сᴄς',
  e: 'еεᴇ',
  h: 'һʜΗ',
  i: 'іιıɪ',
  m: 'мΜᴍ',
  n: 'ոɴΝ',
  o: 'оοᴏ',
  p: 'рρᴘ',
  r: 'гʀ',
  s: 'ѕꜱ',
  t: 'тτᴛ',
  u: 'υսᴜ',
  y: 'уʏΥ',
}
const plainOf = new Map(
  Object.entries(CONFUSABLES).flatMap(([plain, alike]) => [...alike].map((character) => [character, plain] as const)),
)

const NAMES = [
  'memory',
  'recall',
  'identity',
  'recap',
  'system',
  'user',
  'assistant',
  'human',
  'developer',
  'tool',
  'tool_call',
  'tool_result',
  'function_calls',
  'function_results',
  'invoke',
  'parameter',
  'sys',
]
const spaced = (word: string): string => [...word].map((letter) => (letter === '_' ? '[_\\s-]*' : letter)).join('\\s*')
const TAG = `<[\\s/\\\\!?]*(?:[a-z]+:)?(?:${NAMES.map(spaced).join('|')})(?![a-z0-9_-])`
const TOKEN = '<\\s*\\|[a-z0-9_]+\\|>?'
const SQUARE = '\\[[\\s/]*i\\s*n\\s*s\\s*t\\s*\\]?'
const ROLE = '(?<=(?:^|\\n)[ \\t]*\\n[ \\t#*_>]*)(?:human|assistant|system|user)[ \\t*_]*:'
const MARKS = new RegExp([TAG, TOKEN, SQUARE, ROLE].join('|'), 'g')

/** What it believes to see, without blanks: `<memory`, `</memory`, `human:`. */
export function seenIn(text: string): string[] {
  const readings = [folded(text), folded(decodedOnce(folded(text)))]
  const [plain = [], decoded = []] = readings.map((reading) =>
    [...reading.matchAll(MARKS)].map(([mark]) => mark.replace(/\s/g, '')),
  )
  return plain.length > decoded.length ? plain : decoded
}

function folded(text: string): string {
  const shown = text
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .normalize('NFKC')
    .normalize('NFD')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/gu, '')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
  return [...shown].map((character) => plainOf.get(character) ?? character.toLowerCase()).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  sol: '/',
  colon: ':',
  vert: '|',
  lsqb: '[',
  nbsp: ' ',
  newline: '\n',
  shy: '',
  zerowidthspace: '',
  lang: '⟨',
}

function decodedOnce(text: string): string {
  return text
    .replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z]+));|&lt/g, (whole, hex?: string, decimal?: string, name?: string) => {
      if (whole === '&lt') return '<'
      if (name !== undefined) return ENTITIES[name] ?? (name.startsWith('lt') ? `<${name.slice(2)};` : whole)
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : ''
    })
    .replace(/&#x([0-9a-f]+)|&#([0-9]+)/g, (_, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : ''
    })
}
