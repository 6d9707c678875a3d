/**
 * The block of what was found for a message: whole entries, the best first, as far as there is room. A best one that alone has
 * no room is shown as an excerpt. Nothing found, no block. All of it is made neutral as one text, so that nothing can be put
 * together from the end of one entry and the beginning of the next. An entry may be of any size, and each turn waits for this:
 * nothing is counted or changed that is too long to be shown.
 */
import type { Entry } from '../model/entry.ts'
import { block } from '../model/injected.ts'
import type { Found, Hit } from '../recall/found.ts'
import { isBeyond, largestWithin, partWithin, tokensOf } from './budget.ts'
import { excerpt } from './excerpt.ts'
import { hitText } from './hits-text.ts'
import { neutral } from './neutral.ts'
import { notesOf } from './notes.ts'
import type { PromptPart } from './part.ts'

/** A few entries of usual size: each turn pays for it anew, and no cache of a prompt helps. */
export const RECALL_TOKENS = 2000

const LONGEST_DESCRIPTION_TOKENS = 100

export function recallBlock(
  { hits }: Pick<Found, 'hits'>,
  zone: string,
  budgetTokens: number = RECALL_TOKENS,
): PromptPart | undefined {
  if (hits.length === 0) return undefined
  const whole = wholeBlock(hits, zone, budgetTokens)
  if (whole !== undefined) return partOf(whole, false)
  const shown = new Shown(budgetTokens, hits.length)
  for (const [index, hit] of hits.entries()) {
    if (shown.takes(hit, zone)) continue
    if (index === 0) shown.put(excerptOf(hit, zone, budgetTokens, hits.length))
  }
  return shown.texts.length === 0 ? undefined : partOf(blockOf(shown.texts, hits.length - shown.texts.length), true)
}

/** All of it, where that fits. */
function wholeBlock(hits: readonly Hit[], zone: string, budgetTokens: number): string | undefined {
  const length = hits.reduce((sum, { entry }) => sum + lengthOf(entry), 0)
  if (isBeyond(length, budgetTokens)) return undefined
  const whole = blockOf(
    hits.map(({ entry }) => entryText(entry, zone)),
    0,
  )
  return tokensOf(whole) <= budgetTokens ? whole : undefined
}

/** What is in the block so far. */
class Shown {
  readonly texts: string[] = []
  readonly #budgetTokens: number
  readonly #found: number
  #length = 0
  /** Measured on the unescaped texts: escaping shortens nothing but a run of invisible characters. */
  #tokens = 0

  constructor(budgetTokens: number, found: number) {
    this.#budgetTokens = budgetTokens
    this.#found = found
  }

  /** Whether there is room for all of it; then it is in. */
  takes({ entry }: Hit, zone: string): boolean {
    if (isBeyond(this.#length + lengthOf(entry), this.#budgetTokens)) return false
    const text = entryText(entry, zone)
    if (this.#tokens + tokensOf(text) > this.#budgetTokens) return false
    if (tokensOf(blockOf([...this.texts, text], this.#found)) > this.#budgetTokens) return false
    this.put(text)
    return true
  }

  put(text: string | undefined): void {
    if (text === undefined) return
    this.texts.push(text)
    this.#length += text.length
    this.#tokens += tokensOf(text)
  }
}

/** Half of the room where others were found, too. */
function excerptOf({ entry, highlights }: Hit, zone: string, budgetTokens: number, found: number): string | undefined {
  const around = tokensOf(blockOf([excerptText(entry, zone, '')], found))
  const wanted = found === 1 ? budgetTokens : Math.max(around, Math.ceil(budgetTokens / 2))
  return largestWithin(wanted, around, (room) => {
    const text = excerptText(entry, zone, excerpt(entry.content, highlights, room))
    return { made: text, tokens: tokensOf(blockOf([text], found)) }
  })
}

function excerptText(entry: Entry, zone: string, content: string): string {
  // Nothing keeps a hand from writing a page into one line.
  const description = partWithin(entry.description, LONGEST_DESCRIPTION_TOKENS, 'beginning')
  return `${entryText({ ...entry, description, content }, zone)}\n\n(This is an excerpt; the whole entry is longer.)`
}

function entryText(entry: Entry, zone: string): string {
  const { name, description } = entry
  return hitText({ ...entry, name: name === null ? null : inOneLine(name), description: inOneLine(description) }, zone)
}

function lengthOf({ description, content }: Entry): number {
  return description.length + content.length
}

function inOneLine(text: string): string {
  return text.replace(/[\r\n\v\f\u0085\u2028\u2029]+/g, ' ')
}

function blockOf(texts: readonly string[], omitted: number): string {
  return block('recall', neutral([...texts, ...notesOf(omitted, [])].join('\n\n')))
}

function partOf(text: string, cut: boolean): PromptPart {
  return { part: 'recall', text, tokens: tokensOf(text), cut }
}
