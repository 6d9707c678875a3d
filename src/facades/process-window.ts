/** A conversation window that lives in the process, as the seed's does: for stores that keep no sessions. */
import type { ContextTurn } from './typed-memory.ts'

export interface ContextWindow {
  add(role: ContextTurn['role'], content: string): Promise<void>
  read(): Promise<ContextTurn[]>
  clear(): Promise<void>
}

/** `size`: how many user messages it holds, each with its answers. `slideOut` gets each turn that no longer fits. */
export function processWindow(
  size: number,
  now: () => string,
  slideOut: (turn: ContextTurn) => Promise<unknown>,
): ContextWindow {
  let turns: ContextTurn[] = []
  return {
    async add(role, content) {
      turns.push({ role, content, timestamp: now() })
      const starts = turns.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
      // The conversation begins with the first user message.
      const kept = starts.length > size ? (starts.at(-size) ?? 0) : 0
      const start = size === 0 ? turns.length : kept
      const out = turns.slice(0, start)
      turns = turns.slice(start)
      for (const turn of out) await slideOut(turn)
    },
    async read() {
      const first = turns.findIndex(({ role }) => role === 'user')
      return first === -1 ? [] : turns.slice(first)
    },
    async clear() {
      turns = []
    },
  }
}
