/**
 * A search of the memory, step by step. The index answers by itself up to the order of all that matches; only what is shown is
 * read from the store, so that a hit is the entry as it is now.
 */
import { estimateTokenCount } from 'tokenx'
import type { Entry } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import { instant } from '../model/time.ts'
import type { Problem, Store } from '../ports/store.ts'
import type { Analyzer } from '../search/analyzer.ts'
import { parseQuery, type Query } from '../search/query.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { Alikes } from './alike.ts'
import { withDateWords } from './date-words.ts'
import { type Exact, exactEntries } from './exact-entry.ts'
import type { Found, Hit } from './found.ts'
import { HitHighlights } from './hit-highlights.ts'
import { type Candidate, type Ranking, rank } from './rank.ts'
import type { RecallIndex } from './recall-index.ts'
import { callOf, type SearchRequest } from './request.ts'
import { searchedOf } from './searched.ts'
import { CANDIDATES, CROWDED, MOST_CANDIDATES, WIDER } from './settings.ts'
import type { Asking, Meaning } from './vectors/meaning.ts'
import type { MeaningView } from './vectors/meaning-view.ts'

const PARTIAL =
  'By meaning, not all entries could be compared: too many are let through. Narrow the search by kind, time or metadata.'

export interface SearchPlace {
  readonly store: Store
  readonly index: RecallIndex
  readonly analyzer: Analyzer
}

/** Where each candidate ended: among the hits, or why not. */
export interface Picked {
  readonly hits: readonly Hit[]
  /** Candidates that say nearly what a hit says, with the id of that hit. */
  readonly alike: ReadonlyMap<string, string>
  /** Ids that the budget had no room for. */
  readonly omitted: readonly string[]
}

export interface SearchCall {
  /** The index was brought into step for this very question. */
  readonly looked?: boolean
  /** With the modes semantic and hybrid. */
  readonly meant?: Meant | undefined
}

/** The query as a vector, and the vectors that it is compared with. */
export interface Meant {
  readonly meaning: Meaning
  readonly vector: Float32Array
}

export async function searchMemory(place: SearchPlace, request: SearchRequest, call: SearchCall = {}): Promise<Found> {
  const query = withDateWords(parseQuery(request.text, place.analyzer))
  const options = callOf(request)
  // In parallel: on a server they share a round trip.
  const [exact] = await Promise.all([
    exactEntries(place.store, request, options),
    call.looked ? undefined : place.index.inStep(() => undefined, options),
  ])
  const { ranking, picked, isPartial } = await picks(place, request, query, exact, { ...call, looked: true })
  const { hits, omitted } = picked
  return {
    hits,
    searched: searchedOf(request, query, ranking, omitted.length),
    warnings: [...ranking.problems.map(problemText), ...(isPartial ? [PARTIAL] : [])],
  }
}

export interface Picks {
  readonly ranking: Ranking
  readonly picked: Picked
  /** How many candidates it took. */
  readonly most: number
  /** What is nearest may be missing. */
  readonly isPartial: boolean
}

/** Where many of the candidates say the same, more are looked at: what differs must not go short of it, nor come too late. */
export async function picks(
  place: SearchPlace,
  request: SearchRequest,
  query: Query,
  exact: readonly Exact[],
  { looked = false, meant }: SearchCall,
): Promise<Picks> {
  const { limit } = request
  const asking = await askingOf(meant, request)
  for (let most = CANDIDATES; ; most = Math.min(most * WIDER, MOST_CANDIDATES)) {
    const ranking = await withMeaning(
      place.index,
      (indexes, problems, meaning) => rank({ indexes, problems, query, request, meaning, exact, most }),
      { request, asking, meant, looked: looked || most > CANDIDATES },
    )
    const picked = await pick(place, request, query, ranking)
    const { hits, omitted, alike } = picked
    const isShort = hits.length + omitted.length < limit && alike.size > 0
    const isCrowded = alike.size >= CROWDED * most
    if (!ranking.hasMore || !(isShort || isCrowded) || most >= MOST_CANDIDATES) {
      return { ranking, picked, most, isPartial: asking?.isPartial ?? false }
    }
  }
}

/** Missing where the search goes by words alone. */
export async function askingOf(meant: Meant | undefined, request: SearchRequest): Promise<Asking | undefined> {
  return meant?.meaning.ask(meant.vector, request)
}

interface WithMeaning {
  readonly request: SearchRequest
  readonly meant: Meant | undefined
  readonly asking: Asking | undefined
  readonly looked: boolean
}

/** As `inStep`, with what vectors say; again for as long as that lacks something which is to be had. */
export async function withMeaning<T>(
  index: RecallIndex,
  use: (indexes: readonly SearchIndex[], problems: readonly Problem[], view: MeaningView | undefined) => T,
  { request, meant, asking, looked }: WithMeaning,
): Promise<T> {
  const call = callOf(request)
  const inView = (indexes: readonly SearchIndex[], problems: readonly Problem[]): T =>
    use(indexes, problems, asking?.view())
  let used = await index.inStep(inView, { looked, ...call, ...(meant ? { meaning: meant.meaning } : {}) })
  while (await asking?.more()) used = await index.inStep(inView, { looked: true, ...call })
  return used
}

/** In their order: what is still there, each thing once, whole entries within the budget, up to the limit. */
export async function pick(
  { index, analyzer }: SearchPlace,
  request: SearchRequest,
  query: Query,
  { candidates, nearest }: Ranking,
): Promise<Picked> {
  const alikes = new Alikes(analyzer, query)
  const alike = new Map<string, string>()
  const [chosen, omitted]: [{ candidate: Candidate; entry: Entry }[], string[]] = [[], []]
  let tokensLeft = request.budgetTokens ?? 0
  const first = candidates.slice(0, request.limit).map(({ id }) => [id, readHit(index, id, request)] as const)
  const read = new Map(first)
  await Promise.all(read.values())
  for (const candidate of candidates) {
    if (chosen.length + omitted.length >= request.limit) break
    const entry = await (read.get(candidate.id) ?? readHit(index, candidate.id, request))
    if (!entry) continue
    const other = alikes.of(entry)
    if (other !== undefined) {
      alike.set(entry.id, other)
      continue
    }
    const tokens = request.budgetTokens === undefined ? 0 : tokensOf(entry)
    if (tokens > tokensLeft) omitted.push(entry.id)
    else {
      tokensLeft -= tokens
      chosen.push({ candidate, entry })
    }
  }
  const highlights = new HitHighlights(query, analyzer, new Set(nearest.map(({ text }) => text)))
  const hits = chosen.map(({ candidate, entry }) => ({
    entry,
    score: candidate.score,
    highlights: highlights.of(entry.content),
    alike: [...alike].filter(([, hit]) => hit === entry.id).map(([id]) => id),
    ...(candidate.why ? { why: candidate.why } : {}),
  }))
  return { hits, alike, omitted }
}

function tokensOf({ name, description, content }: Entry): number {
  return estimateTokenCount(`${name ?? ''}\n${description}\n${content}`)
}

/** What was removed or has expired since the index was asked is no hit. */
async function readHit(index: RecallIndex, id: string, request: SearchRequest): Promise<Entry | undefined> {
  const { scopes, nowMs } = request
  const entry = await index.read(id, callOf(request))
  if (!entry || !scopes.includes(entry.scope) || isExpired(entry, instant(nowMs))) return undefined
  return entry
}

export function problemText({ path, problem }: Problem): string {
  return `${path}: ${problem}`
}
