/**
 * A reader that is easily taken in: it sees through every disguise, and tells each tag, token and role that it believes to have
 * seen, in order. Written apart from src/prompt, so that the two do not share their mistakes.
 */

const CONFUSABLES: Readonly<Record<string, string>> = {
  '<': '‹〈⟨«《ᐸ˂❮❬❰⟪',
  '>': '›〉⟩»',
  '[': '【⟦',
  '|': '∣ǀ│',
  '/': '∕⁄╱',
  ':': '∶ː꞉',
  _: '▁',
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

/** Where an alphabet of signs around letters begins: negative circles and squares, flags; with brackets, small and capital. */
const ALPHABETS = ['🅐', '🅰', '🇦', '⒜', '🄐', '🄰'].map((first) => first.codePointAt(0) ?? 0)
for (const first of ALPHABETS) {
  for (const [n, letter] of [...'abcdefghijklmnopqrstuvwxyz'].entries()) {
    plainOf.set(String.fromCodePoint(first + n), letter)
  }
}

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
/** Not over the line that parts a prompt. */
const BEFORE = '(?:(?!\\n---\\n)[\\s/\\\\!?_.-])*'
const TAG = `<${BEFORE}(?:[a-z]+:[_.-]*)?(?:${NAMES.map(spaced).join('|')})(?![a-z0-9_-])`
const TOKEN = '<\\s*\\|[a-z0-9_]+\\|>?'
/** Those of which the words may stand apart. */
const PHRASES = ['tool_calls_begin', 'tool_call_begin', 'tool_output_end', 'tool_sep', 'begin_of_sentence', 'im_start']
const SPACED_TOKEN = `<\\s*\\|\\s*(?:${PHRASES.map(spaced).join('|')})\\s*\\|`
const COMMENT = '<[ \\t]*![ \\t]*-[ \\t]*-|<!\\[|--!?>'
const SQUARE = '\\[[\\s/_.-]*i\\s*n\\s*s\\s*t\\s*\\]?'
const ROLE = '(?<=(?:^|\\n)[ \\t]*\\n[ \\t#*_>]*)(?:human|assistant|system|user)[ \\t*_]*:'
const MARKS = new RegExp([TAG, TOKEN, SPACED_TOKEN, COMMENT, SQUARE, ROLE].join('|'), 'g')

/** Somebody may decode what somebody else has decoded already. */
const MOST_READINGS = 40

/** What it believes to see, without blanks: `<memory`, `</memory`, `human:`. The reading that shows it the most counts. */
export function seenIn(text: string): string[] {
  let most: string[] = []
  let reading = folded(text)
  for (let n = 0; n < MOST_READINGS; n++) {
    const seen = [...reading.matchAll(MARKS)].map(([mark]) => mark.replace(/\s/g, ''))
    if (seen.length > most.length) most = seen
    const next = folded(decodedOnce(reading))
    if (next === reading) break
    reading = next
  }
  return most
}

function folded(text: string): string {
  const shown = [...text]
    .map((character) => plainOf.get(character) ?? character)
    .join('')
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

/** What browsers read without the semicolon, too. */
const BARE = ['lt', 'gt', 'amp']

function decodedOnce(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+);?|#([0-9]+);?|([a-z]+)(;?))/g,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined, end: string) => {
      if (name !== undefined) {
        const known = end === ';' ? ENTITIES[name] : undefined
        const bare = BARE.find((one) => name.startsWith(one))
        return known ?? (bare === undefined ? whole : `${ENTITIES[bare]}${name.slice(bare.length)}${end}`)
      }
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : ''
    },
  )
}
