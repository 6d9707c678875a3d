/**
 * Searching for a model, within 8,000 tokens: whole entries, the best first. One that has no room as a whole is shown in part,
 * where the words stand, and says so: a worse hit never takes the place of a better one that is longer.
 */
import type { Memory } from '../memory.ts'
import type { Condition } from '../model/condition.ts'
import { KIND_NAMES, type Kind } from '../model/kinds.ts'
import type { CallOptions } from '../ports/store.ts'
import { MOST_CHARACTERS_A_TOKEN, partWithin, tokensOf } from '../prompt/budget.ts'
import { excerpt } from '../prompt/excerpt.ts'
import type { Found, Hit, Searched, SearchOptions } from '../recall/found.ts'
import { said } from './parameters.ts'

export interface Asked {
  readonly limit?: number | undefined
  readonly kinds?: readonly Kind[] | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly where?: readonly Condition[] | undefined
  readonly days?: number | undefined
  readonly preferredMode?: SearchOptions['preferredMode']
}

const BUDGET_TOKENS = 8000
/** Of one hit in part; the rest is for the others. */
const MOST_OF_PART = 4000
/** Less of a text says little. */
const LEAST_OF_PART = 200
/** Of its description, and of its aliases and metadata. */
const MOST_BESIDE = 300
/** Its name, id, time and score. */
const ABOUT_A_HIT = 60
const NO_BUDGET = 10_000_000

export async function search(memory: Memory, query: string, asked: Asked, call: CallOptions): Promise<Found> {
  const options = { query, ...said(asked), ...said({ signal: call.signal }), budgetTokens: NO_BUDGET }
  const found = foundOf(await memory.recall(options))
  const hits = withinBudget(found.hits.map(withoutReview))
  return { ...found, hits, searched: { ...found.searched, omitted: found.hits.length - hits.length } }
}

/** A rewrite of MEMORY.md that waits in an archive for a person's word is no memory: a model must not take it for one. */
function withoutReview(hit: Hit): Hit {
  const { entry } = hit
  if (entry.kind !== 'archive' || !('review' in entry.metadata)) return hit
  const { review: _, ...metadata } = entry.metadata
  return { ...hit, entry: { ...entry, metadata } }
}

function withinBudget(hits: readonly Hit[]): Hit[] {
  let room = BUDGET_TOKENS
  return hits.flatMap((hit) => {
    const shown = tokensWithin(hit, room) <= room ? hit : inPart(hit, Math.min(room, MOST_OF_PART))
    if (shown !== undefined) room -= tokensWithin(shown, room)
    return shown ?? []
  })
}

/** All that is shown of it. Of what is longer than there could ever be room for, only the beginning is counted. */
function tokensWithin({ entry }: Hit, room: number): number {
  const { content, description, aliases, metadata } = entry
  const shown = [content, description, ...aliases, JSON.stringify(metadata)]
  return (
    ABOUT_A_HIT + shown.reduce((sum, text) => sum + tokensOf(text.slice(0, (room + 1) * MOST_CHARACTERS_A_TOKEN)), 0)
  )
}

/** Where a tool has its kinds fixed, leaving the others out is no filter that its caller could loosen. */
export function withoutKinds(found: Found): Found {
  const searched: Searched = { ...found.searched, kinds: KIND_NAMES }
  return { ...found, searched }
}

function foundOf({ hits, searched, warnings }: Awaited<ReturnType<Memory['recall']>>): Found {
  if (!hits || !searched) throw new Error('unreachable: a recall with a query tells its hits')
  return { hits, searched, warnings }
}

/** `undefined`: there is no room even for a part. */
function inPart(hit: Hit, room: number): Hit | undefined {
  const { content, aliases, metadata } = hit.entry
  const description = partWithin(hit.entry.description, MOST_BESIDE, 'beginning')
  const isTooMuch = tokensOf(JSON.stringify([aliases, metadata]).slice(0, room * MOST_CHARACTERS_A_TOKEN)) > MOST_BESIDE
  const lean: Hit = {
    ...hit,
    entry: { ...hit.entry, description, ...(isTooMuch ? { aliases: [], metadata: {} } : {}) },
  }
  const left = room - tokensWithin({ ...lean, entry: { ...lean.entry, content: '' } }, room)
  if (left < LEAST_OF_PART) return undefined
  const isWhole = tokensOf(content.slice(0, (left + 1) * MOST_CHARACTERS_A_TOKEN)) <= left
  const shown = isWhole ? content : excerpt(content, hit.highlights, left)
  const notes = [
    ...(isWhole ? [] : [`(An excerpt: about ${shown.length} of ${content.length} characters.)`]),
    ...(isTooMuch ? ['(Its aliases and metadata are too long to be shown.)'] : []),
  ]
  return { ...lean, entry: { ...lean.entry, content: [shown, ...notes].join('\n\n') }, highlights: [] }
}
