/**
 * Makes vectors for a store that keeps them itself: of all agents' entries that have none of their present revision, in the order of
 * `seq`. The caller holds the lease. Invariant: an entry gets all of its vectors at once. A run that ends early keeps what it has put, and
 * passes the pieces of a half-finished entry to the next run of this process.
 */
import { KeepsakeError } from '../../errors.ts'
import { abortable } from '../../model/abortable.ts'
import type { Entry } from '../../model/entry.ts'
import { digest32 } from '../../model/revision.ts'
import type { EmbedSource } from '../../ports/embed.ts'
import type { CallOptions, Store } from '../../ports/store.ts'
import type { EntryVectors, NativeVectors, VectorModel } from '../../ports/vectors.ts'
import { PIECES_VERSION, piecesOf } from '../pieces.ts'
import { FEWEST_AT_ONCE, isOver, nextAtOnce } from './embed-scope.ts'
import { embedTaken } from './embed-taken.ts'
import type { EmbedPendingOptions } from './meaning-view.ts'
import type { Refusals } from './refusals.ts'

const MAX_BATCH_ENTRIES = 64
/** A soft limit: the pieces of an entry stay together. */
const MAX_BATCH_PIECES = 64
/** No model has a reason to refuse it. */
const PROBE_TEXT = 'a word'

export interface NativeRun extends EmbedPendingOptions {
  readonly store: Store
  readonly vectors: NativeVectors
  readonly source: EmbedSource
  readonly refusals: Refusals
  /** Entries that the model refused, to be tried again. */
  readonly retry: readonly string[]
  /** Pieces of unfinished entries, by hash. The run adds to it and removes from it. */
  readonly made: Map<string, Float32Array>
}

/** An entry and the texts of its pieces, by hash. */
interface PiecedEntry {
  readonly entry: Entry
  readonly texts: ReadonlyMap<string, string>
}

/** Returns how many pieces the model embedded. */
export async function embedNative(run: NativeRun): Promise<number> {
  const call = run.signal ? { signal: run.signal } : {}
  return new NativeEmbedding(run, await prepareModel(run, call), call).run()
}

/** Why vectors can't be compared; missing if they can. `dimensions`: of what the model makes, if known. */
export function modelConflict(
  present: VectorModel | undefined,
  name: string,
  dimensions: number | undefined,
): KeepsakeError | undefined {
  if (!present) return undefined
  const isOther = present.name !== name
  if (!isOther && (dimensions ?? present.dimensions) === present.dimensions) return undefined
  const problem = isOther
    ? `the vectors of this memory are of ${present.name}, not of ${name}`
    : `the vectors of this memory have ${present.dimensions} dimensions, and ${name} now makes ${dimensions}`
  const back = isOther ? `Set embedding_model to ${present.name}, or make` : 'Make'
  return new KeepsakeError('CONFLICT', problem, {
    hint: `${back} all of them again, for every agent: keepsake embed --anew`,
    data: { made: present.name, model: name },
  })
}

/** Resets the vectors if there are none yet, if the caller asked for it, or if an older rule cut the texts into pieces. */
async function prepareModel({ vectors, source, anew, made }: NativeRun, call: CallOptions): Promise<VectorModel> {
  const present = anew ? undefined : (await vectors.status([], call)).model
  const conflict = modelConflict(present, source.model, undefined)
  if (conflict) throw conflict
  if (present && present.pieces >= PIECES_VERSION) return present
  const dimensions = present?.dimensions ?? (await measureDimensions(source, call))
  const model = { name: source.model, dimensions, pieces: PIECES_VERSION }
  made.clear()
  await vectors.reset(model, call)
  return model
}

async function measureDimensions(source: EmbedSource, call: CallOptions): Promise<number> {
  const embed = await abortable(() => source.load(call), call.signal)
  const [vector] = (await embedTaken(embed, [['', PROBE_TEXT]], call.signal)).vectors.values()
  if (!vector) throw new Error('a model gave no vector') // see Embed
  return vector.length
}

class NativeEmbedding {
  readonly #run: NativeRun
  readonly #model: VectorModel
  readonly #call: CallOptions
  readonly #untilMs: number | undefined
  #embedded = 0
  #atOnce = FEWEST_AT_ONCE
  #done = 0
  #total = 0

  constructor(run: NativeRun, model: VectorModel, call: CallOptions) {
    this.#run = run
    this.#model = model
    this.#call = call
    this.#untilMs = run.forMs === undefined ? undefined : performance.now() + run.forMs
  }

  async run(): Promise<number> {
    const { store, vectors, retry, onProgress } = this.#run
    if (onProgress) {
      const scopes = new Set((await store.heads({}, this.#call)).map(({ scope }) => scope))
      this.#total = (await vectors.status([...scopes], this.#call)).pending.length + retry.length
    }
    let batch: PiecedEntry[] = []
    let pieces = 0
    for await (const entry of this.#entries()) {
      if (this.#isOver) return this.#embedded
      const texts = pieceTexts(entry, vectors.maxPieces)
      batch.push({ entry, texts })
      pieces += texts.size
      if (batch.length < MAX_BATCH_ENTRIES && pieces < MAX_BATCH_PIECES) continue
      await this.#embedBatch(batch)
      batch = []
      pieces = 0
    }
    if (batch.length > 0) await this.#embedBatch(batch)
    if (!this.#isOver) await vectors.prune?.(this.#call)
    return this.#embedded
  }

  async *#entries(): AsyncGenerator<Entry> {
    const { store, vectors, retry } = this.#run
    for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
      const page = await vectors.pending(afterSeq, MAX_BATCH_ENTRIES, this.#call)
      yield* page
      afterSeq = page.length < MAX_BATCH_ENTRIES ? undefined : page.at(-1)?.seq
    }
    if (retry.length > 0) yield* store.scan({ ids: new Set(retry) }, this.#call)
  }

  /** Puts what is finished even if the model fails or the run is interrupted. */
  async #embedBatch(batch: readonly PiecedEntry[]): Promise<void> {
    const { vectors, refusals, made } = this.#run
    const ids = batch.map(({ entry }) => entry.id)
    for (const { pieces } of (await vectors.read(ids, this.#call)).values()) {
      for (const { hash, vector } of pieces) made.set(hash, vector)
    }
    const accepted = batch.filter(({ texts }) => !refusals.isRefused(texts.keys()))
    const unknown = new Map(accepted.flatMap(({ texts }) => [...texts]).filter(([hash]) => !made.has(hash)))
    try {
      await this.#embedTexts([...unknown])
    } finally {
      await this.#put(batch)
    }
  }

  async #embedTexts(texts: (readonly [hash: string, text: string])[]): Promise<void> {
    const { source, refusals, made } = this.#run
    while (texts.length > 0 && !this.#isOver) {
      const embed = await abortable(() => source.load(this.#call), this.#call.signal)
      const startedMs = performance.now()
      const { vectors, refused } = await embedTaken(embed, texts.splice(0, this.#atOnce), this.#call.signal)
      refusals.refuse(refused)
      for (const [hash, vector] of vectors) {
        const conflict = modelConflict(this.#model, source.model, vector.length)
        if (conflict) throw conflict
        made.set(hash, vector)
      }
      this.#embedded += vectors.size
      this.#atOnce = nextAtOnce({ atOnce: this.#atOnce, untilMs: this.#untilMs }, performance.now() - startedMs)
    }
  }

  /** Ignores the signal, so that finished vectors are kept. */
  async #put(batch: readonly PiecedEntry[]): Promise<void> {
    const { vectors, refusals, made, onProgress } = this.#run
    const finished = new Map(batch.flatMap((each) => this.#finish(each) ?? []).map((each) => [each.id, each]))
    if (finished.size > 0) await vectors.put([...finished.values()], { model: this.#model })
    for (const { entry, texts } of batch) {
      const { id, revision, name, key } = entry
      if (!finished.has(id)) continue
      const pieces = { id, revision, name: name ?? key ?? null, hashes: new Set(texts.keys()) }
      if (!refusals.setAside(pieces)) refusals.delete(id)
      this.#done++
      onProgress?.(this.#done, Math.max(this.#done, this.#total))
    }
    if (finished.size === batch.length) made.clear()
  }

  /** `undefined`: some of its pieces were not made yet. */
  #finish({ entry: { id, revision }, texts }: PiecedEntry): EntryVectors | undefined {
    const { refusals, made } = this.#run
    if (refusals.isRefused(texts.keys())) return { id, revision, pieces: [], isRefused: true }
    const pieces = [...texts.keys()].flatMap((hash) => {
      const vector = made.get(hash)
      return vector ? [{ hash, vector }] : []
    })
    return pieces.length === texts.size ? { id, revision, pieces } : undefined
  }

  get #isOver(): boolean {
    return isOver({ untilMs: this.#untilMs })
  }
}

/** The name comes last: the first piece represents the entry for other programs that read the store. */
function pieceTexts(entry: Entry, maxPieces?: number): ReadonlyMap<string, string> {
  const pieces = piecesOf(entry)
  const isNamed = pieces.length > 1 && pieces[0] === (entry.name ?? entry.key)?.trim()
  const ordered = isNamed ? [...pieces.slice(1), ...pieces.slice(0, 1)] : pieces
  return new Map(ordered.slice(0, maxPieces).map((piece) => [digest32(piece), piece]))
}
