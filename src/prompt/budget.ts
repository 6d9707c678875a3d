/**
 * How much of a text fits a budget of tokens. A text is cut at a paragraph, else at a line, else between words, and never
 * inside a character; which end is kept, the caller says.
 */
import { estimateTokenCount } from 'tokenx'

/** Blanks count as nothing in the estimate, but a model reads them, too: so many characters are a token at the least. */
export const MOST_CHARACTERS_A_TOKEN = 12

/** A cut goes back to the next better place as far as this part of the text. */
const GIVEN_UP = 0.25

export type Kept = 'beginning' | 'end'

export function tokensOf(text: string): number {
  return Math.max(estimateTokenCount(text), Math.ceil(text.length / MOST_CHARACTERS_A_TOKEN))
}

/** Whether it is longer than whatever fits such a budget; told without counting. */
export function isBeyond(length: number, budgetTokens: number): boolean {
  return length > budgetTokens * MOST_CHARACTERS_A_TOKEN
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
  if (!isBeyond(text.length, budgetTokens)) {
    const whole = show(text, false)
    if (tokensOf(whole) <= budgetTokens) return { text: whole, cut: false }
  }
  const nothing = show('', true)
  const part = largestWithin(budgetTokens, tokensOf(nothing), (room) => {
    const shown = show(partWithin(text, room, kept), true)
    return { made: shown, tokens: tokensOf(shown) }
  })
  return { text: part ?? nothing, cut: true }
}

/** What is made for a room, and what it takes up with all that is put around it. */
export interface Made<T> {
  readonly made: T
  readonly tokens: number
}

/** Of a budget; to come closer is not worth the time. */
const WELL_USED = 0.8
/** Each may have to count all that a budget holds. */
const MOST_TRIES = 6

/**
 * What `make` gives for about the most room with which it fits the budget. It may take up many times the room that it is told,
 * so the next try goes by what it took up; where a text is not the same all over, that misses, and the middle is tried.
 */
export function largestWithin<T>(
  budgetTokens: number,
  aroundTokens: number,
  make: (roomTokens: number) => Made<T>,
): T | undefined {
  const most = budgetTokens - aroundTokens
  let [fits, tooMuch] = [0, most + 1]
  let best: T | undefined
  let room = most
  for (let tries = 1; tooMuch - fits > 1; tries++) {
    const { made, tokens } = make(room)
    if (tokens <= budgetTokens) {
      best = made
      fits = room
      if (room === most || tokens >= budgetTokens * WELL_USED) break
    } else tooMuch = room
    if (tries >= MOST_TRIES && best !== undefined) break
    const scaled = Math.floor((room * most) / (tokens - aroundTokens))
    room = scaled > fits && scaled < tooMuch ? scaled : (fits + tooMuch) >> 1
  }
  return best
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
