/** Entries that are gone in bulk are not in the log as removed; whoever looks there is told why. */
import type { Memory } from '../memory.ts'

export async function heldBackWarnings(memory: Memory): Promise<string[]> {
  const { heldBack } = await memory.absorb()
  if (heldBack.length === 0) return []
  const count = heldBack.length === 1 ? '1 entry is' : `${heldBack.length} entries are`
  return [`${count} gone from the folder at once, and not taken for removed yet; if that was meant: keepsake accept`]
}
