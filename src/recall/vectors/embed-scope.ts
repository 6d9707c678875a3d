/**
 * Embeds what entries of one scope want, a few pieces at a time, and saves as it goes: whoever ends it, loses a few seconds of
 * work and nothing else. Texts that are known by their hash are not given to the model, and it is not loaded for them.
 */

import { abortable } from '../../model/abortable.ts'
import type { Entry } from '../../model/entry.ts'
import type { Embed } from '../../ports/embed.ts'
import type { Store } from '../../ports/store.ts'
import { Breathing } from './breath.ts'
import { embedTaken } from './embed-taken.ts'
import type { EntryPieces } from './refusals.ts'
import type { ScopeVectors } from './scope-vectors.ts'

/** Pieces given to the model at once, at first and in the background: few, so that the vector of a query does not wait long. */
export const FEWEST_AT_ONCE = 8
/** More of them can be sorted by length. But what is under way when it is interrupted is lost, so they must not take long. */
const MOST_AT_ONCE = 64
const QUICK_MS = 500
/** Of work, until it is saved: soon at first, for it may be over soon; then less often, since each save writes one block as a rule. */
export const FIRST_SAVE_MS = 1000
const SAVE_MS = 4000
/** One by one up to here; more are read in one go, which looks at the whole folder first. */
const FEW = 64

export interface EmbeddingRun {
  readonly store: Store
  readonly load: () => Promise<Embed>
  readonly signal: AbortSignal | undefined
  /** Called now and then. */
  readonly save: (vectors: ScopeVectors) => Promise<unknown>
  /** By `performance.now()`: from then on nothing more is begun. Missing: all is done. */
  readonly untilMs?: number | undefined
  /** By `performance.now()`. */
  saveAtMs: number
  /** Pieces that are given to the model together. */
  atOnce: number
  embedded: number
  /** Called with each entry that is done. */
  readonly settled: () => void
}

export async function embedScope(vectors: ScopeVectors, run: EmbeddingRun): Promise<void> {
  let entries: EntryPieces[] = []
  let texts = new Map<string, string>()
  const breathing = new Breathing()
  for await (const entry of wantedEntries(vectors, run)) {
    const pieces = vectors.piecesOf(entry)
    const { id, revision, name, key } = entry
    const wanting = { id, revision, name: name ?? key ?? null, hashes: new Set(pieces.keys()) }
    const unknown = [...pieces].filter(([hash]) => !vectors.rows?.knows(hash))
    if (vectors.setAside(wanting)) run.settled()
    else if (unknown.length > 0) {
      entries.push(wanting)
      for (const [hash, text] of unknown) texts.set(hash, text)
    } else if (vectors.settle(wanting.id, wanting.revision, wanting.hashes, new Map())) run.settled()
    if (texts.size >= run.atOnce) {
      await embedTexts(vectors, run, entries, texts)
      entries = []
      texts = new Map()
    }
    await breathing.after(entry.content)
    if (isOver(run)) return
  }
  await embedTexts(vectors, run, entries, texts)
}

async function* wantedEntries(vectors: ScopeVectors, { store, untilMs, signal }: EmbeddingRun): AsyncGenerator<Entry> {
  const options = signal ? { signal } : {}
  // Where the time may not do for all, what was written last goes first: it is what somebody may look for.
  const ids = [...vectors.wanted.keys()].reverse()
  if (ids.length <= FEW || untilMs !== undefined) {
    for (const id of ids) {
      const entry = await store.get(id, options)
      if (entry?.scope === vectors.scope) yield entry
    }
  } else yield* store.scan({ scopes: [vectors.scope], ids: new Set(ids) }, options)
}

/** An entry longer than what is given at once gets its vectors bit by bit, and counts when it has all. */
async function embedTexts(
  vectors: ScopeVectors,
  run: EmbeddingRun,
  entries: readonly EntryPieces[],
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const waiting = new Set(entries)
  const pieces = [...texts]
  while (pieces.length > 0 && !isOver(run)) {
    const some = pieces.splice(0, run.atOnce)
    const embed = await abortable(run.load, run.signal)
    const begunMs = performance.now()
    const { vectors: fresh, refused } = await embedTaken(embed, some, run.signal)
    vectors.refuse(refused)
    for (const entry of waiting) {
      if (!vectors.settle(entry.id, entry.revision, entry.hashes, fresh) && !vectors.setAside(entry)) continue
      waiting.delete(entry)
      run.settled()
    }
    run.embedded += fresh.size
    run.atOnce = nextAtOnce(run, performance.now() - begunMs)
    if (performance.now() < run.saveAtMs) continue
    await run.save(vectors)
    run.saveAtMs = performance.now() + SAVE_MS
  }
}

export function nextAtOnce({ atOnce, untilMs }: Pick<EmbeddingRun, 'atOnce' | 'untilMs'>, tookMs: number): number {
  if (untilMs !== undefined) return FEWEST_AT_ONCE
  return tookMs < QUICK_MS ? Math.min(2 * atOnce, MOST_AT_ONCE) : Math.max(atOnce / 2, FEWEST_AT_ONCE)
}

export function isOver({ untilMs }: Pick<EmbeddingRun, 'untilMs'>): boolean {
  return untilMs !== undefined && performance.now() >= untilMs
}
