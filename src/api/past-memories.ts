/**
 * Memories as they were, kept while somebody looks at them. Making one reads every entry of that time, so only one is made at a time, and
 * none for a client that has gone: many requests must not block everybody else.
 */
import type { Memory } from '../memory.ts'

const MOST_KEPT = 4
/** "Today" is another instant with each question; for so long it is the same memory. */
const FRESH_MS = 10_000

interface Kept {
  readonly agent: string
  readonly at: string
  readonly cursor: string
  /** When it was made, where that was the very moment it shows. */
  readonly madeMs: number | undefined
  readonly memory: Memory
}

export class PastMemories {
  #kept: readonly Kept[] = []
  #making: Promise<unknown> = Promise.resolve()

  async at(memory: Memory, at: string, signal?: AbortSignal): Promise<Memory> {
    const made = this.#making.then(() => this.#atOnce(memory, at, signal))
    this.#making = made.catch(() => undefined)
    return made
  }

  async #atOnce(memory: Memory, at: string, signal: AbortSignal | undefined): Promise<Memory> {
    signal?.throwIfAborted()
    const call = signal ? { signal } : {}
    const cursor = JSON.stringify((await memory.store.feed('now', call)).cursor)
    const nowMs = memory.clock()
    const isNow = nowMs - Date.parse(at) < FRESH_MS
    // What was changed since may be a purge, or a hand's edit that belongs to that time: then it is made anew.
    const known = this.#kept.find((one) => {
      const isSame = one.at === at || (isNow && one.madeMs !== undefined && nowMs - one.madeMs < FRESH_MS)
      return one.agent === memory.agent && one.cursor === cursor && isSame
    })
    if (known) return known.memory
    const past = await memory.asOf(at, call)
    const made: Kept = { agent: memory.agent, at, cursor, madeMs: isNow ? nowMs : undefined, memory: past }
    this.#kept = [...this.#kept.slice(1 - MOST_KEPT), made]
    return past
  }
}
