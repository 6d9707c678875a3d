/** Entries as lists show them: the head and how the text begins. Only of those that are shown are the texts read. */
import type { Memory } from '../memory.ts'
import type { EntryHead } from '../model/entry.ts'
import type { EntryRow } from './contract.ts'

const MOST_CHARACTERS = 160

/** In the order of the heads. One that went meanwhile is left out. */
export async function entryRows(memory: Memory, heads: readonly EntryHead[], signal: AbortSignal): Promise<EntryRow[]> {
  if (heads.length === 0) return []
  const ids = new Set(heads.map(({ id }) => id))
  const rows = new Map<string, EntryRow>()
  for await (const { content, ...head } of memory.store.scan({ ids }, { signal })) {
    rows.set(head.id, { ...head, excerpt: excerptOf(content) })
  }
  return heads.flatMap(({ id }) => rows.get(id) ?? [])
}

/** The beginning, in one line. */
export function excerptOf(text: string): string {
  const line = text
    .slice(0, 4 * MOST_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS)}…`
}

/** What people call an entry: its name, its key, or how it begins. */
export function labelOf({ name, key, id }: EntryHead, content = ''): string {
  return name ?? key ?? (excerptOf(content).slice(0, 80) || id)
}
