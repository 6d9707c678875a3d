/**
 * What the memory has to say about a message, before a model is asked: found anew for each turn, in the same index as every
 * search. Left out is what the prompt holds already (MEMORY.md, where it is injected), and what no prompt gets by a search.
 */
import { InvalidError } from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import { withoutInjected } from '../model/injected.ts'
import { KIND_NAMES, type Kind } from '../model/kinds.ts'
import { oneQuestion } from '../model/one-question.ts'
import type { CallOptions } from '../ports/store.ts'
import { autoQuery } from '../recall/auto-query.ts'
import type { AlreadyShown, Found, Hit, SearchOptions } from '../recall/found.ts'
import { namesSaid, wholeAsName } from '../recall/names-said.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { Searching } from './searching.ts'
import type { KnownSettings } from './settings.ts'

const NEVER_RECALLED: readonly Kind[] = ['identity', 'history']

export type AutoRecallSettings = Pick<
  KnownSettings,
  'autoRecall' | 'injectMemory' | 'recallLimit' | 'recallWords' | 'tools'
>

const MOST_HITS = 100

/**
 * How near in meaning a hit must be that has no word of the message. On the dev sets' chats, what messages about something else
 * come nearest to is at .20 (median) to .33 (one in ten), and what answers a question at .41 to .58 (the middle half): nobody asked
 * for this search, so it may rather miss a hint than give one that has nothing to do with the message.
 */
const NEAR_ENOUGH = 0.4
/** Of the message, in UTF-16 units: its beginning says what it is about, and models read no more. */
const MOST_MEANT = 1500

/** `undefined` where it is switched off, nothing of the message is left to search by, or nothing is found. */
export async function autoRecall(
  searching: Searching,
  message: string,
  settings: AutoRecallSettings,
  asked: CallOptions = {},
  shown?: AlreadyShown,
): Promise<Found | undefined> {
  if (typeof message !== 'string') throw new InvalidError('message', 'is no text', "the user's last message")
  if (!settings.autoRecall) return undefined
  const options = oneQuestion(asked)
  const query = await queryFor(searching, message, settings, options)
  const names = await namesFor(searching, message, settings, query, options)
  const wish = { ...options, kinds: recalledKinds(settings) }
  const meant = withoutInjected(message).trim().slice(0, MOST_MEANT)
  const search = (limit: number): Promise<Found | undefined> =>
    foundBy(searching, names, { query, meant }, { ...wish, limit }, settings)
  const found = await withoutShown(search, settings.recallLimit, shown)
  const hits = found?.hits.flatMap(withoutEarlierBlocks) ?? []
  return found === undefined || hits.length === 0 ? undefined : { ...found, hits }
}

/** What stands in the window makes room for others. Whether something does is asked only of what may come from that session. */
async function withoutShown(
  search: (limit: number) => Promise<Found | undefined>,
  limit: number,
  shown: AlreadyShown | undefined,
): Promise<Found | undefined> {
  const found = await search(limit)
  if (!shown || !found?.hits.some(({ entry }) => mayBeOf(entry, shown.session))) return found
  const ids = await shown.ids()
  const isNew = ({ entry }: Hit): boolean => !ids.has(entry.id)
  if (found.hits.every(isNew)) return found
  const more = await search(Math.min(limit + ids.size, MOST_HITS))
  return more && { ...more, hits: more.hits.filter(isNew).slice(0, limit) }
}

/** A turn that a client has copied into another session is an entry of the first. */
function mayBeOf({ kind, origin, metadata }: Entry, session: string): boolean {
  return kind === 'conversation' || origin.session === session || metadata['session'] === session
}

/** Those that are called by name come first. */
async function foundBy(
  searching: Searching,
  names: readonly string[],
  { query, meant }: { readonly query: string; readonly meant: string },
  asked: SearchOptions,
  { recallLimit, recallWords }: AutoRecallSettings,
): Promise<Found | undefined> {
  const { limit = recallLimit } = asked
  const hits = new Map<string, Hit>()
  let found: Found | undefined
  for (const name of names) {
    const options = { ...asked, limit: 1, mode: 'lexical' as const }
    found = await searching.search(name, options, recallWords === 'all' || found !== undefined)
    for (const hit of found.hits) if (hit.score === 1) hits.set(hit.entry.id, hit)
  }
  if (query !== '') {
    const options = { ...asked, meant, minCosine: NEAR_ENOUGH }
    found = await searching.search(query, options, recallWords === 'all' || found !== undefined)
    for (const hit of found.hits) if (!hits.has(hit.entry.id)) hits.set(hit.entry.id, hit)
  }
  return found && { ...found, hits: [...hits.values()].slice(0, limit) }
}

/** What of the message is a name of an entry and no word to search by. To the letter, every word is searched by anyway. */
async function namesFor(
  searching: Searching,
  message: string,
  { tools }: AutoRecallSettings,
  query: string,
  options: CallOptions,
): Promise<readonly string[]> {
  if (tools === 'crabtalk') return []
  const { analyzer } = await searching.place()
  const said = new Set([...(query === '' ? [wholeAsName(message)] : []), ...namesSaid(message, analyzer)])
  const names: string[] = []
  for (const name of said) if (await searching.isNamed(name, options)) names.push(name)
  return names
}

function recalledKinds({ injectMemory }: AutoRecallSettings): readonly Kind[] {
  return KIND_NAMES.filter((kind) => !NEVER_RECALLED.includes(kind) && !(injectMemory && kind === 'memory'))
}

/** What was injected once and got into an entry, by a paste or an import, is not injected again with it. */
function withoutEarlierBlocks(hit: Hit): Hit[] {
  const content = withoutInjected(hit.entry.content)
  if (content === hit.entry.content) return [hit]
  // They are places in the whole text, and there is no telling where they would be in this.
  return content.trim() === '' ? [] : [{ ...hit, entry: { ...hit.entry, content }, highlights: [] }]
}

async function queryFor(
  searching: Searching,
  message: string,
  { recallWords: words, tools }: AutoRecallSettings,
  options: CallOptions,
): Promise<string> {
  const { analyzer, index } = await searching.place()
  const asked = { analyzer, words, toTheLetter: tools === 'crabtalk' }
  // Only the rarest words need the index to be chosen, and with it a look at what changed.
  if (words !== 'all') return autoQuery(message, { ...asked, documentsWith: () => 0 })
  return index.inStep(
    (indexes) => autoQuery(message, { ...asked, documentsWith: (term) => documentsWith(indexes, term) }),
    options,
  )
}

function documentsWith(indexes: readonly SearchIndex[], term: string): number {
  let documents = 0
  for (const segment of indexes.flatMap((index) => index.segments())) {
    const number = segment.findTerm(term)
    if (number >= 0) documents += segment.documentsWith(number)
  }
  return documents
}
