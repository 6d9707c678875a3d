/**
 * The vectors of one scope's entries, in RAM. A row is the vector of one piece of text, known by the text's hash; an entry owns
 * the rows of its pieces at one revision. Invariant: a row's number and vector never change; what changes is whose it is. A row
 * that nobody owns any more is kept all the same, so that a text that comes back is not embedded again, until `retained` leaves it.
 */
import { VectorIndex } from '../../search/vectors/vector-index.ts'
import { BLOCK_ROWS, type Block, type BlockOwner } from './block.ts'
import type { Near } from './meaning-view.ts'

interface Owner {
  readonly id: string
  revision: string
  /** How many rows it has when all are there. */
  of: number
  rows: number[]
  /** It is there, and this is its revision there. */
  isCurrent: boolean
}

export class VectorRows {
  readonly #index: VectorIndex
  readonly #hashes: string[] = []
  /** By row; missing: nobody's. */
  readonly #ownerOf: (Owner | undefined)[] = []
  /** By the number that the index knows them by. */
  readonly #owners: Owner[] = []
  readonly #byId = new Map<string, number>()
  readonly #byHash = new Map<string, number>()
  /** Blocks that differ from what was last taken to be saved. */
  readonly #changed = new Set<number>()

  constructor(dimensions: number) {
    this.#index = new VectorIndex(dimensions)
  }

  get dimensions(): number {
    return this.#index.dimensions
  }

  get rows(): number {
    return this.#index.rows
  }

  /** Rows of entries that are there. */
  get currentRows(): number {
    return this.#owners.reduce((sum, { isCurrent, rows }) => sum + (isCurrent ? rows.length : 0), 0)
  }

  get currentEntries(): number {
    return this.#owners.reduce((sum, { isCurrent }) => sum + (isCurrent ? 1 : 0), 0)
  }

  get changedBlocks(): ReadonlySet<number> {
    return this.#changed
  }

  knows(hash: string): boolean {
    return this.#byHash.has(hash)
  }

  /** Of the vectors that it has; missing where any is not there. */
  revisionOf(id: string): string | undefined {
    const owner = this.#owner(id)
    return owner && owner.rows.length === owner.of ? owner.revision : undefined
  }

  ids(): Iterable<string> {
    return this.#byId.keys()
  }

  /** Whether it is there and has its vectors. */
  isCurrent(id: string): boolean {
    return this.#owner(id)?.isCurrent === true
  }

  setCurrent(id: string, isCurrent: boolean): void {
    const owner = this.#owner(id)
    if (owner) owner.isCurrent = isCurrent
  }

  /**
   * The entry has these pieces now, by hash. Those that are known or among the `fresh` become its rows; whether these are all of
   * them. While they are not, it has none that count.
   */
  put(id: string, revision: string, hashes: ReadonlySet<string>, fresh: ReadonlyMap<string, Float32Array>): boolean {
    const number = this.#numberFor(id)
    const owner = this.#owners[number] as Owner // just looked up
    const had = new Map(owner.rows.map((row) => [this.#hashes[row] ?? '', row]))
    for (const [hash, row] of had) if (!hashes.has(hash)) this.#disown(row)
    const rows = [...hashes].flatMap((hash) => had.get(hash) ?? this.#appendKnown(hash, number, fresh) ?? [])
    for (const row of [...owner.rows, ...rows]) this.#changed.add(blockOf(row))
    const isCurrent = rows.length === hashes.size
    Object.assign(owner, { revision, of: hashes.size, rows, isCurrent })
    return isCurrent
  }

  /** Rows as they were saved, behind those that are there; `from`: the first of these in the block. */
  take({ owners, rows, vectors }: Block, from = 0): void {
    const added = rows.slice(from)
    const saved = added.map(({ owner }) => (owner === undefined ? undefined : owners[owner]))
    const numbers = saved.map((owner) => this.#numberFor(owner?.id ?? ''))
    const first = this.#index.addAll(vectors.subarray(from * this.dimensions), numbers)
    for (const [at, { hash }] of added.entries()) {
      const owner = this.#owners[numbers[at] ?? 0] as Owner // just looked up
      const known = saved[at]
      this.#note(hash, owner)
      if (!known || !this.#takeOver(owner, known) || this.#has(owner, hash)) this.#disown(first + at)
      else owner.rows.push(first + at)
    }
  }

  /** For saving. */
  block(number: number): Block {
    const from = number * BLOCK_ROWS
    const count = Math.min(BLOCK_ROWS, this.rows - from)
    const numbers = new Map<Owner, number>()
    const owners: BlockOwner[] = []
    const rows = this.#hashes.slice(from, from + count).map((hash, at) => {
      const owner = this.#ownerOf[from + at]
      if (!owner) return { hash }
      if (!numbers.has(owner)) {
        numbers.set(owner, owners.length)
        owners.push({ id: owner.id, revision: owner.revision, of: owner.of })
      }
      return { hash, owner: numbers.get(owner) ?? 0 }
    })
    return { owners, rows, vectors: this.#index.copy(from, count) }
  }

  isSaved(block: number): void {
    this.#changed.delete(block)
  }

  changed(block: number): void {
    this.#changed.add(block)
  }

  changeAll(): void {
    for (let row = 0; row < this.rows; row += BLOCK_ROWS) this.#changed.add(blockOf(row))
  }

  /** Anew, with the vectors of entries that are there and nothing else. */
  retained(): VectorRows {
    const other = new VectorRows(this.dimensions)
    this.carryOver(other)
    return other
  }

  /** What entries that are there have here is put there too. */
  carryOver(other: VectorRows): void {
    for (const { id, revision, of, rows, isCurrent } of this.#owners) {
      if (!isCurrent || rows.length !== of) continue
      if (other.revisionOf(id) === revision) other.setCurrent(id, true)
      else {
        const fresh = new Map(rows.map((row) => [this.#hashes[row] ?? '', this.#index.copy(row, 1)]))
        other.put(id, revision, new Set(fresh.keys()), fresh)
      }
    }
  }

  /** Of the nearest piece of each that has vectors. All at once: the query is made ready for each call. */
  cosines(query: Float32Array, ids: Iterable<string>): Map<string, number> {
    const owners: string[] = []
    const rows: number[] = []
    for (const id of ids) {
      const owner = this.#owner(id)
      if (!owner?.isCurrent) continue
      for (const row of owner.rows) {
        owners.push(id)
        rows.push(row)
      }
    }
    const found = new Map<string, number>()
    const scores = this.#index.scores(query, rows)
    for (const [n, id] of owners.entries()) {
      const score = scores[n] ?? Number.NEGATIVE_INFINITY
      if (score > (found.get(id) ?? Number.NEGATIVE_INFINITY)) found.set(id, score)
    }
    return found
  }

  /** The mean of its pieces, of length 1, or 0 where they cancel each other out; `undefined`: it has no vectors. */
  mean(id: string): Float32Array | undefined {
    const owner = this.#owner(id)
    if (!owner?.isCurrent) return undefined
    const sum = new Float32Array(this.dimensions)
    for (const row of owner.rows) {
      const piece = this.#index.copy(row, 1)
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (piece[i] as number)
    }
    const length = Math.hypot(...sum)
    return length === 0 ? sum : sum.map((value) => value / length)
  }

  best(query: Float32Array, most: number, accepts: (id: string) => boolean): Near[] {
    const found = this.#index.top(query, most, (number) => {
      const owner = this.#owners[number]
      return owner?.isCurrent === true && accepts(owner.id)
    })
    return found.map(({ owner, score }) => ({ id: this.#owners[owner]?.id ?? '', cosine: score }))
  }

  #owner(id: string): Owner | undefined {
    const number = this.#byId.get(id)
    return number === undefined ? undefined : this.#owners[number]
  }

  #numberFor(id: string): number {
    const known = this.#byId.get(id)
    if (known !== undefined) return known
    const number = this.#owners.push({ id, revision: '', of: 0, rows: [], isCurrent: false }) - 1
    this.#byId.set(id, number)
    return number
  }

  /** Whether a saved row belongs to what the entry is known to be: what is there stays, else the later one counts. */
  #takeOver(owner: Owner, saved: BlockOwner): boolean {
    if (owner.revision === saved.revision && owner.of === saved.of) return true
    if (owner.isCurrent) return false
    for (const row of owner.rows) this.#disown(row)
    Object.assign(owner, { revision: saved.revision, of: saved.of, rows: [] })
    return true
  }

  #appendKnown(hash: string, number: number, fresh: ReadonlyMap<string, Float32Array>): number | undefined {
    const row = this.#byHash.get(hash)
    const vector = row === undefined ? fresh.get(hash) : this.#index.copy(row, 1)
    return vector && this.#append(hash, number, vector)
  }

  #append(hash: string, number: number, vector: Float32Array): number {
    const row = this.#index.add(vector, number)
    this.#note(hash, this.#owners[number])
    return row
  }

  /** Of the row that the index was given last. */
  #note(hash: string, owner: Owner | undefined): void {
    const row = this.#hashes.push(hash) - 1
    this.#ownerOf.push(owner)
    if (!this.#byHash.has(hash)) this.#byHash.set(hash, row)
  }

  #has({ rows }: Owner, hash: string): boolean {
    return rows.some((row) => this.#hashes[row] === hash)
  }

  #disown(row: number): void {
    this.#ownerOf[row] = undefined
    this.#index.remove(row)
  }
}

function blockOf(row: number): number {
  return Math.floor(row / BLOCK_ROWS)
}
