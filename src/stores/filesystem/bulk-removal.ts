/**
 * So many entries gone from the folder at once that it may be an accident: a disk that was not mounted, a checkout, a sync
 * that is not through. They are shown as gone, and reported, but not journaled as removed until someone says so.
 */
import { join } from 'node:path'
import type { EntryHead } from '../../model/entry.ts'
import { decodeText, readFileAt } from '../disk/reading.ts'
import { FILE_MODE, removeFile, replaceFile } from '../disk/system.ts'
import type { Catalog } from './catalog.ts'
import type { HandEdit } from './hand-edit.ts'
import type { Workspace } from './workspace.ts'

const MOST_REMOVED = 10
const LARGEST_SHARE = 0.3
const NOTE = 'held-back.json'

export interface Sifted {
  readonly edits: readonly HandEdit[]
  /** What waits to be accepted. */
  readonly heldBack: readonly EntryHead[]
}

/** What waits once waits until it is accepted or back, also when it is few by then. */
export function withoutBulkRemovals(workspace: Workspace, edits: readonly HandEdit[]): Sifted {
  const removed = edits.flatMap(({ before, after }) => (before && !after ? [before] : []))
  if (removed.length === 0) return { edits, heldBack: [] }
  const isBulk = removed.length > MOST_REMOVED && removed.length > workspace.catalog.size * LARGEST_SHARE
  const noted = isBulk ? undefined : notedIds(workspace.stateFolder)
  const heldBack = removed.filter(({ id }) => isBulk || noted?.has(id))
  const ids = new Set(heldBack.map(({ id }) => id))
  return { edits: edits.filter(({ before, after }) => after !== undefined || !ids.has(before?.id ?? '')), heldBack }
}

/** Only for the holder of the lock. */
export function noteHeldBack({ stateFolder }: Workspace, heldBack: readonly EntryHead[]): void {
  const path = join(stateFolder, NOTE)
  const ids = heldBack.map(({ id }) => id)
  if (ids.length === 0) removeFile(path)
  else replaceFile(path, Buffer.from(JSON.stringify(ids)), join(stateFolder, 'tmp'), FILE_MODE)
}

function notedIds(stateFolder: string): ReadonlySet<unknown> {
  const file = readFileAt(join(stateFolder, NOTE))
  try {
    const ids: unknown = JSON.parse((file && decodeText(file.bytes)) ?? '[]')
    return new Set(Array.isArray(ids) ? ids : [])
  } catch {
    return new Set() // mangled: then the numbers alone decide
  }
}

export function bulkRemovalProblem(heldBack: readonly EntryHead[], catalog: Catalog): string {
  return `${heldBack.length} of ${catalog.size} entries are gone from the folder at once; "keepsake accept" if that was meant`
}
