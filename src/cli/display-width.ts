/**
 * How many terminal columns a text takes: two for East Asian wide characters and emoji, none for combining marks and invisible
 * characters. An emoji sequence counts once, as today's terminals draw it. Texts must not contain control characters.
 */

const EMOJI = '\\p{Extended_Pictographic}(?:[\\ufe0e\\ufe0f]|\\p{Emoji_Modifier})?'
const CHARACTERS = new RegExp(
  [
    `(?<emoji>${EMOJI}(?:\\u200d${EMOJI})*|\\p{Regional_Indicator}{2}|[0-9#*]\\ufe0f?\\u20e3)`,
    // The vowels and finals of Hangul are drawn into the syllable before them.
    '(?<none>[\\p{Mn}\\p{Me}\\p{Default_Ignorable_Code_Point}\\u1160-\\u11ff\\ud7b0-\\ud7ff])',
    // East Asian Width "wide" and "fullwidth" (Unicode 16), for which regular expressions have no property.
    '(?<wide>[\\p{Emoji_Presentation}\\u1100-\\u115f\\u2329\\u232a\\u2630-\\u2637\\u268a-\\u268f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97f' +
      '\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6\\u{16fe0}-\\u{18dff}' +
      '\\u{1aff0}-\\u{1b2ff}\\u{1d300}-\\u{1d376}\\u{1f200}-\\u{1f2ff}\\u{20000}-\\u{3fffd}])',
    '[^]',
  ].join('|'),
  'gu',
)

/** Signs such as © and ☎ are text unless followed by an emoji selector; a few are ideographs. */
const WIDE_EMOJI = /(?!\ufe0e)\P{Extended_Pictographic}|\p{Emoji_Presentation}|[\u3030-\u3299\u{1f200}-\u{1f2ff}]/u

export function displayWidth(text: string): number {
  if (isAscii(text)) return text.length
  let width = 0
  for (const character of text.matchAll(CHARACTERS)) width += characterWidth(character)
  return width
}

/** The width of a column of these texts. */
export function columnWidth(texts: readonly string[]): number {
  return texts.reduce((widest, text) => Math.max(widest, displayWidth(text)), 0)
}

/** Appends spaces up to a number of columns. */
export function padToWidth(columns: number, text: string): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)))
}

/** How much of a text fits, in UTF-16 units. Never splits a character, nor separates it from its marks. */
export function fittingLength(columns: number, text: string): number {
  if (isAscii(text)) return Math.min(columns, text.length)
  let width = 0
  for (const character of text.matchAll(CHARACTERS)) {
    width += characterWidth(character)
    if (width > columns) return character.index
  }
  return text.length
}

function characterWidth({ 0: text, groups }: RegExpExecArray | RegExpMatchArray): number {
  if (groups?.['none'] !== undefined) return 0
  if (groups?.['wide'] !== undefined) return 2
  return groups?.['emoji'] !== undefined && WIDE_EMOJI.test(text) ? 2 : 1
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text)
}
