/** What another program says of an entry beside what we say of it. */
import type { Metadata } from '../model/entry.ts'

/** Where both use one key ours wins, and theirs is kept as `original_KEY`. */
export function withTheirs(ours: Metadata, theirs: Metadata): Metadata {
  const all = new Map(Object.entries(ours))
  for (const [key, value] of Object.entries(theirs)) {
    if (Object.hasOwn(ours, key) && ours[key] === value) continue
    let free = key
    while (Object.hasOwn(ours, free) || (free !== key && Object.hasOwn(theirs, free))) free = `original_${free}`
    all.set(free, value)
  }
  return Object.fromEntries(all)
}
