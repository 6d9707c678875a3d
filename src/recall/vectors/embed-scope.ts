/**
 * Embeds what entries of one scope want, a few pieces at a time, and saves as it goes: whoever ends it, loses a few seconds of
 * work and nothing else. Texts that are known by their hash are not given to the model, and it is not loaded for them.
 */
import type { Entry } from '../../model/entry.ts'
import type { Embed } from '../../ports/embed.ts'
import type { Store } from '../../ports/store.ts'
import { breath } from './breath.ts'
import type { ScopeVectors } from './scope-vectors.ts'

/** Pieces given to the model at once: enough to sort them by length, few enough to be told of progress. */
const AT_ONCE = 64
/** Pieces between two saves, each of which writes one block as a rule. */
const UNSAVED = 256
const ENTRIES_PER_BREATH = 16
/** One by one up to here; more are read in one go, which looks at the whole folder first. */
const FEW = 64

export interface EmbeddingRun {
  readonly store: Store
  readonly load: () => Promise<Embed>
  readonly signal: AbortSignal | undefined
  /** There is a place for vectors. */
  readonly isSaved: boolean
  /** Pieces that may still be given to the model. */
  left: number
  embedded: number
  /** Called with each entry that is done. */
  readonly settled: () => void
}

interface Wanting {
  readonly id: string
  readonly revision: string
  readonly hashes: ReadonlySet<string>
}

export async function embedScope(vectors: ScopeVectors, run: EmbeddingRun): Promise<void> {
  let entries: Wanting[] = []
  let texts = new Map<string, string>()
  let read = 0
  for await (const entry of wantedEntries(vectors, run)) {
    const pieces = vectors.piecesOf(entry)
    const wanting = { id: entry.id, revision: entry.revision, hashes: new Set(pieces.keys()) }
    const unknown = [...pieces].filter(([hash]) => !vectors.rows?.knows(hash))
    if (unknown.length > 0) {
      entries.push(wanting)
      for (const [hash, text] of unknown) texts.set(hash, text)
    } else if (vectors.settle(wanting.id, wanting.revision, wanting.hashes, new Map())) run.settled()
    if (texts.size >= Math.min(AT_ONCE, run.left)) {
      await embedTexts(vectors, run, entries, texts)
      entries = []
      texts = new Map()
    }
    if (++read % ENTRIES_PER_BREATH === 0) await breath()
    if (run.left <= 0) return
  }
  await embedTexts(vectors, run, entries, texts)
}

async function* wantedEntries(vectors: ScopeVectors, { store, left, signal }: EmbeddingRun): AsyncGenerator<Entry> {
  const options = signal ? { signal } : {}
  const ids = [...vectors.wanted.keys()]
  if (Math.min(ids.length, left) <= FEW) {
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
  entries: readonly Wanting[],
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const waiting = new Set(entries)
  const pieces = [...texts]
  for (let from = 0; from < pieces.length && run.left > 0; from += AT_ONCE) {
    const some = pieces.slice(from, from + Math.min(AT_ONCE, run.left))
    const embed = await run.load()
    run.signal?.throwIfAborted()
    const made = await embed.embed(
      some.map(([, text]) => text),
      run.signal ? { signal: run.signal } : {},
    )
    const fresh = new Map(some.map(([hash], at) => [hash, made[at] as Float32Array])) // one for each text: see Embed
    for (const entry of waiting) {
      if (!vectors.settle(entry.id, entry.revision, entry.hashes, fresh)) continue
      waiting.delete(entry)
      run.settled()
    }
    run.left -= some.length
    run.embedded += some.length
    if (run.isSaved && isWorthSaving(run.embedded, some.length)) await vectors.save()
  }
}

function isWorthSaving(embedded: number, added: number): boolean {
  return Math.floor(embedded / UNSAVED) > Math.floor((embedded - added) / UNSAVED)
}
