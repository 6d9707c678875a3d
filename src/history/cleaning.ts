/** Removals of what had expired: whoever made them, they did what time had done already. */
import { isExpired } from '../model/expiry.ts'
import type { Recorded, Touched } from '../ports/store.ts'

/** `at`: when the change was made. */
export function isCleaning({ before, after }: Touched, at: string): boolean {
  return before !== undefined && after === undefined && isExpired(before, at)
}

/** Entries whose last change is such a removal, with its number. `changes`: oldest first. */
export function cleanersOf(changes: readonly Recorded[]): ReadonlyMap<string, number> {
  const cleaners = new Map<string, number>()
  for (const { change, touched } of changes) {
    for (const one of touched) {
      if (isCleaning(one, change.at)) cleaners.set(one.id, change.number)
      else cleaners.delete(one.id)
    }
  }
  return cleaners
}
