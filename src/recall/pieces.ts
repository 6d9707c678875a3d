/**
 * What of an entry is given to a model for its meaning: pieces that it can read whole. The best of them counts, so a long entry is
 * found by any part of it. Whoever changes what comes out here moves PIECES_VERSION: entries are cut anew, and only pieces
 * that are new are embedded.
 */
import type { Entry } from '../model/entry.ts'
import { withoutInjected } from '../model/injected.ts'
import { splitText } from '../search/split-text.ts'
import { isMirror } from './entry-document.ts'
import { saysSomething } from './says-something.ts'

export const PIECES_VERSION = 2

/** A fifth below what the smallest model reads, for the count is an estimate. */
const PIECE_TOKENS = 200

/** Of a text that is longer, the rest is found by its words alone: it would be thousands of vectors for one entry. */
const MOST_CHARACTERS = 1_000_000

/** None for an identity, which no search shows, and for a mirror, which says what its archive says. */
export function piecesOf(entry: Entry): readonly string[] {
  if (entry.kind === 'identity' || isMirror(entry)) return []
  const { description, content } = entry
  const text = [description, content].map(withoutInjected).join('\n\n').trim().slice(0, MOST_CHARACTERS)
  const pieces = splitText(text, PIECE_TOKENS).map(({ start, end }) => text.slice(start, end))
  const name = (entry.name ?? entry.key ?? '').trim()
  return [name, ...pieces].filter(saysSomething)
}
