/**
 * A look at the whole folder: which files hands have made, changed, moved or removed since we knew them, and which can't be
 * read. A stat a file when nothing happened. Reading only.
 */
import type { Dirent } from 'node:fs'
import { isKeepsakeError } from '../../errors.ts'
import { Draft, handlesOf, type StateView } from '../../model/draft.ts'
import { type EntryHead, type Scope, WORLD } from '../../model/entry.ts'
import { KINDS, type Kind } from '../../model/kinds.ts'
import type { Problem } from '../../ports/store.ts'
import type { HandEdit } from './hand-edit.ts'
import { foldersOf, outsideIdentity, type Place, placeInFolder, placeInScope, placeOf, scopeFolder } from './layout.ts'
import { listFolder } from './list-folder.ts'
import { statFile } from './system.ts'
import type { Claims, Survey, Workspace } from './workspace.ts'

/** Looks at every file of these scopes and kinds: what hands did, and what can't be read. */
export function survey(workspace: Workspace, wanted?: readonly Scope[], kinds?: readonly Kind[]): Survey {
  workspace.forgetLayout()
  const scopes = wanted ?? scopesOf(workspace)
  const problems: Problem[] = []
  const edits = new Map<string, HandEdit>()
  const seenPaths = new Set<string>()
  const claims: Claims = new Map()
  const look = (place: Place): void => {
    if (kinds && !kinds.some((kind) => sharesFile(kind, place.kind))) return
    seenPaths.add(place.path)
    const found = workspace.inspect(place, claims)
    problems.push(...found.problems)
    for (const edit of found.edits) {
      const id = (edit.after ?? edit.before)?.id ?? ''
      // An entry that is gone here and stands there was moved; that it stands somewhere is what counts.
      if (edit.after || !edits.has(id)) edits.set(id, edit)
    }
  }
  for (const place of placesOf(workspace, scopes, problems)) look(place)
  for (const path of workspace.catalog.files.keys()) {
    if (seenPaths.has(path)) continue
    const [first] = workspace.catalog.idsAt(path)
    const head = first === undefined ? undefined : workspace.catalog.head(first)
    if (head && scopes.includes(head.scope)) look(placeOf(workspace.layout, head, path))
  }
  return { edits: [...edits.values()], problems: [...problems, ...doubleNames(workspace, [...edits.values()])] }
}

/** The journal's state with the hands' edits on top, and the heads of all that is in it. */
export function viewWithEdits(
  workspace: Workspace,
  edits: readonly HandEdit[],
): { readonly view: StateView; readonly heads: readonly EntryHead[] } {
  const draft = new Draft(workspace.view())
  let seq = workspace.catalog.nextSeq
  const fresh = edits
    .flatMap((edit) => edit.after ?? [])
    .filter((entry) => entry.seq === 0)
    .sort(byTime)
  const numbered = new Map(fresh.map((entry) => [entry.id, { ...entry, seq: seq++ }]))
  for (const { before, after } of edits) {
    const id = (after ?? before)?.id ?? ''
    draft.put(id, after && (numbered.get(id) ?? after))
  }
  const heads = new Map<string, EntryHead>()
  for (const head of workspace.catalog.heads()) heads.set(head.id, head)
  for (const [id, entry] of draft.changed()) {
    if (entry) heads.set(id, entry)
    else heads.delete(id)
  }
  return { view: draft, heads: [...heads.values()] }
}

function scopesOf(workspace: Workspace): Scope[] {
  if (workspace.settings.layout === 'flat') return [WORLD, workspace.layout.flatAgent]
  const known = new Set([...workspace.catalog.heads()].map((head) => head.scope))
  return [...new Set([WORLD, ...workspace.layout.agentFolders.keys(), ...known])]
}

function* placesOf(workspace: Workspace, scopes: readonly Scope[], problems: Problem[]): Generator<Place> {
  for (const scope of scopes) {
    for (const folder of foldersOf(workspace.layout, scope)) {
      for (const name of filesIn(workspace, folder.path, problems)) {
        const place = placeInFolder(workspace.layout, folder, name)
        if (place) yield place
      }
    }
    if (scope === WORLD) continue
    const names = filesIn(workspace, scopeFolder(workspace.layout, scope), problems)
    const places = names.flatMap((name) => placeInScope(workspace.layout, scope, name) ?? [])
    // Monthly files before their mirror, which holds only what they do not.
    yield* places.sort((a, b) => Number(a.mirror) - Number(b.mirror))
    const outside = outsideIdentity(workspace.layout, scope)
    if (outside && statFile(outside.path)) yield outside
  }
}

function filesIn(workspace: Workspace, folder: string, problems: Problem[]): string[] {
  const path = workspace.absolute(folder)
  if (folder !== '' && statFile(path.replace(/\/$/, ''))?.isSymbolicLink()) {
    problems.push({ path: folder, problem: 'it is a link; links are not followed' })
    return []
  }
  const names: string[] = []
  for (const item of readable(path, folder, problems)) {
    if (!item.name.endsWith('.md')) continue
    if (item.isFile()) names.push(item.name)
    else problems.push({ path: `${folder}/${item.name}`, problem: 'it is not a plain file; links are not followed' })
  }
  return names.sort()
}

function readable(path: string, folder: string, problems: Problem[]): Dirent[] {
  try {
    return listFolder(path)
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    problems.push({ path: folder, problem: error.message })
    return []
  }
}

function doubleNames({ catalog, layout }: Workspace, edits: readonly HandEdit[]): Problem[] {
  const gone = new Set(edits.flatMap(({ before, after }) => (before && !after ? [before.id] : [])))
  const doubled = new Set(catalog.contested())
  const seen = new Set<string>()
  for (const { after } of edits) {
    if (!after) continue
    for (const handle of handlesOf(after)) {
      const key = `${after.scope}\0${handle}`
      const owner = catalog.owner(after.scope, handle)
      if (seen.has(key) || (owner !== undefined && owner !== after.id && !gone.has(owner))) doubled.add(key)
      seen.add(key)
    }
  }
  return [...doubled].map((key) => {
    const [scope = '', name = ''] = key.split('\0')
    return { path: scopeFolder(layout, scope), problem: `more than one entry is called "${name}"` }
  })
}

function sharesFile(a: Kind, b: Kind): boolean {
  return JSON.stringify(KINDS[a].place) === JSON.stringify(KINDS[b].place)
}

/** The order in which found entries are numbered. Entries of one moment stay in the order of their file. */
export function byTime(a: EntryHead, b: EntryHead): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  const [pathA, pathB] = [a.path ?? '', b.path ?? '']
  return pathA < pathB ? -1 : pathA > pathB ? 1 : 0
}
