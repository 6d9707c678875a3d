/**
 * What the memory has to say about a message, before a model is asked: found anew for each turn, in the same index as every
 * search. Left out is what the prompt holds already (MEMORY.md, where it is injected), and what no prompt gets by a search.
 */
import { InvalidError } from '../errors.ts'
import { withoutInjected } from '../model/injected.ts'
import { KIND_NAMES, type Kind } from '../model/kinds.ts'
import type { CallOptions } from '../ports/store.ts'
import { autoQuery } from '../recall/auto-query.ts'
import type { Found, Hit } from '../recall/found.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { Searching } from './searching.ts'
import type { KnownSettings } from './settings.ts'

const NEVER_RECALLED: readonly Kind[] = ['identity', 'history']

export type AutoRecallSettings = Pick<
  KnownSettings,
  'autoRecall' | 'injectMemory' | 'recallLimit' | 'recallWords' | 'tools'
>

/** `undefined` where it is switched off, nothing of the message is left to search by, or nothing is found. */
export async function autoRecall(
  searching: Searching,
  message: string,
  settings: AutoRecallSettings,
  options: CallOptions = {},
): Promise<Found | undefined> {
  if (typeof message !== 'string') throw new InvalidError('message', 'is no text', "the user's last message")
  if (!settings.autoRecall) return undefined
  const query = await queryFor(searching, message, settings, options)
  if (query === '') return undefined
  const asked = { ...options, kinds: recalledKinds(settings), limit: settings.recallLimit }
  const found = await searching.search(query, asked, settings.recallWords === 'all')
  const hits = found.hits.flatMap(withoutEarlierBlocks)
  return hits.length === 0 ? undefined : { ...found, hits }
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
