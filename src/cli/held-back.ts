/** What whoever looks at the log is to be told beside it: entries that are gone in bulk are not in it as removed, for one. */
import type { Memory } from '../memory.ts'

export async function heldBackWarnings(memory: Memory): Promise<string[]> {
  const { heldBack, warnings } = await memory.absorb()
  if (heldBack.length === 0) return [...warnings]
  const count = heldBack.length === 1 ? '1 entry is' : `${heldBack.length} entries are`
  const told = `${count} gone from the folder at once, and not taken for removed yet; if that was meant: keepsake accept`
  return [...warnings, told]
}
