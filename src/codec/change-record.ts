/** One change as a log of changes keeps it: replayed in order, it gives the same entries in every process. */
import type { EntryHead } from '../model/entry.ts'
import type { Change } from '../model/operation.ts'

export interface ChangeRecord extends Change {
  /** For each operation what it changed beyond what it says: revision, times, names that moved. */
  readonly set: readonly Partial<EntryHead>[]
}
