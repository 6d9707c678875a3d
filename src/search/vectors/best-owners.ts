/**
 * The best row of each of the so many best owners, kept while rows are offered in ascending order: a heap with the worst on top. Whoever
 * scores as much as the worst is kept beside it, for which of them is the better only the caller can say.
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
  /** What scores as much as the worst of the heap; some came into it later by a better row. */
  #tied: Nearest[] = []

  constructor(most: number) {
    this.#most = most
  }

  get full(): boolean {
    return this.#heap.length >= this.#most
  }

  /** What a row has to score at least, of whatever owner. */
  get floor(): number {
    return this.full ? (this.#heap[0]?.score ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY
  }

  has(owner: number): boolean {
    return this.#owners.has(owner)
  }

  offer(owner: number, row: number, score: number): void {
    const { floor } = this
    if (score < floor) return
    const offered = { owner, row, score }
    if (this.#owners.has(owner)) {
      const place = this.#heap.findIndex((kept) => kept.owner === owner)
      if (score > (this.#heap[place] as Nearest).score) this.#sink(place, offered)
    } else if (!this.full) {
      this.#owners.add(owner)
      this.#rise(this.#heap.length, offered)
    } else if (score === floor) {
      this.#tied.push(offered)
    } else {
      const worst = this.#heap[0] as Nearest // it is full
      this.#owners.delete(worst.owner)
      this.#owners.add(owner)
      this.#tied.push(worst)
      this.#sink(0, offered)
    }
    if (this.floor > floor) this.#tied = []
  }

  /** The best first, and with the last of them all that score as much. */
  ranked(): readonly Nearest[] {
    const all = [...this.#heap]
    const owners = new Set(this.#owners)
    for (const tied of this.#tied) {
      if (owners.has(tied.owner)) continue
      owners.add(tied.owner)
      all.push(tied)
    }
    return all.sort((a, b) => (isWorse(a, b) ? 1 : -1))
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
