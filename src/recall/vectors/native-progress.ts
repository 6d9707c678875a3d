/**
 * How far an embedding has come, as it stands in the store: begun where there is nothing yet, and written down about every second, so that
 * others can use what is made and the next one goes on from there. Invariant: what somebody else has written there meanwhile is never
 * written over, for it means that the lease was lost.
 */
import { abortable } from '../../model/abortable.ts'
import type { Embed } from '../../ports/embed.ts'
import type { Store } from '../../ports/store.ts'
import type { NativeVectors, VectorProgress } from '../../ports/vectors.ts'
import { PIECES_VERSION } from '../pieces.ts'
import { embedTaken } from './embed-taken.ts'

interface Begin {
  readonly store: Store
  readonly vectors: NativeVectors
  readonly model: string
  readonly load: () => Promise<Embed>
  readonly signal: AbortSignal | undefined
}

type Reached = Omit<VectorProgress, 'without'>

interface Opened {
  /** As it stands in the store. */
  readonly stored: VectorProgress
  readonly from: VectorProgress
}

const SAVE_MS = 1000
/** Of entries that the model did not take; of more the last. */
const MOST_WITHOUT = 200
/** No model has a reason to refuse it. */
const HARMLESS = 'a word'

export class NativeProgress {
  readonly #vectors: NativeVectors
  readonly #without: Set<string>
  #reached: Reached
  /** As this one read or wrote it last. */
  #stored: string
  #isLost = false
  #isSaved = true
  #savedAtMs = performance.now()

  private constructor(vectors: NativeVectors, { stored, from: { without, ...reached } }: Opened) {
    this.#vectors = vectors
    this.#stored = JSON.stringify(stored)
    this.#reached = reached
    this.#without = new Set(without)
  }

  /** `anew`: what is there is emptied. */
  static async open(begin: Begin, anew: boolean): Promise<NativeProgress> {
    const known = anew ? undefined : await kept(begin)
    return new NativeProgress(begin.vectors, known ?? (await begun(begin)))
  }

  get reached(): Reached {
    return this.#reached
  }

  /** Somebody else has gone on with it, and nothing more may be written. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** To be asked before anything is written. Without a signal, as what is written then. */
  async isOwn(): Promise<boolean> {
    if (!this.#isLost) this.#isLost = JSON.stringify(await this.#vectors.progress()) !== this.#stored
    return !this.#isLost
  }

  async advance(reached: Reached): Promise<void> {
    this.#reached = reached
    this.#isSaved = false
    if (performance.now() - this.#savedAtMs >= SAVE_MS) await this.save()
  }

  /** Whether the entry has none although it has been come to. */
  noteWithout(id: string, isWithout: boolean): void {
    if (this.#without.delete(id) || isWithout) this.#isSaved = false
    if (isWithout) this.#without.add(id)
  }

  /** Without a signal: it is put away even at the end. */
  async save(): Promise<void> {
    if (this.#isSaved || !(await this.isOwn())) return
    this.#isSaved = true
    this.#savedAtMs = performance.now()
    const without = [...this.#without].slice(-MOST_WITHOUT)
    const progress = { ...this.#reached, ...(without.length === 0 ? {} : { without }) }
    await this.#vectors.advance(progress)
    this.#stored = JSON.stringify(progress)
  }
}

async function kept({ vectors, signal }: Begin): Promise<Opened | undefined> {
  const stored = await vectors.progress(signal ? { signal } : {})
  if (!stored || stored.pieces >= PIECES_VERSION) return stored && { stored, from: stored }
  // Cut by an older rule: all are looked at again, and pieces that are the same keep their vectors.
  return { stored, from: { ...stored, pieces: PIECES_VERSION, upToSeq: 0 } }
}

async function begun({ store, vectors, model, load, signal }: Begin): Promise<Opened> {
  const call = signal ? { signal } : {}
  const vector = (await embedTaken(await abortable(load, signal), [['', HARMLESS]], signal)).vectors.get('')
  if (!vector) throw new Error('a model gave no vector') // see Embed
  const { number } = (await store.feed('now', call)).cursor
  const dimensions = vector.length
  const progress = { model, dimensions, pieces: PIECES_VERSION, begun: crypto.randomUUID(), number, upToSeq: 0 }
  await vectors.begin(progress, call)
  return { stored: progress, from: progress }
}
