/**
 * How much of a text fits a budget of tokens. A text is cut at a paragraph, else at a line, else between words, and never
 * inside a character; which end is kept, the caller says.
 */
import { estimateTokenCount } from 'tokenx'

/** Blanks count as nothing in the estimate, but a model reads them, too: so many characters are a token at the least. */
const MOST_CHARACTERS_A_TOKEN = 12

/** A cut goes back to the next better place as far as this part of the text. */
const GIVEN_UP = 0.25

export type Kept = 'beginning' | 'end'

export function tokensOf(text: string): number {
  return Math.max(estimateTokenCount(text), Math.ceil(text.length / MOST_CHARACTERS_A_TOKEN))
}

/**
 * A text as it is shown, whole or cut, such that it fits with all that is put around it. `show` is given what to show and
 * whether that is cut; what it makes of it may be longer.
 */
export function shownWithin(
  text: string,
  budgetTokens: number,
  show: (text: string, isCut: boolean) => string,
  kept: Kept = 'beginning',
): { readonly text: string; readonly cut: boolean } {
  if (text.length <= budgetTokens * MOST_CHARACTERS_A_TOKEN) {
    const whole = show(text, false)
    if (tokensOf(whole) <= budgetTokens) return { text: whole, cut: false }
  }
  for (let room = budgetTokens - tokensOf(show('', true)); room > 0; ) {
    const shown = show(partWithin(text, room, kept), true)
    const over = tokensOf(shown) - budgetTokens
    if (over <= 0) return { text: shown, cut: true }
    room -= over
  }
  return { text: show('', true), cut: true }
}

/** About as much of one end as there is room for. */
export function partWithin(text: string, roomTokens: number, kept: Kept): string {
  const most = roomTokens * MOST_CHARACTERS_A_TOKEN
  const near = kept === 'beginning' ? text.slice(0, most) : text.slice(-most)
  const lines = near.split(/(?<=\n)/)
  if (kept === 'end') lines.reverse()
  let left = roomTokens
  let length = 0
  for (const line of lines) {
    const tokens = tokensOf(line)
    if (tokens > left) {
      // A line so long that much would be lost with it.
      if (left > roomTokens * GIVEN_UP) length += charactersWithin(line, left, kept)
      break
    }
    left -= tokens
    length += line.length
  }
  const part = kept === 'beginning' ? near.slice(0, length) : near.slice(near.length - length)
  return length === text.length ? text : atParagraph(wellFormed(part), kept)
}

/** How many characters of one end of a line there is room for, whole words. */
function charactersWithin(line: string, roomTokens: number, kept: Kept): number {
  const part = (length: number): string => (kept === 'beginning' ? line.slice(0, length) : line.slice(-length))
  let [fits, tooMany] = [0, line.length]
  // To within a hundredth: closer is not worth the time, since the cut goes back to a blank anyway.
  while (tooMany - fits > Math.max(1, fits / 100)) {
    const middle = (fits + tooMany) >> 1
    if (tokensOf(part(middle)) <= roomTokens) fits = middle
    else tooMany = middle
  }
  if (fits === 0) return 0
  const shown = part(fits)
  const blank = kept === 'beginning' ? shown.lastIndexOf(' ') : shown.length - 1 - shown.indexOf(' ')
  return blank >= fits * (1 - GIVEN_UP) && shown.includes(' ') ? blank : fits
}

function atParagraph(part: string, kept: Kept): string {
  if (kept === 'end') {
    const at = part.indexOf('\n\n')
    return (at >= 0 && at <= part.length * GIVEN_UP ? part.slice(at) : part).trimStart()
  }
  const at = part.lastIndexOf('\n\n')
  return (at >= part.length * (1 - GIVEN_UP) ? part.slice(0, at) : part).trimEnd()
}

/** Without the half of a character that a cut may have left at either end. */
function wellFormed(part: string): string {
  return part.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '')
}
