/** What stands in a transcript in the place of words that were purged. Pure. */
export const PURGED = '[purged]'

/** Nothing else is left of it. */
export function isPurged(text: string): boolean {
  return text.includes(PURGED) && text.replaceAll(PURGED, '').trim() === ''
}
