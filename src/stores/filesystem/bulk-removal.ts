/**
 * So many entries gone from the folder at once that it may be an accident: a disk that was not mounted, a checkout, a sync
 * that is not through. They are shown as gone, and reported, but not journaled as removed until someone says so.
 */
import type { EntryHead } from '../../model/entry.ts'
import type { Catalog } from './catalog.ts'
import type { HandEdit } from './hand-edit.ts'

const MOST_REMOVED = 10
const LARGEST_SHARE = 0.3

export interface Sifted {
  readonly edits: readonly HandEdit[]
  /** What waits to be accepted. */
  readonly heldBack: readonly EntryHead[]
}

export function withoutBulkRemovals(catalog: Catalog, edits: readonly HandEdit[]): Sifted {
  const removed = edits.flatMap(({ before, after }) => (before && !after ? [before] : []))
  if (removed.length <= MOST_REMOVED || removed.length <= catalog.size * LARGEST_SHARE) return { edits, heldBack: [] }
  return { edits: edits.filter(({ after }) => after !== undefined), heldBack: removed }
}

export function bulkRemovalProblem(heldBack: readonly EntryHead[], catalog: Catalog): string {
  return `${heldBack.length} of ${catalog.size} entries are gone from the folder at once; "keepsake accept" if that was meant`
}
