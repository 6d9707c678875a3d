/**
 * Which words of a text belong to lines and sentences that were injected as they are, and which only to runs of words that
 * were: a sentence put together from the runs of others is new.
 */
import { LONGEST, runFrom, runPrint, runTo, SHORTEST, type Span, TELLING, WHOLE, wholePrint } from './fingerprints.ts'
import type { Word } from './words.ts'

/** The fingerprints that count. */
export type Prints = Pick<ReadonlySet<number>, 'has'>

/** Words at the end of a sentence that no run reaches: runs begin at every second word, or fourth. */
const MOST_LEFT = 4

export class Coverage {
  readonly #words: readonly Word[]
  readonly #prints: Prints
  readonly #whole: Uint8Array
  readonly #run: Uint8Array
  /** Whether a word and the one before it are in one run. */
  readonly #joined: Uint8Array

  constructor(words: readonly Word[], pieces: readonly Span[], prints: Prints) {
    this.#words = words
    this.#prints = prints
    this.#whole = new Uint8Array(words.length)
    this.#run = new Uint8Array(words.length)
    this.#joined = new Uint8Array(words.length + 1)
    this.#coverRuns(pieces)
    this.#coverWholes(pieces)
    this.#uncoverShortRuns()
  }

  has(word: number): boolean {
    return this.#whole[word] === 1 || this.#run[word] === 1
  }

  /** In a stretch that is too long to be there by chance. */
  isTelling({ from, to }: Span): boolean {
    return this.#run.subarray(from, to).includes(1)
  }

  /** Whether all of it is covered; where a cut may have left a part of a sentence, by runs that overlap. */
  isWhole({ from, to }: Span, cut: { readonly begins: boolean; readonly ends: boolean }): boolean {
    let start = from
    if (cut.begins)
      while (start < to && this.#run[start] === 1 && (start === from || this.#joined[start] === 1)) start++
    let end = to
    if (cut.ends) while (end > start && this.#run[end - 1] === 1 && (end === to || this.#joined[end] === 1)) end--
    return !this.#whole.subarray(start, end).includes(0)
  }

  #coverWholes(pieces: readonly Span[]): void {
    const starts = new Set(pieces.map(({ from }) => from))
    for (let at = 0; at < this.#words.length; at++) {
      const isRun = this.#isRun(runFrom(this.#words, at))
      if (!isRun && !starts.has(at)) continue
      for (const end of this.#wholesFrom(at, isRun)) {
        this.#whole.fill(1, at, end)
        // The next one may begin here.
        starts.add(end)
      }
    }
  }

  /** Where those that begin here end. A long one begins with a run and is made of runs; the shortest are so with others only. */
  #wholesFrom(from: number, isRun: boolean): number[] {
    const ends: number[] = []
    let print = WHOLE
    let weight = 0
    let left = 0
    for (let at = from; at < this.#words.length && at < from + LONGEST; at++) {
      const word = this.#words[at] as Word // below the length
      print = wholePrint(print, word)
      weight += word.weight
      left = this.#run[at] === 1 ? 0 : left + 1
      if (weight >= TELLING && (!isRun || left > MOST_LEFT)) break
      if (this.#prints.has(print) && (weight >= SHORTEST || this.#run[at] === 1)) ends.push(at + 1)
    }
    return ends
  }

  #coverRuns(pieces: readonly Span[]): void {
    for (let at = 0; at < this.#words.length; at++) this.#coverRun(runFrom(this.#words, at))
    for (const { to } of pieces) this.#coverRun(runTo(this.#words, to))
  }

  #coverRun(run: Span | undefined): void {
    if (!run || !this.#isRun(run)) return
    this.#run.fill(1, run.from, run.to)
    this.#joined.fill(1, run.from + 1, run.to)
  }

  #uncoverShortRuns(): void {
    let from = 0
    let weight = 0
    for (let at = 0; at <= this.#words.length; at++) {
      if (this.#joined[at] === 0) {
        if (weight < TELLING) this.#run.fill(0, from, at)
        from = at
        weight = 0
      }
      weight += this.#words[at]?.weight ?? 0
    }
  }

  #isRun(run: Span | undefined): boolean {
    return run !== undefined && this.#prints.has(runPrint(this.#words, run))
  }
}
