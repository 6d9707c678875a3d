/**
 * The best row of each of the so many best owners, kept while rows are offered in ascending order: a heap with the worst on top. Of equal
 * scores the lower row wins, and as it came first, a later one has to score more.
 */
export interface Nearest {
  readonly owner: number
  readonly row: number
  readonly score: number
}

export class BestOwners {
  readonly #most: number
  readonly #heap: Nearest[] = []
  readonly #owners = new Set<number>()

  constructor(most: number) {
    this.#most = most
  }

  get full(): boolean {
    return this.#heap.length >= this.#most
  }

  /** What a row has to score more than, of whatever owner. */
  get floor(): number {
    return this.full ? (this.#heap[0]?.score ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY
  }

  has(owner: number): boolean {
    return this.#owners.has(owner)
  }

  offer(owner: number, row: number, score: number): void {
    if (this.full && score <= this.floor) return
    const offered = { owner, row, score }
    if (this.#owners.has(owner)) {
      const place = this.#heap.findIndex((kept) => kept.owner === owner)
      if (score > (this.#heap[place] as Nearest).score) this.#sink(place, offered)
      return
    }
    this.#owners.add(owner)
    if (!this.full) {
      this.#rise(this.#heap.length, offered)
      return
    }
    this.#owners.delete((this.#heap[0] as Nearest).owner)
    this.#sink(0, offered)
  }

  /** The best first. */
  ranked(): readonly Nearest[] {
    return this.#heap.sort((a, b) => (isWorse(a, b) ? 1 : -1))
  }

  #rise(from: number, risen: Nearest): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = this.#heap[parent] as Nearest
      if (!isWorse(risen, above)) break
      this.#heap[place] = above
      place = parent
    }
    this.#heap[place] = risen
  }

  #sink(from: number, sunk: Nearest): void {
    const size = this.#heap.length
    let place = from
    for (;;) {
      let child = place * 2 + 1
      if (child >= size) break
      if (child + 1 < size && isWorse(this.#heap[child + 1] as Nearest, this.#heap[child] as Nearest)) child++
      const below = this.#heap[child] as Nearest
      if (!isWorse(below, sunk)) break
      this.#heap[place] = below
      place = child
    }
    this.#heap[place] = sunk
  }
}

function isWorse(a: Nearest, b: Nearest): boolean {
  return a.score < b.score || (a.score === b.score && a.row > b.row)
}
