/**
 * Why an entry that was expected is not among the hits: the same search once more, with an eye on that one. Each reason says
 * what would bring it in.
 */
import { type Entry, type Scope, WORLD } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import { findByRef } from '../model/find.ts'
import { isId } from '../model/id.ts'
import { instant } from '../model/time.ts'
import type { Store } from '../ports/store.ts'
import { parseQuery, type Query } from '../search/query.ts'
import { search } from '../search/search.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { withDateWords } from './date-words.ts'
import { type Refusal, refusalOf } from './eligible.ts'
import { exactEntries } from './exact-entry.ts'
import type { WhyNot } from './found.ts'
import { placesByMeaning, type Ranking, rank } from './rank.ts'
import { callOf, type SearchRequest } from './request.ts'
import { measureOf } from './scoring.ts'
import { askingOf, type Meant, pick, picks, problemText, type SearchPlace, withMeaning } from './search-memory.ts'

export async function whyNot(place: SearchPlace, request: SearchRequest, ref: string, meant?: Meant): Promise<WhyNot> {
  const { entry, near } = await lookUp(place.store, request, ref)
  if (!entry) {
    const warnings = await place.index.inStep((_, problems) => problems.map(problemText))
    return { reason: 'not-there', sentence: `Nothing is called "${ref}".${suggestion(near)}`, warnings }
  }
  // What has expired is shown by nothing, so not here either.
  if (isExpired(entry, instant(request.nowMs))) {
    return { reason: 'expired', sentence: `It expired at ${entry.expiresAt}.`, warnings: [] }
  }
  const query = withDateWords(parseQuery(request.text, place.analyzer))
  const exact = await exactEntries(place.store, request, callOf(request))
  const asked = { ...request, explain: true }
  // As widely as the search looked.
  const { most } = await picks(place, request, query, exact, { meant })
  const asking = await askingOf(meant, request)
  const { kept, ranking, facts } = await withMeaning(
    place.index,
    (indexes, problems, meaning) => {
      const kept = keptOut(indexes, query, request, entry)
      const all = { ...asked, minScore: 0 }
      const ranking = rank({ indexes, problems, query, request: all, meaning, exact, most })
      const facts = {
        most,
        hasWords: hasWords(indexes, query, entry),
        cosine: meaning?.cosine(entry.id),
        refused: meant?.meaning.refused.find(({ id }) => id === entry.id)?.reason,
      }
      return { kept, ranking, facts }
    },
    { request, meant, asking, looked: false },
  )
  const verdict = kept ?? (await placed(place, asked, query, ranking, entry)) ?? notRanked(request, query, facts)
  return { entry, ...verdict, warnings: ranking.problems.map(problemText) }
}

type Verdict = Omit<WhyNot, 'entry' | 'warnings'>

/** What keeps it out before any ranking. */
function keptOut(
  indexes: readonly SearchIndex[],
  query: Query,
  request: SearchRequest,
  { id, metadata }: Entry,
): Verdict | undefined {
  const { scoring } = measureOf(indexes)
  const matches = search({ indexes, query, scoring })
  const doc = matches.find(id)
  const refusal = doc < 0 ? undefined : refusalOf(matches, request)(doc)
  if (refusal) {
    const archive = refusal === 'mirror' ? metadata['archive'] : undefined
    return {
      reason: refusal,
      sentence: REFUSALS[refusal],
      ...(typeof archive === 'string' ? { instead: archive } : {}),
    }
  }
  if (doc < 0 || matches.allows(doc)) return undefined
  // By words alone, what has none of them is out for that.
  if (request.mode === 'lexical' && matches.explain(doc).length === 0) return undefined
  const withoutNot = search({ indexes, query: { ...query, not: [] }, scoring })
  if (query.not.length > 0 && withoutNot.allows(withoutNot.find(id))) {
    const unwanted = query.not.map(({ text }) => `-${text}`).join(' ')
    return { reason: 'excluded', sentence: `It has what the query does not want (${unwanted}).` }
  }
  const phrases = query.phrases.map(({ text }) => text).join(' and ')
  const has = matches.explain(doc).length > 0 ? 'It has words of the query, but not' : 'It does not have'
  return { reason: 'phrase', sentence: `${has} ${phrases} as it stands there.` }
}

async function placed(
  place: SearchPlace,
  request: SearchRequest,
  query: Query,
  ranking: Ranking,
  entry: Entry,
): Promise<Verdict | undefined> {
  const at = ranking.candidates.findIndex(({ id }) => id === entry.id)
  const candidate = ranking.candidates[at]
  if (!candidate) return undefined
  const { score, why } = candidate
  const facts = { rank: at + 1, score, ...(why ? { why } : {}) }
  const wanted = { ...ranking, candidates: ranking.candidates.filter((one) => one.score >= request.minScore) }
  const { hits, alike, omitted } = await pick(place, request, query, wanted)
  const instead = alike.get(entry.id)
  const shown = hits.findIndex((hit) => hit.entry.id === entry.id)
  if (shown >= 0) {
    return { reason: 'found', sentence: `It is among the hits, at place ${shown + 1}.`, ...facts }
  }
  if (score < request.minScore) {
    const least = request.mode === 'semantic' ? 'that a hit must have (--min-score)' : 'that was asked for'
    return {
      reason: 'min-score',
      sentence: `Its score is below ${request.minScore}, the least ${least}.`,
      ...facts,
    }
  }
  if (instead !== undefined) {
    return { reason: 'alike', sentence: 'It says nearly the same as a hit that stands for it.', instead, ...facts }
  }
  if (omitted.includes(entry.id)) {
    return { reason: 'budget', sentence: 'It does not fit the budget; a larger one would show it.', ...facts }
  }
  const sentence = `It is at place ${at + 1}, and ${request.limit} were asked for.`
  return { reason: 'limit', sentence: `${sentence} A higher limit would show it.`, ...facts }
}

interface Facts {
  /** How many were looked at. */
  readonly most: number
  readonly hasWords: boolean
  /** Of its nearest piece; missing where it has no vector, or none were asked. */
  readonly cosine: number | undefined
  /** Why the model does not take its text, a sentence; missing where it does. */
  readonly refused: string | undefined
}

/** It is not among those that got a second look: what would have brought it there. */
function notRanked({ mode, minCosine }: SearchRequest, query: Query, facts: Facts): Verdict {
  const { most, hasWords, cosine, refused } = facts
  if (mode === 'semantic') return notNear(facts)
  if (hasWords) {
    const how = mode === 'lexical' ? 'say more of the query in their own words' : 'say more of it'
    return { reason: 'limit', sentence: `More than ${most} entries ${how}.` }
  }
  const words = [...query.words, ...query.prefixes].map(({ text }) => `"${text}"`).join(', ')
  const sentence = words === '' ? 'The query has no words.' : `None of the query's words stands in it: ${words}.`
  const advice = 'Search by a word that it has.'
  if (mode !== 'lexical' && refused !== undefined) {
    return { reason: 'no-words', sentence: `${sentence} ${notTaken(refused)} ${advice}` }
  }
  if (mode === 'lexical' || cosine === undefined) return { reason: 'no-words', sentence: `${sentence} ${advice}` }
  if (cosine >= minCosine) {
    const nearer = `By meaning, at least ${placesByMeaning(most)} others come before it.`
    return { reason: 'limit', sentence: `${sentence} ${nearer} ${advice}` }
  }
  const far = `In meaning it is too far from it, at ${cosine.toFixed(2)} where ${minCosine} is the least.`
  return { reason: 'far', sentence: `${sentence} ${far} ${advice}` }
}

function notNear({ most, cosine, refused }: Facts): Verdict {
  if (refused !== undefined) return { reason: 'no-vector', sentence: notTaken(refused) }
  if (cosine === undefined) {
    return { reason: 'no-vector', sentence: 'It has no vector, so that no search by meaning finds it yet.' }
  }
  if (cosine <= 0) return { reason: 'far', sentence: 'It has nothing to do with the query.' }
  return { reason: 'limit', sentence: `More than ${most} entries are nearer.` }
}

function notTaken(reason: string): string {
  return `It has no vector, because the model does not take its text: ${reason}`
}

function hasWords(indexes: readonly SearchIndex[], query: Query, { id }: Entry): boolean {
  const matches = search({ indexes, query, scoring: measureOf(indexes).scoring })
  const doc = matches.find(id)
  return doc >= 0 && matches.score(doc) > 0
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  expired: 'It has expired.',
  kind: 'It is of a kind that was not searched.',
  mirror: 'It mirrors an archive, which is searched in its place. Ask for the kind history (--kind history).',
  since: 'It was made before the time that was asked for.',
  until: 'It was made after the time that was asked for.',
  where: 'Its metadata is not as was asked for.',
}

/** What has expired is meant only where nothing else can be. */
async function lookUp(
  store: Store,
  request: SearchRequest,
  ref: string,
): Promise<{ readonly entry: Entry | undefined; readonly near: readonly string[] }> {
  const { scopes, nowMs } = request
  const options = callOf(request)
  const visible = (entry: Entry | undefined): Entry | undefined =>
    entry && scopes.includes(entry.scope) ? entry : undefined
  if (isId(ref)) return { entry: visible(await store.get(ref, options)), near: [] }
  const heads = await store.heads({ scopes }, options)
  const own = ownOf(scopes)
  const living = heads.filter((head) => !isExpired(head, instant(nowMs)))
  const { id, near } = findByRef(ref, living, own)
  const found = id ?? findByRef(ref, heads, own).id
  return { entry: found === undefined ? undefined : visible(await store.get(found, options)), near }
}

function ownOf(scopes: readonly Scope[]): Scope {
  return scopes.find((scope) => scope !== WORLD) ?? WORLD
}

function suggestion(near: readonly string[]): string {
  return near.length === 0 ? '' : ` Near: ${near.map((name) => `"${name}"`).join(', ')}.`
}
