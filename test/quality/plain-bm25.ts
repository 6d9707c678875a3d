/**
 * The BM25 of the textbook (k1 1.2, b 0.75, lower-cased runs of letters and digits, nothing else) over the entries of a
 * memory in RAM. It is what the data's own table was made with, so the runner can be proved right before our search exists.
 */
import type { EvalMemory } from '../../src/eval/run.ts'
import { Memory, memoryStore } from '../../src/index.ts'
import type { Entry } from '../../src/model/entry.ts'
import type { Found } from '../../src/recall/found.ts'

const K1 = 1.2
const B = 0.75

export async function plainBm25(nowMs: number): Promise<EvalMemory> {
  const memory = new Memory(memoryStore({ clock: () => nowMs }), 'main', () => nowMs)
  let ranking: Ranking | undefined
  return {
    apply: (operations) => memory.apply(operations),
    async search(query, { limit = 10 }) {
      ranking ??= new Ranking(await memory.list())
      return { hits: ranking.best(query, limit).map((entry) => ({ entry })) } as unknown as Found // all the runner looks at
    },
    close: () => memory.close(),
  }
}

class Ranking {
  readonly #entries: readonly Entry[]
  readonly #lengths: number[] = []
  readonly #counts = new Map<string, Map<number, number>>()

  constructor(entries: readonly Entry[]) {
    this.#entries = entries
    for (const [index, { name, content }] of entries.entries()) {
      const words = wordsOf(`${name ?? ''} ${content}`)
      this.#lengths.push(words.length)
      for (const word of words) {
        const counts = this.#counts.get(word) ?? new Map<number, number>()
        this.#counts.set(word, counts.set(index, (counts.get(index) ?? 0) + 1))
      }
    }
  }

  best(query: string, limit: number): Entry[] {
    const scores = new Map<number, number>()
    const mean = this.#lengths.reduce((sum, length) => sum + length, 0) / this.#lengths.length
    for (const word of wordsOf(query)) {
      const counts = this.#counts.get(word) ?? new Map<number, number>()
      const idf = Math.log(1 + (this.#entries.length - counts.size + 0.5) / (counts.size + 0.5))
      for (const [index, count] of counts) {
        const length = 1 - B + (B * (this.#lengths[index] ?? 0)) / mean
        scores.set(index, (scores.get(index) ?? 0) + (idf * count * (K1 + 1)) / (count + K1 * length))
      }
    }
    const order = [...scores].sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
    return order.slice(0, limit).flatMap(([index]) => this.#entries[index] ?? [])
  }
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
