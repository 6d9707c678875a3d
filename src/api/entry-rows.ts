/** Entries as lists show them: the head and how the text begins. Only of those that are shown are the texts read. */
import type { Memory } from '../memory.ts'
import type { Entry, EntryHead } from '../model/entry.ts'
import type { EntryRow } from './contract.ts'

const MOST_CHARACTERS = 160

/**
 * In the order of the heads; an entry that was deleted meanwhile is left out. One scan for all rows: an entry that is not in the
 * journal yet can only be found by reading every file, and a `get` per row would do that for each row.
 */
export async function entryRows(memory: Memory, heads: readonly EntryHead[], signal: AbortSignal): Promise<EntryRow[]> {
  const entries = new Map<string, Entry>()
  const ids = new Set(heads.map(({ id }) => id))
  if (ids.size > 0) for await (const entry of memory.store.scan({ ids }, { signal })) entries.set(entry.id, entry)
  return heads.flatMap(({ id }) => {
    const entry = entries.get(id)
    if (!entry) return []
    const { content, ...head } = entry
    return [{ ...head, excerpt: excerptOf(content) }]
  })
}

/** The beginning, in one line. */
export function excerptOf(text: string): string {
  const line = text
    .slice(0, 4 * MOST_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= MOST_CHARACTERS ? line : `${beginningOf(line, MOST_CHARACTERS)}…`
}

/** What people call an entry: its name, its key, or how it begins. */
export function labelOf({ name, key, id }: EntryHead, content = ''): string {
  return name ?? key ?? (beginningOf(excerptOf(content), 80) || id)
}

/** Not within a character. */
function beginningOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}
