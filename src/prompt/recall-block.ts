/**
 * The block of what was found for a message: whole entries, the best first, as far as there is room. A best one that alone has
 * no room is shown as an excerpt. Nothing found, no block. All of it is made neutral as one text, so that nothing can be put
 * together from the end of one entry and the beginning of the next.
 */
import type { Entry } from '../model/entry.ts'
import { block } from '../model/injected.ts'
import type { Found, Hit } from '../recall/found.ts'
import { partWithin, tokensOf } from './budget.ts'
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
  const texts = hits.map(({ entry }) => entryText(entry, zone))
  const fits = (shown: readonly string[], omitted: number): boolean =>
    tokensOf(shown.join('')) <= budgetTokens && tokensOf(blockOf(shown, omitted)) <= budgetTokens
  if (fits(texts, 0)) return partOf(blockOf(texts, 0), false)
  const shown: string[] = []
  for (const [index, text] of texts.entries()) {
    if (fits([...shown, text], hits.length)) shown.push(text)
    else if (index === 0 && hits[0]) shown.push(...excerptOf(hits[0], zone, budgetTokens, hits.length))
  }
  return shown.length === 0 ? undefined : partOf(blockOf(shown, hits.length - shown.length), true)
}

/** Half of the room where others were found, too. */
function excerptOf({ entry, highlights }: Hit, zone: string, budgetTokens: number, found: number): string[] {
  const around = tokensOf(blockOf([excerptText(entry, zone, '')], found))
  const wanted = found === 1 ? budgetTokens : Math.max(around, Math.ceil(budgetTokens / 2))
  for (let room = wanted - around; room > 0; ) {
    const text = excerptText(entry, zone, excerpt(entry.content, highlights, room))
    const over = tokensOf(blockOf([text], found)) - wanted
    if (over <= 0) return [text]
    room -= over
  }
  return []
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

function inOneLine(text: string): string {
  return text.replace(/[\r\n\v\f\u0085\u2028\u2029]+/g, ' ')
}

function blockOf(texts: readonly string[], omitted: number): string {
  return block('recall', neutral([...texts, ...notesOf(omitted, [])].join('\n\n')))
}

function partOf(text: string, cut: boolean): PromptPart {
  return { part: 'recall', text, tokens: tokensOf(text), cut }
}
