/** The memory as it was, kept while somebody looks at it: to make it, the whole past is read. */
import type { Memory } from '../memory.ts'
import type { Cursor } from '../ports/store.ts'

const MOST_KEPT = 4

interface Kept {
  readonly agent: string
  readonly at: string
  readonly cursor: Cursor
  readonly memory: Promise<Memory>
}

export class PastMemories {
  #kept: readonly Kept[] = []

  /** What was changed since may be a purge, or a hand's edit that belongs to that time: then it is made anew. */
  async at(memory: Memory, at: string, signal?: AbortSignal): Promise<Memory> {
    const { cursor } = await memory.store.changes('now', signal ? { signal } : {})
    const known = this.#kept.find(
      (one) => one.agent === memory.agent && one.at === at && JSON.stringify(one.cursor) === JSON.stringify(cursor),
    )
    if (known) return known.memory
    const made: Kept = { agent: memory.agent, at, cursor, memory: memory.asOf(at) }
    this.#kept = [...this.#kept.slice(1 - MOST_KEPT), made]
    made.memory.catch(() => {
      this.#kept = this.#kept.filter((one) => one !== made)
    })
    return made.memory
  }
}
