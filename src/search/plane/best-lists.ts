/** Many short lists of the best, filled side by side: for each of so many, the rows that score most, the best first, each once. */
export const NOBODY = 0xffff_ffff

export class BestLists {
  /** In each. */
  readonly most: number
  /** One list after the other; NOBODY where fewer were offered. */
  readonly rows: Uint32Array<ArrayBuffer>
  readonly #scores: Float32Array<ArrayBuffer>

  constructor(lists: number, most: number) {
    this.most = most
    this.rows = new Uint32Array(lists * most).fill(NOBODY)
    this.#scores = new Float32Array(lists * most).fill(Number.NEGATIVE_INFINITY)
  }

  /** Of equal ones, the one that was offered first is the better. */
  offer(list: number, row: number, score: number): void {
    const first = list * this.most
    let place = first + this.most - 1
    if (!(score > (this.#scores[place] as number)) || this.#has(list, row)) return
    for (; place > first && score > (this.#scores[place - 1] as number); place--) {
      this.#scores[place] = this.#scores[place - 1] as number
      this.rows[place] = this.rows[place - 1] as number
    }
    this.#scores[place] = score
    this.rows[place] = row
  }

  #has(list: number, row: number): boolean {
    const end = (list + 1) * this.most
    for (let place = list * this.most; place < end; place++) if (this.rows[place] === row) return true
    return false
  }
}
