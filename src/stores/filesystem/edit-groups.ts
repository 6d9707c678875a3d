/**
 * Which edits by hand are one change: those of one file, and those of files that were moved to each other's places, so that
 * undoing the change puts all of them back. A file without an id that is gone here and stands there, word for word, was moved.
 */
import { KINDS } from '../../model/kinds.ts'
import type { HandEdit } from './hand-edit.ts'
import type { KnownFiles } from './known-files.ts'

export interface EditGroup {
  readonly edits: readonly HandEdit[]
  readonly paths: ReadonlySet<string>
}

/** In the order of their first edits. */
export function groupEdits(edits: readonly HandEdit[], known: KnownFiles): EditGroup[] {
  const partners = movedWithoutId(edits, known)
  const groups = new Map<string, { readonly edits: HandEdit[]; readonly paths: Set<string> }>()
  for (const edit of edits) {
    const own = [edit.before?.path, edit.after?.path, partners.get(pathOfEdit(edit))].filter(
      (path) => path !== undefined,
    )
    const paths = new Set(own)
    const met = new Set([...paths].flatMap((path) => groups.get(path) ?? []))
    const [first, ...others] = met
    const group = first ?? { edits: [], paths: new Set<string>() }
    for (const other of others) {
      group.edits.push(...other.edits)
      for (const path of other.paths) paths.add(path)
    }
    group.edits.push(edit)
    for (const path of paths) group.paths.add(path)
    for (const path of group.paths) groups.set(path, group)
  }
  return [...new Set(groups.values())]
}

export function pathOfEdit(edit: HandEdit): string {
  return (edit.after ?? edit.before)?.path ?? ''
}

/** From the path where a file was to the path where the same text is now, and back. */
function movedWithoutId(edits: readonly HandEdit[], known: KnownFiles): Map<string, string> {
  const gone = new Map<string, string>()
  for (const { before, after } of edits) {
    const path = before && !after && KINDS[before.kind].shape !== 'log' ? before.path : undefined
    const hash = path === undefined ? undefined : known.get(path)?.hash
    if (path !== undefined && hash !== undefined) gone.set(hash, path)
  }
  const partners = new Map<string, string>()
  for (const { before, after, source } of edits) {
    const from = before || typeof source !== 'string' ? undefined : gone.get(source)
    if (from === undefined || after?.path === undefined) continue
    partners.set(from, after.path)
    partners.set(after.path, from)
  }
  return partners
}
