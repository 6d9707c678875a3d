/**
 * How far the vectors that a store keeps itself tell of the entries: what the last look at the store said. Invariant: an entry `has` its
 * vectors only where no change touched it after they were made, so that what the store still has of an older text never counts; nor does
 * what is of another text although it should not be, which somebody wrote too late: that is to be made again.
 */
import { KIND_NAMES } from '../../model/kinds.ts'
import type { CallOptions } from '../../ports/store.ts'
import type { NativeVectors, StoredVectors, VectorProgress } from '../../ports/vectors.ts'
import type { Segment } from '../../search/segment.ts'
import { decode } from '../../search/utf8.ts'
import { COLUMN, MIRROR, storedSeq } from '../entry-document.ts'
import { PIECES_VERSION } from '../pieces.ts'
import type { ScopeIndex } from '../scope-index.ts'
import { KnownVectors } from './known-vectors.ts'

const IDENTITY = KIND_NAMES.indexOf('identity')

export class NativeState {
  readonly #vectors: NativeVectors
  #progress: VectorProgress | undefined
  #known: KnownVectors | undefined
  /** Since the vectors were made, and at which change at the latest. */
  readonly #touched = new Map<string, number>()
  /** Up to which change that is. */
  #number = 0
  #without: ReadonlySet<string> = new Set()
  /** Those that were read turned out to be of another text. */
  readonly #outdated = new Set<string>()
  #indexes: readonly ScopeIndex[] = []

  constructor(vectors: NativeVectors) {
    this.#vectors = vectors
  }

  get progress(): VectorProgress | undefined {
    return this.#progress
  }

  /** Missing while there are none. */
  get known(): KnownVectors | undefined {
    return this.#known
  }

  /** Whether anything is to be made or removed, of any agent. */
  get isBehind(): boolean {
    const { upToSeq, pieces } = this.#progress ?? { upToSeq: 0, pieces: PIECES_VERSION }
    return upToSeq !== undefined || pieces < PIECES_VERSION || this.#touched.size > 0
  }

  /** Entries of any agent, gone ones too, that a change touched since. */
  get touched(): number {
    return this.#touched.size
  }

  get outdated(): ReadonlySet<string> {
    return this.#outdated
  }

  see(indexes: readonly ScopeIndex[]): void {
    this.#indexes = indexes
  }

  async look(options: CallOptions): Promise<void> {
    const progress = await this.#vectors.progress(options)
    if (progress) await this.#follow(progress, options)
    this.#progress = progress
    this.#without = new Set(progress?.without)
  }

  /** What was read of these, for `known` as it was before. */
  take(known: KnownVectors, ids: readonly string[], read: ReadonlyMap<string, StoredVectors>): void {
    const current = [...read].filter(([, { isCurrent }]) => isCurrent)
    known.take(ids, new Map(current.map(([id, { pieces }]) => [id, pieces])))
    if (known !== this.#known) return
    for (const [id, { isCurrent }] of read) if (!isCurrent) this.#outdated.add(id)
  }

  /** These were made again. */
  renew(ids: Iterable<string>): void {
    for (const id of ids) this.#renew(id)
  }

  has(id: string): boolean {
    if (!this.#progress || this.#outdated.has(id)) return false
    const at = this.#touched.get(id)
    const { upToSeq, partly } = this.#progress
    if (this.isWithout(id)) return false
    if (at === undefined) return upToSeq === undefined || this.#isUpTo(id, upToSeq)
    return partly !== undefined && at <= partly.number && this.#isUpTo(id, partly.upToSeq)
  }

  /** It is at what the model did not take, and will get none until it is tried again. */
  isWithout(id: string): boolean {
    return this.#without.has(id) && !this.#touched.has(id)
  }

  /** Entries of these indexes that a model reads. */
  *ids(): IterableIterator<string> {
    for (const { index } of this.#indexes) {
      for (const segment of index.segments()) {
        for (let document = 0; document < segment.documents; document++) {
          if (!segment.removed.has(document) && isRead(segment, document)) yield segment.id(document)
        }
      }
    }
  }

  /** How many of them have vectors, and how many have none yet. What says nothing at all counts as if it had. */
  count(): { readonly entries: number; readonly pending: number } {
    let [entries, pending] = [0, 0]
    for (const id of this.ids()) {
      if (this.has(id)) entries++
      else pending++
    }
    return { entries, pending }
  }

  /** How many have none yet, which takes no look at all of them as a rule. */
  get pending(): number {
    if (!this.#progress || this.#progress.upToSeq !== undefined) return this.count().pending
    let pending = 0
    const others = new Set([...this.#touched.keys(), ...this.#without, ...this.#outdated])
    for (const id of others) if (this.isThere(id) && !this.has(id)) pending++
    return pending
  }

  async #follow(progress: VectorProgress, options: CallOptions): Promise<void> {
    const { number, begun, dimensions } = progress
    const before = this.#progress
    if (!this.#known || before?.begun !== begun || number < before.number) {
      this.#known = new KnownVectors(dimensions)
      this.#touched.clear()
      this.#outdated.clear()
      this.#number = number
    }
    const { ids, number: last } = await this.#vectors.touchedAfter(this.#number, options)
    const { number: parted = this.#number } = progress.partly ?? {}
    const isParted = parted > this.#number && parted < last
    const later = new Set(isParted ? (await this.#vectors.touchedAfter(parted, options)).ids : ids)
    for (const id of ids) this.#touched.set(id, later.has(id) ? last : parted)
    this.renew(ids)
    this.#number = last
    for (const [id, at] of this.#touched) {
      if (at > number) continue
      this.#touched.delete(id)
      // They may have been read while they were made.
      this.#renew(id)
    }
    this.#known.tidy()
  }

  #renew(id: string): void {
    this.#outdated.delete(id)
    this.#known?.forget(id)
  }

  /** In these indexes, and for a model to read. */
  isThere(id: string): boolean {
    return this.#place(id, isRead) === true
  }

  #isUpTo(id: string, seq: number): boolean {
    return this.#place(id, (segment, document) => storedSeq(decode(segment.storedBytes(document))) <= seq) === true
  }

  #place<T>(id: string, use: (segment: Segment, document: number) => T): T | undefined {
    for (const { index } of this.#indexes) {
      for (const segment of index.segments()) {
        const document = segment.find(id)
        if (document >= 0) return use(segment, document)
      }
    }
    return undefined
  }
}

/** Not for a model to read: see pieces.ts. */
function isRead(segment: Segment, document: number): boolean {
  const kind = segment.column(document, COLUMN.kind)
  return kind !== IDENTITY && kind !== MIRROR
}
