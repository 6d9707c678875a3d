/** Entries that are gone from the folder in bulk: held back by the store until someone says that it was meant. */
import { isKeepsakeError } from '../../../errors.ts'
import type { EntryHead } from '../../../model/entry.ts'
import { type Finding, finding } from '../../disk/doctor/finding.ts'
import { withoutBulkRemovals } from '../bulk-removal.ts'
import { survey } from '../survey.ts'
import type { Workspace } from '../workspace.ts'
import type { Evidence } from './evidence.ts'

export function checkRemoval({ followed, workspace, texts }: Evidence): Finding[] {
  if (!followed) return []
  const there = new Set(texts.flatMap(({ entries }) => entries.map(({ id }) => id)))
  // Most often nothing is gone, and the store need not be asked what that means.
  if ([...workspace.catalog.heads()].every(({ id }) => there.has(id))) return []
  const heldBack = heldBackIn(workspace)
  if (heldBack.length === 0) return []
  const problem = `${heldBack.length} of ${workspace.catalog.size} entries are gone from the folder at once`
  const hint = 'If that was meant: keepsake accept. Else bring the files back, and nothing has happened.'
  return [finding('bulk-removal', '.', problem, hint)]
}

function heldBackIn(workspace: Workspace): readonly EntryHead[] {
  try {
    return withoutBulkRemovals(workspace, survey(workspace).edits).heldBack
  } catch (error) {
    if (isKeepsakeError(error)) return [] // a folder can't be read, which is told: nobody knows what is gone
    throw error
  }
}
