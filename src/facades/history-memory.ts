/**
 * MEMORY.md and the history by the names of their own design: `MemoryManager` as it is called there. Nothing is decided here: each
 * method is one call to the memory, and gives back what that did.
 */
import type { Memory, Written } from '../memory.ts'
import { requireOptions } from '../model/options.ts'

export interface HistoryMemory {
  /** Empty where there is none. */
  readMemory(): Promise<string>
  /** Blank content is refused unless `erase` is asked for in so many words. */
  writeMemory(content: string, options?: { readonly erase?: boolean }): Promise<Written>
  /** The same as `appendHistoryRotated`: the month's file is where an entry lives, and HISTORY.md is its mirror. */
  appendHistory(entry: string): Promise<Written>
  appendHistoryRotated(entry: string): Promise<Written>
}

export function historyMemory(memory: Memory): HistoryMemory {
  const append = (entry: string): Promise<Written> => memory.remember(entry, { kind: 'history' })
  return {
    readMemory: async () => (await memory.get('MEMORY'))?.content ?? '',
    writeMemory: async (content, options = {}) => {
      requireOptions(options, 'historyMemory.writeMemory', { erase: true })
      return memory.reflect(content, options)
    },
    appendHistory: append,
    appendHistoryRotated: append,
  }
}
