/**
 * Searching for a model: within 8,000 tokens, as whole entries, but never nothing for the sake of the budget: where even the
 * best hit is too long, the part of it where the words stand is shown, and says so.
 */
import type { Memory } from '../memory.ts'
import type { Condition } from '../model/condition.ts'
import { KIND_NAMES, type Kind } from '../model/kinds.ts'
import type { CallOptions } from '../ports/store.ts'
import { excerpt } from '../prompt/excerpt.ts'
import type { Found, Hit, Searched } from '../recall/found.ts'
import { said } from './parameters.ts'
import { ownWarnings } from './written.ts'

export interface Asked {
  readonly limit?: number | undefined
  readonly kinds?: readonly Kind[] | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly where?: readonly Condition[] | undefined
  readonly days?: number | undefined
}

/** Of a single hit that is longer than all may be; some are left for what is said about it. */
const MOST_TOKENS = 7500
const NO_BUDGET = 10_000_000

export async function search(memory: Memory, query: string, asked: Asked, call: CallOptions): Promise<Found> {
  const options = { query, ...said(asked), ...said({ signal: call.signal }) }
  const found = foundOf(memory, await memory.recall(options))
  if (found.hits.length > 0 || found.searched.omitted === 0) return found
  const whole = foundOf(memory, await memory.recall({ ...options, limit: 1, budgetTokens: NO_BUDGET }))
  return {
    ...found,
    hits: whole.hits.map(excerptOf),
    searched: { ...found.searched, omitted: found.searched.omitted - 1 },
  }
}

/** Where a tool has its kinds fixed, leaving the others out is no filter that its caller could loosen. */
export function withoutKinds(found: Found): Found {
  const searched: Searched = { ...found.searched, kinds: KIND_NAMES }
  return { ...found, searched }
}

function foundOf(memory: Memory, { hits, searched, warnings }: Awaited<ReturnType<Memory['recall']>>): Found {
  if (!hits || !searched) throw new Error('unreachable: a recall with a query tells its hits')
  return { hits, searched, warnings: ownWarnings(memory, warnings) }
}

function excerptOf(hit: Hit): Hit {
  const { content } = hit.entry
  const shown = excerpt(content, hit.highlights, MOST_TOKENS)
  const note = `(An excerpt: about ${shown.length} of ${content.length} characters.)`
  return { ...hit, entry: { ...hit.entry, content: `${shown}\n\n${note}` }, highlights: [] }
}
