/** The best of many, without sorting them all: a heap with the worst of the kept on top. */

export interface Scored {
  readonly doc: number
  readonly score: number
}

/** Whether the first stands before the second; by score first, and no two are equal in the end. */
export type Tie = (a: number, b: number) => boolean

export class Top {
  readonly #most: number
  readonly #tie: Tie
  readonly #heap: Scored[] = []

  /** `tie` decides between documents of one score. */
  constructor(most: number, tie: Tie) {
    this.#most = most
    this.#tie = tie
  }

  offer(doc: number, score: number): void {
    const worst = this.#heap[0]
    if (!worst || this.#heap.length < this.#most) {
      this.#heap.push({ doc, score })
      this.#up()
    } else if (score > worst.score || (score === worst.score && this.#tie(doc, worst.doc))) {
      this.#heap[0] = { doc, score }
      this.#down()
    }
  }

  inOrder(): Scored[] {
    return [...this.#heap].sort((a, b) => (isBefore(a, b, this.#tie) ? -1 : 1))
  }

  #up(): void {
    let at = this.#heap.length - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#swapped(parent, at)) return
      at = parent
    }
  }

  #down(): void {
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      const worse = right < this.#heap.length && this.#isAbove(right, left) ? right : left
      if (worse >= this.#heap.length || !this.#swapped(at, worse)) return
      at = worse
    }
  }

  /** The worse of two belongs above. */
  #swapped(above: number, below: number): boolean {
    if (!this.#isAbove(below, above)) return false
    const [a, b] = [this.#heap[above] as Scored, this.#heap[below] as Scored] // both within the heap
    this.#heap[above] = b
    this.#heap[below] = a
    return true
  }

  #isAbove(one: number, other: number): boolean {
    return isBefore(this.#heap[other] as Scored, this.#heap[one] as Scored, this.#tie) // both within the heap
  }
}

export function isBefore(a: Scored, b: Scored, tie: Tie): boolean {
  return a.score === b.score ? tie(a.doc, b.doc) : a.score > b.score
}
