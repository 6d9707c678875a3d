/**
 * A look at the whole folder: which files hands have made, changed, moved or removed since we knew them, and which can't be
 * read. A stat a file when nothing happened, and hardly more: every command that reads pays for it. Reading only.
 */
import { isKeepsakeError } from '../../errors.ts'
import { Draft, handlesOf, type StateView } from '../../model/draft.ts'
import { type EntryHead, type Scope, WORLD } from '../../model/entry.ts'
import { KIND_NAMES, KINDS, type Kind } from '../../model/kinds.ts'
import type { Problem } from '../../ports/store.ts'
import { bulkRemovalProblem, withoutBulkRemovals } from './bulk-removal.ts'
import type { HandEdit } from './hand-edit.ts'
import { foldersOf, outsideIdentity, type Place, placeInFolder, placeInScope, placeOf, scopeFolder } from './layout.ts'
import { namesIn } from './list-folder.ts'
import { sameSignature, statFile } from './system.ts'
import type { Claims, Survey, Workspace } from './workspace.ts'

/** Looks at every file of these scopes and kinds: what hands did, and what can't be read. */
export function survey(workspace: Workspace, wanted?: readonly Scope[], kinds?: readonly Kind[]): Survey {
  workspace.forgetLayout()
  const scopes = wanted ?? scopesOf(workspace)
  const problems: Problem[] = []
  const edits = new Map<string, HandEdit>()
  const claims: Claims = new Map()
  const round: Round = { number: ++rounds, isWanted: wantedKinds(kinds) }
  const months = new Set<Scope>()
  // The mirror counts for what no monthly file has: where one of those changed, it says something else though it is as it was.
  const again = (place: Place): Survey => workspace.compare(place, workspace.see(place, claims))
  const look = (place: Place): void => {
    const known = workspace.catalog.files.get(place.path)
    if (known) known.round = round.number
    const found = place.mirror && months.has(place.scope) ? again(place) : workspace.inspect(place, claims)
    if (found.edits.length > 0 && place.kind === 'history' && !place.mirror) months.add(place.scope)
    problems.push(...found.problems)
    for (const edit of found.edits) {
      const id = (edit.after ?? edit.before)?.id ?? ''
      // An entry that is gone here and stands there was moved; that it stands somewhere is what counts.
      if (edit.after || !edits.has(id)) edits.set(id, edit)
    }
  }
  for (const place of placesInDoubt(workspace, scopes, round, problems)) look(place)
  const unmet: string[] = []
  workspace.catalog.files.forEach((known, path) => {
    if (known.round !== round.number) unmet.push(path)
  })
  for (const path of unmet) {
    const [first] = workspace.catalog.idsAt(path)
    const head = first === undefined ? undefined : workspace.catalog.head(first)
    if (head && scopes.includes(head.scope) && round.isWanted(head.kind)) look(placeOf(workspace.layout, head, path))
  }
  for (const scope of months) {
    const mirror = placeInScope(workspace.layout, scope, 'HISTORY.md')
    if (mirror && statFile(workspace.absolute(mirror.path))) look(mirror)
  }
  const found = [...edits.values()]
  const { heldBack } = withoutBulkRemovals(workspace, found)
  if (heldBack.length > 0) problems.push({ path: '.', problem: bulkRemovalProblem(heldBack, workspace.catalog) })
  return { edits: found, problems: [...problems, ...doubleNames(workspace, found)] }
}

/** One look; files that it has met carry its number. */
interface Round {
  readonly number: number
  readonly isWanted: (kind: Kind) => boolean
}

let rounds = 0

function wantedKinds(kinds: readonly Kind[] | undefined): (kind: Kind) => boolean {
  if (!kinds) return () => true
  const wanted = new Set(KIND_NAMES.filter((kind) => kinds.some((one) => sharesFile(one, kind))))
  return (kind) => wanted.has(kind)
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
  const scopes = new Set<Scope>([WORLD, ...workspace.layout.agentFolders.keys()])
  for (const head of workspace.catalog.heads()) scopes.add(head.scope)
  return [...scopes]
}

/** What lies in these scopes and is not, by its signature, just what we know. */
function* placesInDoubt(
  workspace: Workspace,
  scopes: readonly Scope[],
  round: Round,
  problems: Problem[],
): Generator<Place> {
  for (const scope of scopes) {
    for (const folder of foldersOf(workspace.layout, scope)) {
      if (!round.isWanted(folder.kind)) continue
      for (const name of namesInDoubt(workspace, `${folder.path}/`, round, problems)) {
        const place = placeInFolder(workspace.layout, folder, name)
        if (place) yield place
      }
    }
    if (scope === WORLD) continue
    const names = namesInDoubt(workspace, scopeFolder(workspace.layout, scope), round, problems)
    const places = names.flatMap((name) => placeInScope(workspace.layout, scope, name) ?? [])
    // Monthly files before their mirror, which holds only what they do not.
    yield* places.filter((place) => round.isWanted(place.kind)).sort((a, b) => Number(a.mirror) - Number(b.mirror))
    const outside = outsideIdentity(workspace.layout, scope)
    if (outside && round.isWanted(outside.kind) && statFile(outside.path)) yield outside
  }
}

/**
 * `folder` ends with a slash, or is empty. Here every file of the memory is asked for, so this does no more than a stat each:
 * where as many files are there as are just as we know them, there is no other.
 */
function namesInDoubt(workspace: Workspace, folder: string, round: Round, problems: Problem[]): string[] {
  try {
    return doubtful(workspace, folder, round, problems)
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    problems.push({ path: folder, problem: error.message }) // a folder that can be listed, but not entered
    return []
  }
}

function doubtful(workspace: Workspace, folder: string, round: Round, problems: Problem[]): string[] {
  const { files, unproved } = workspace.catalog
  const names = namesOf(workspace, folder, problems)
  const root = `${workspace.root}/`
  let untouched = 0
  files.inFolder(folder).forEach((known, path) => {
    const { signature } = known
    if (!signature || (unproved.size > 0 && unproved.has(path))) return
    const stats = statFile(root + path)
    if (!stats || !sameSignature(signature, stats)) return
    known.round = round.number
    untouched++
  })
  let count = 0
  for (const name of names) if (name.endsWith('.md')) count++
  if (count === untouched) return []
  return names
    .filter((name) => name.endsWith('.md') && files.get(folder + name)?.round !== round.number)
    .filter((name) => isPlainFile(workspace, folder + name, problems))
    .sort()
}

function isPlainFile(workspace: Workspace, path: string, problems: Problem[]): boolean {
  // One that has gone since is looked for like any other.
  if (statFile(workspace.absolute(path))?.isFile() !== false) return true
  problems.push({ path, problem: 'it is not a plain file; links are not followed' })
  return false
}

function namesOf(workspace: Workspace, folder: string, problems: Problem[]): string[] {
  const path = workspace.absolute(folder)
  if (folder === '' || !statFile(path.replace(/\/$/, ''))?.isSymbolicLink()) return namesIn(path)
  problems.push({ path: folder, problem: 'it is a link; links are not followed' })
  return []
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
