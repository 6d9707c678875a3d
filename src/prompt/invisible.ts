/**
 * Marks invisible characters: `<U+202E>`, or `<U+E0041 and 11 more>` for several in a row. They can hide instructions from people,
 * reorder a text, or control a terminal. A character stays where writing needs it: joiners in Persian, Indic scripts and emoji,
 * variation selectors, soft hyphens inside words. A second pass changes nothing.
 */

/** Default-ignorable characters and interlinear annotations, for use inside a character class. */
const IGNORABLE = '\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb'

/** Scripts whose letters change shape next to a joiner. */
const SHAPED = scripts(
  'Arab Syrc Nkoo Mand Mong Phag Adlm Rohg Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr Tibt Bali Java Cham',
)
/** Scripts that mark the end of a word with a zero-width space. */
const UNSPACED = scripts('Khmr Laoo Mymr Thai Tibt')
const RIGHT_TO_LEFT = scripts('Arab Hebr Syrc Thaa Nkoo Adlm')

const PICTURE = '\\p{Extended_Pictographic}'
/** The flags of England, Scotland and Wales: gbeng, gbsct, gbwls, in tag characters. */
const FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((region) =>
  [...region].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(''),
)

/** Compiled on first use: most texts have no invisible characters, and compiling takes a few milliseconds. */
let needed: RegExp | undefined

function neededPattern(): RegExp {
  const alternatives = [
    `(?<=${PICTURE})[\\ufe0e\\ufe0f]`,
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    `(?<=[${PICTURE}\\p{Emoji_Modifier}]|${PICTURE}\\ufe0f)\\u200d(?=${PICTURE})`,
    `(?<=\\u{1f3f4})(?:${FLAGS.join('|')})\\u{e007f}`,
    `(?<=${letter(SHAPED)})[\\u200c\\u200d]`,
    `(?<=${letter(UNSPACED)})\\u200b(?=${letter(UNSPACED)})`,
    `(?<=${letter(RIGHT_TO_LEFT)})[\\u200e\\u200f\\u061c]`,
    `[\\u200e\\u200f\\u061c](?=${letter(RIGHT_TO_LEFT)})`,
    `(?<=${letter('\\p{L}\\p{M}')})\\u00ad(?=${letter('\\p{L}')})`,
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
    '(?<=[\\p{Sm}\\p{Script=Myanmar}\\p{Script=Phags_Pa}])\\ufe00',
    `(?<=${letter('\\p{Script=Mongolian}')})[\\u180b-\\u180f]`,
  ]
  return new RegExp(alternatives.join('|'), 'uy')
}

/** Controls other than tabs and line ends. A lone carriage return counts, because it would overwrite the text before it. */
const INVISIBLE = new RegExp(`(?:\\r(?!\\n)|(?![\\t\\n\\r])\\p{Cc}|[${IGNORABLE}])+`, 'gu')

/** Marks the invisible characters from `start` to `end`. The text around that part also decides which characters stay. */
export function markInvisible(text: string, start = 0, end: number = text.length): string {
  // The text may be long, and only a few characters after the end can matter.
  const near = text.slice(0, end + 16)
  let shown = ''
  let at = start
  INVISIBLE.lastIndex = start
  for (let run = INVISIBLE.exec(near); run && run.index < end; run = INVISIBLE.exec(near)) {
    shown += near.slice(at, run.index)
    at = Math.min(run.index + run[0].length, end)
    shown += markRun(near, run.index, at)
  }
  return shown + near.slice(at, end)
}

function markRun(text: string, start: number, end: number): string {
  needed ??= neededPattern()
  let shown = ''
  let unseen = ''
  for (let at = start; at < end; ) {
    needed.lastIndex = at
    const kept = needed.exec(text)?.[0]
    const character = kept ?? String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (kept === undefined) unseen += character
    else {
      shown += codePointMark(unseen) + kept
      unseen = ''
    }
    at += character.length
  }
  return shown + codePointMark(unseen)
}

/** The mark for a run of invisible characters. */
export function codePointMark(unseen: string): string {
  const [first, ...others] = unseen
  if (first === undefined) return ''
  const code = (first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `<U+${code}${others.length === 0 ? '' : ` and ${others.length} more`}>`
}

/** Escapes invisible characters in JSON text. The value stays the same, because they occur only in strings. */
export function escapeInvisibleJson(json: string): string {
  return json.replace(INVISIBLE, (unseen) =>
    unseen.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

function scripts(codes: string): string {
  return codes
    .split(' ')
    .map((code) => `\\p{scx=${code}}`)
    .join('')
}

/** Matches a visible letter or mark of a character class. */
function letter(characters: string): string {
  return `(?:(?![${IGNORABLE}])(?=[\\p{L}\\p{M}])[${characters}])`
}
