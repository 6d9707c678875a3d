/**
 * Makes the vectors that a store keeps itself, of all agents' entries: at first all of them in the order of `seq`, then whatever
 * changes touched, and says how far it has come about every second. Whoever ends it loses a second of work and nothing else: what it
 * has put is found by the hash of its text. The holder of the lease runs it, and stops where it finds that it has lost it. What is purged
 * while it runs leaves nothing here: it is looked for before and after it is put, and who was stopped between the two leaves it to the next.
 */
import { abortable } from '../../model/abortable.ts'
import type { Entry } from '../../model/entry.ts'
import { oneQuestion } from '../../model/one-question.ts'
import type { Embed } from '../../ports/embed.ts'
import type { CallOptions, Store } from '../../ports/store.ts'
import type { NativeVectors } from '../../ports/vectors.ts'
import { FEWEST_AT_ONCE, isOver, nextAtOnce } from './embed-scope.ts'
import { embedTaken } from './embed-taken.ts'
import { difference } from './guarded-vectors.ts'
import { goneSince, type Looked, lookAt } from './looked-entries.ts'
import { batches, type PiecedEntry, piecesIn } from './native-batches.ts'
import { NativeProgress } from './native-progress.ts'
import type { Refusals } from './refusals.ts'

export interface NativeRun {
  readonly store: Store
  readonly vectors: NativeVectors
  readonly model: string
  readonly load: () => Promise<Embed>
  readonly refusals: Refusals
  readonly signal: AbortSignal | undefined
  /** By `performance.now()`: from then on nothing more is begun. Missing: all is done. */
  readonly untilMs?: number
  /** Entries that the model did not take the last time, and may take now. */
  readonly again: readonly string[]
  /** Called with each entry that is done. */
  readonly settled: () => void
}

interface NativeEmbedded {
  readonly embedded: number
  /** Somebody else goes on with it. */
  readonly isLost: boolean
}

/** `anew`: in place of whatever is there. */
export async function embedNative(run: NativeRun, anew: boolean): Promise<NativeEmbedded> {
  return new NativeEmbedding(run, await NativeProgress.open(run, anew)).run()
}

class NativeEmbedding {
  readonly #run: NativeRun
  readonly #call: CallOptions
  readonly #progress: NativeProgress
  #embedded = 0
  #atOnce = FEWEST_AT_ONCE

  constructor(run: NativeRun, progress: NativeProgress) {
    this.#run = run
    this.#progress = progress
    this.#call = run.signal ? { signal: run.signal } : {}
  }

  async run(): Promise<NativeEmbedded> {
    try {
      if ((await this.#inOrder()) && (await this.#touched())) await this.#ids(this.#run.again, 0, async () => undefined)
    } finally {
      await this.#progress.save()
    }
    return { embedded: this.#embedded, isLost: this.#progress.isLost }
  }

  /** Every entry that is there. Whether all have been come to. */
  async #inOrder(): Promise<boolean> {
    const { upToSeq, ...rest } = this.#progress.reached
    if (upToSeq === undefined) return true
    const advance = (seq: number): Promise<void> => this.#progress.advance({ ...rest, upToSeq: seq })
    if (!(await this.#entries(this.#run.store.scan({}, this.#call), upToSeq, advance))) return false
    await this.#progress.advance(rest)
    return true
  }

  /** What changes touched since, until there are no more. */
  async #touched(): Promise<boolean> {
    for (;;) {
      const { partly, ...before } = this.#progress.reached
      const { ids, number: last } = await this.#run.vectors.touchedAfter(before.number, this.#call)
      if (last <= before.number) return true
      // What was left in the middle first: what was touched after it has its turn then.
      const number = partly?.number ?? last
      const later = new Set(number < last ? (await this.#run.vectors.touchedAfter(number, this.#call)).ids : [])
      const upToSeq = partly?.upToSeq ?? 0
      const advance = (seq: number): Promise<void> =>
        this.#progress.advance({ ...before, partly: { number, upToSeq: Math.max(seq, upToSeq) } })
      const some = ids.filter((id) => !later.has(id))
      if (!(await this.#ids(some, upToSeq, advance))) return false
      await this.#progress.advance({ ...before, number })
      if (this.#isOver) return false
    }
  }

  /** In the order of `seq`, from behind the one that is given. Those that are gone lose their vectors. */
  async #ids(ids: readonly string[], afterSeq: number, advance: (seq: number) => Promise<void>): Promise<boolean> {
    if (ids.length === 0) return true
    const { store, vectors, settled } = this.#run
    const there = new Set((await store.heads({ ids: new Set(ids) }, this.#call)).map(({ id }) => id))
    const gone = ids.filter((id) => !there.has(id))
    if (gone.length > 0) await vectors.remove(gone, this.#call)
    for (const id of gone) {
      this.#progress.noteWithout(id, false)
      settled()
    }
    return this.#entries(this.#run.store.scan({ ids: there }, this.#call), afterSeq, advance)
  }

  /** Whether all have been come to. */
  async #entries(
    entries: AsyncIterable<Entry>,
    afterSeq: number,
    advance: (seq: number) => Promise<void>,
  ): Promise<boolean> {
    for await (const some of batches(entries, afterSeq)) {
      if (!(await this.#settle(some))) return false
      await advance(some.at(-1)?.entry.seq ?? afterSeq)
      if (this.#isOver) return false
    }
    return true
  }

  /** Whether all of them have their vectors now, or will have none. What was made is put in any case. */
  async #settle(batch: readonly PiecedEntry[]): Promise<boolean> {
    const { store, vectors, refusals, settled } = this.#run
    const once = oneQuestion(this.#call)
    const before = await lookAt(store, batch, once)
    // What was touched meanwhile has its turn when changes are followed.
    const some = batch.filter(({ entry }) => before.revisions.get(entry.id) === entry.revision)
    const read = await vectors.read(
      some.map(({ entry }) => entry.id),
      once,
    )
    const known = new Map([...read.values()].flatMap(({ pieces }) => pieces.map(({ hash, vector }) => [hash, vector])))
    const taken = some.filter(({ texts }) => !refusals.isRefused(texts.keys()))
    const unknown = new Map(taken.flatMap(({ texts }) => [...texts]).filter(([hash]) => !known.has(hash)))
    try {
      await this.#embed(unknown, known)
    } finally {
      await this.#put(some, known, { had: new Set(read.keys()), before })
    }
    if (this.#progress.isLost) return false
    let isDone = true
    for (const { entry, texts } of some) {
      const { id, revision, name, key } = entry
      const hashes = new Set(texts.keys())
      const isRefused = refusals.setAside({ id, revision, name: name ?? key ?? null, hashes })
      this.#progress.noteWithout(id, isRefused)
      if (!isRefused) refusals.delete(id)
      if (isRefused || [...hashes].every((hash) => known.has(hash))) settled()
      else isDone = false
    }
    return isDone
  }

  /** Adds to `known` what the model makes, until the time is over. */
  async #embed(unknown: ReadonlyMap<string, string>, known: Map<string, Float32Array>): Promise<void> {
    const { load, signal, refusals, untilMs } = this.#run
    const texts = [...unknown]
    while (texts.length > 0 && !this.#isOver) {
      const some = texts.splice(0, this.#atOnce)
      const embed = await abortable(load, signal)
      const begunMs = performance.now()
      const { vectors, refused } = await embedTaken(embed, some, signal)
      refusals.refuse(refused)
      for (const [hash, vector] of vectors) known.set(hash, this.#checked(vector))
      this.#embedded += vectors.size
      const limit = untilMs === undefined ? {} : { untilMs }
      this.#atOnce = nextAtOnce({ atOnce: this.#atOnce, ...limit }, performance.now() - begunMs)
    }
  }

  #checked(vector: Float32Array): Float32Array {
    const problem = difference(this.#progress.reached, this.#run.model, vector.length)
    if (problem) throw problem
    return vector
  }

  /**
   * Also what is not whole: the next one goes on from there. Also what has the same pieces as before, for what stands beside its vectors
   * may be other. Without the signal: it is put away even at the end.
   */
  async #put(
    some: readonly PiecedEntry[],
    known: ReadonlyMap<string, Float32Array>,
    { had, before }: { readonly had: ReadonlySet<string>; readonly before: Looked },
  ): Promise<void> {
    const { store, vectors, refusals } = this.#run
    const made = some
      .map(({ entry, texts }) => {
        const pieces = refusals.isRefused(texts.keys()) ? [] : piecesIn(texts, known)
        return { entry, pieces, of: texts.size }
      })
      .filter(({ entry, pieces }) => pieces.length > 0 || had.has(entry.id))
    if (made.length === 0 || !(await this.#progress.isOwn())) return
    await vectors.put(made)
    const gone = goneSince(made, before, await lookAt(store, made, {}))
    if (gone.length > 0) await vectors.remove(gone)
  }

  get #isOver(): boolean {
    return isOver(this.#run)
  }
}
