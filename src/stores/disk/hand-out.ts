/** What a store tells is the caller's own. */
import type { EntryHead, Metadata } from '../../model/entry.ts'

/** A copy of its own for every caller: what is handed out is no handle into the catalogue. */
export function handOut<T extends EntryHead | undefined>(head: T): T {
  return (
    head && {
      ...head,
      aliases: [...head.aliases],
      metadata: copyOf(head.metadata),
      origin: { ...head.origin },
    }
  )
}

/** Most have none, and cloning takes longer than all the rest. */
function copyOf(metadata: Metadata): Metadata {
  for (const _ in metadata) return structuredClone(metadata)
  return {}
}
