/** Where texts lie in a new file that were in an old one: most frames are copied as they are, in long runs, and some written anew. */
import type { TextPlace } from '../../codec/one-file/bytes.ts'
import { damagedFile } from '../../codec/one-file/header.ts'

/** Bytes that were copied together. */
interface Run {
  readonly from: number
  end: number
  readonly by: number
}

export class MovedTexts {
  readonly #path: string
  /** In the order of their places in the old file. */
  readonly #runs: Run[] = []
  #isSorted = true
  /** By where they were. */
  readonly #rewritten = new Map<string, TextPlace>()
  /** By entry. */
  readonly #inBase = new Map<string, TextPlace>()

  /** `path`: as errors name the old file. */
  constructor(path: string) {
    this.#path = path
  }

  moved(from: number, size: number, to: number): void {
    const last = this.#runs.at(-1)
    if (last && last.end === from && last.by === to - from) last.end = from + size
    else {
      this.#isSorted &&= !last || from > last.from
      this.#runs.push({ from, end: from + size, by: to - from })
    }
  }

  rewritten(before: TextPlace | undefined, after: TextPlace | undefined): void {
    if (before && after) this.#rewritten.set(keyOf(before), after)
  }

  inBase(id: string, place: TextPlace): void {
    this.#inBase.set(id, place)
  }

  /** The text of an entry by where it was. */
  of(id: string, place: TextPlace): TextPlace {
    const rewritten = this.#rewritten.size > 0 ? this.#rewritten.get(keyOf(place)) : undefined
    if (rewritten) return rewritten
    const run = this.#runAt(place.offset)
    if (run) return { ...place, offset: place.offset + run.by }
    const base = this.#inBase.get(id)
    if (base) return base
    throw damagedFile(this.#path, `the text of ${id} is in none of its records`, place.offset)
  }

  #runAt(offset: number): Run | undefined {
    if (!this.#isSorted) {
      this.#runs.sort((a, b) => a.from - b.from)
      this.#isSorted = true
    }
    let low = 0
    for (let high = this.#runs.length; low < high; ) {
      const middle = (low + high) >>> 1
      if ((this.#runs[middle]?.end ?? 0) < offset) low = middle + 1
      else high = middle
    }
    const run = this.#runs[low]
    return run && run.from <= offset && offset <= run.end ? run : undefined
  }
}

/** With the length: an empty text lies where the next one begins. */
function keyOf({ offset, length }: TextPlace): string {
  return `${offset} ${length}`
}
