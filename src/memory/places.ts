/**
 * What one agent sees, placed in the plane by its vectors: what is near in meaning lies near. For people to look at; a search compares
 * vectors, not places. Never loads a model.
 */
import type { EntryHead } from '../model/entry.ts'
import { wholeNumber } from '../model/number.ts'
import { oneQuestion } from '../model/one-question.ts'
import type { CallOptions } from '../ports/store.ts'
import { inSlices } from '../recall/vectors/breath.ts'
import { type Place, placeInPlane } from '../search/plane/place-in-plane.ts'
import { noSource, type Searched } from './embedding.ts'
import type { View } from './view.ts'

export interface PlaceOptions extends CallOptions {
  /** The newest so many; default 5000. */
  readonly limit?: number
}

export interface PlacedEntry extends Place {
  readonly entry: EntryHead
}

export interface Places {
  /** In the order they came. */
  readonly entries: readonly PlacedEntry[]
  /** Entries that have no vector yet, or were left out for their number. */
  readonly missing: number
}

const DEFAULT_LIMIT = 5000
/** A second or two of work. */
const MOST = 10_000

export async function placesOf(searched: Searched, view: View, options: PlaceOptions): Promise<Places> {
  const limit = wholeNumber(options.limit ?? DEFAULT_LIMIT, 'limit', 1, MOST)
  const { signal } = options
  const call = oneQuestion<CallOptions>(signal ? { signal } : {})
  const meaning = await searched.meaning()
  if (!meaning) throw noSource()
  const { index } = await searched.place()
  await meaning.open()
  await index.inStep(() => undefined, { ...call, meaning })
  const heads = await view.heads({}, call)
  const made = heads.filter(({ id }) => meaning.has(id) === true)
  const newest = made.slice(-limit)
  const vectors = await meaning.vectorsOf(
    newest.map(({ id }) => id),
    call,
  )
  const entries = await placed(newest, vectors, signal)
  // Asked again: some that a server had were not of the entry as it is.
  const without = heads.filter(({ id }) => meaning.has(id) === false)
  return { entries, missing: without.length + made.length - newest.length }
}

async function placed(
  heads: readonly EntryHead[],
  vectors: ReadonlyMap<string, Float32Array>,
  signal: AbortSignal | undefined,
): Promise<readonly PlacedEntry[]> {
  // While a model's vectors are made anew in another length, there may be some of both.
  const dimensions = heads.map(({ id }) => vectors.get(id)?.length).findLast((length) => length !== undefined)
  const comparable = heads.flatMap((entry) => {
    const vector = vectors.get(entry.id)
    return vector?.length === dimensions && vector ? [{ entry, vector }] : []
  })
  const places = await inSlices(placeInPlane(comparable.map(({ vector }) => vector)), signal)
  return comparable.map(({ entry }, n) => ({ entry, x: 0, y: 0, ...places[n] }))
}
