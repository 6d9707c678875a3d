/**
 * A look at the whole folder: which files hands have made, changed, moved or removed since we knew them, and which can't be
 * read. A stat a file when nothing happened, and hardly more: every command that reads pays for it. Reading only.
 */
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { isKeepsakeError } from '../../errors.ts'
import { Draft, handlesOf, type StateView } from '../../model/draft.ts'
import { type EntryHead, type Scope, WORLD } from '../../model/entry.ts'
import type { HeadFilter } from '../../model/filter.ts'
import { KIND_NAMES, KINDS, type Kind } from '../../model/kinds.ts'
import type { ChangeFeed, PendingEdit, Problem } from '../../ports/store.ts'
import { namesIn } from '../disk/list-folder.ts'
import { statFile } from '../disk/reading.ts'
import { bulkRemovalProblem, withoutBulkRemovals } from './bulk-removal.ts'
import { type Claims, problemsIn, type Survey } from './file-reader.ts'
import { countTexts } from './folder-at-rest.ts'
import type { HandEdit } from './hand-edit.ts'
import { foldersOf, outsideIdentity, type Place, placeInFolder, placeInScope, placeOf, scopeFolder } from './layout.ts'
import type { Workspace } from './workspace.ts'

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
  const again = (place: Place): Survey => workspace.files.compare(place, workspace.files.see(place, claims))
  const look = (place: Place): void => {
    workspace.catalog.files.meet(place.path, round.number)
    const found = place.mirror && months.has(place.scope) ? again(place) : workspace.files.inspect(place, claims)
    if (found.edits.length > 0 && place.kind === 'history' && !place.mirror) months.add(place.scope)
    problems.push(...found.problems)
    for (const edit of found.edits) {
      const id = (edit.after ?? edit.before)?.id ?? ''
      // An entry that is gone here and stands there was moved; that it stands somewhere is what counts.
      if (edit.after || !edits.has(id)) edits.set(id, edit)
    }
  }
  for (const place of placesInDoubt(workspace, scopes, round, problems)) look(place)
  for (const place of placesUnmet(workspace, scopes, round)) look(place)
  for (const scope of months) {
    const mirror = placeInScope(workspace.layout, scope, 'HISTORY.md')
    if (mirror && statFile(workspace.absolute(mirror.path))) look(mirror)
  }
  const found = [...edits.values()]
  const { heldBack } = withoutBulkRemovals(workspace, found)
  if (heldBack.length > 0) problems.push({ path: '.', problem: bulkRemovalProblem(heldBack, workspace.catalog) })
  return { edits: found, problems: [...problems, ...doubleNames(workspace, found)] }
}

/**
 * What can't be read, in every file of these scopes and kinds: a survey passes over what is as it was taken in, and with it over
 * what was told of it then.
 */
export function everyProblem(workspace: Workspace, wanted?: readonly Scope[], kinds?: readonly Kind[]): Problem[] {
  const { problems } = survey(workspace, wanted, kinds)
  const told = new Set(problems.map(({ path }) => path))
  const scopes = wanted ?? scopesOf(workspace)
  const isWanted = wantedKinds(kinds)
  const paths = new Map<string, EntryHead>()
  for (const head of workspace.catalog.heads({ scopes })) {
    if (head.path !== undefined && isWanted(head.kind) && !told.has(head.path)) paths.set(head.path, head)
  }
  const more = [...paths].flatMap(([path, head]) => {
    const seen = workspace.files.see(placeOf(workspace.layout, head, path))
    return seen ? problemsIn(seen) : []
  })
  return [...problems, ...more]
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

/** The journal's state with the hands' edits on top. */
function draftWithEdits(workspace: Workspace, edits: readonly HandEdit[]): Draft {
  const draft = new Draft(workspace.files.view())
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
  return draft
}

/** The same, and the heads of all that is in it, or at least of all that a filter asks for. */
export function viewWithEdits(
  workspace: Workspace,
  edits: readonly HandEdit[],
  filter: HeadFilter = {},
): { readonly view: StateView; readonly heads: Iterable<EntryHead> } {
  const view = draftWithEdits(workspace, edits)
  if (edits.length === 0) return { view, heads: workspace.catalog.heads(filter) }
  const heads = new Map<string, EntryHead>()
  for (const head of workspace.catalog.heads(filter)) heads.set(head.id, head)
  for (const [id, entry] of view.changed()) {
    if (entry) heads.set(id, entry)
    else heads.delete(id)
  }
  return { view, heads: heads.values() }
}

/** Files that a crash kept from being written. */
export function unwrittenIn(workspace: Workspace): Set<string> {
  const paths = [...workspace.catalog.unproved.keys()]
  return new Set(paths.filter((path) => isUnwritten(workspace, path)))
}

function isUnwritten(workspace: Workspace, path: string): boolean {
  try {
    return workspace.files.bytesOf(path).unwritten
  } catch (error) {
    if (isKeepsakeError(error)) return false // who reads it next says why it can't be read
    throw error
  }
}

/** How what a scan gives differs from what the journal tells, for whoever follows the changes. */
export function pendingEdits(workspace: Workspace, scopes?: readonly Scope[]): Pick<ChangeFeed, 'edits' | 'problems'> {
  const { edits, problems } = survey(workspace, scopes)
  const view = draftWithEdits(workspace, edits)
  const pending = new Map<string, PendingEdit>()
  for (const [id, after] of view.changed()) pending.set(id, after ? { id, after } : { id })
  for (const { path } of problems) {
    for (const id of workspace.catalog.idsAt(path)) {
      if (!pending.has(id) && !view.get(id)) pending.set(id, { id })
    }
  }
  return { edits: [...pending.values()], problems }
}

function scopesOf(workspace: Workspace): Scope[] {
  if (workspace.settings.layout === 'flat') return [WORLD, workspace.layout.flatAgent]
  const { agentFolders, flatAgent } = workspace.layout
  // An identity outside is there before its agent has a folder here.
  const opened = outsideIdentity(workspace.layout, flatAgent) ? [flatAgent] : []
  return [...new Set([WORLD, ...agentFolders.keys(), ...workspace.catalog.scopes(), ...opened])]
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

/** What we know of in these scopes and the look has not met: it is gone, or lies where it should not. */
function* placesUnmet({ catalog, layout }: Workspace, scopes: readonly Scope[], round: Round): Generator<Place> {
  const { files } = catalog
  for (const folder of files.folders()) {
    for (const path of files.unmet(folder, round.number)) {
      const [first] = catalog.idsAt(path)
      const head = first === undefined ? undefined : catalog.head(first)
      if (!head) continue
      if (scopes.includes(head.scope) && round.isWanted(head.kind)) yield placeOf(layout, head, path)
      // A folder of a kind is of one scope, and all kinds in it share their files: none of them is asked for.
      else if ('folder' in KINDS[head.kind].place) break
    }
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
  // With a slash at its end, a link would be followed.
  const stats = statFile(join(workspace.root, folder.slice(0, -1)))
  const texts = files.textsIn(folder, stats)
  const names = texts === undefined ? namesOf(workspace, folder, stats, problems) : []
  const root = `${workspace.root}/`
  const untouched = files.meetUntouched(folder, round.number, (path) =>
    unproved.size > 0 && unproved.has(path) ? undefined : statFile(root + path),
  )
  if (untouched === (texts ?? countTexts(names))) return []
  return (texts === undefined ? names : namesIn(join(workspace.root, folder)))
    .filter((name) => name.endsWith('.md') && !files.isMet(folder + name, round.number))
    .filter((name) => isPlainFile(workspace, folder + name, problems))
    .sort()
}

function isPlainFile(workspace: Workspace, path: string, problems: Problem[]): boolean {
  // One that has gone since is looked for like any other.
  if (statFile(workspace.absolute(path))?.isFile() !== false) return true
  problems.push({ path, problem: 'it is not a plain file; links are not followed' })
  return false
}

function namesOf(workspace: Workspace, folder: string, stats: Stats | undefined, problems: Problem[]): string[] {
  if (folder === '' || !stats?.isSymbolicLink()) return namesIn(workspace.absolute(folder))
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
