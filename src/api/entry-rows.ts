/** Entries as lists show them: the head and how the text begins. Only of those that are shown are the texts read. */
import type { Memory } from '../memory.ts'
import type { EntryHead } from '../model/entry.ts'
import { oneQuestion } from '../model/one-question.ts'
import type { CallOptions } from '../ports/store.ts'
import type { EntryRow } from './contract.ts'

const MOST_CHARACTERS = 160

/** In the order of the heads. One that went meanwhile is left out. One by one: a scan would look at every file there is. */
export async function entryRows(memory: Memory, heads: readonly EntryHead[], signal: AbortSignal): Promise<EntryRow[]> {
  const call = oneQuestion<CallOptions>({ signal })
  const rows: EntryRow[] = []
  for (const { id } of heads) {
    const entry = await memory.get(id, call)
    if (!entry) continue
    const { content, ...head } = entry
    rows.push({ ...head, excerpt: excerptOf(content) })
  }
  return rows
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
