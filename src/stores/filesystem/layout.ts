/**
 * Where entries lie in a workspace: which path an entry has, and what lies at a path. Paths are relative to the workspace
 * with forward slashes. Pure; nothing here looks at a disk.
 */
import { type EntryHead, type Scope, WORLD } from '../../model/entry.ts'
import { KIND_NAMES, KINDS, type Kind } from '../../model/kinds.ts'
import { localTime } from '../../model/time.ts'

export const STATE_FOLDER = '.state'
/** In there: a purge that was begun. */
export const PURGE_NOTE = 'purge.json'

/** What a file may hold, told from its path alone. Cards may say another kind inside. */
export interface Place {
  readonly scope: Scope
  readonly kind: Kind
  readonly path: string
  /** The path within its scope: what a derived id is made of, the same in both layouts. */
  readonly inScope: string
  /** The file's name without its ending. */
  readonly stem: string
  /** A copy for grep and old programs (HISTORY.md): only what stands nowhere else counts. */
  readonly mirror: boolean
}

export interface FolderPlace {
  readonly path: string
  readonly scope: Scope
  readonly kind: Kind
}

export interface Layout {
  readonly layout: 'agents' | 'flat'
  /** The agent at the root, where the layout is flat. */
  readonly flatAgent: string
  /** A file name in an agent's folder, or an absolute path outside the workspace. */
  readonly identityFile: string
  /** Agents' folders as they are spelled on disk, by id. */
  readonly agentFolders: ReadonlyMap<Scope, string>
}

/** A flat folder has room for one agent: another one's files would be read as the first one's. */
export function hasRoomFor({ layout, flatAgent }: Layout, scope: Scope): boolean {
  return layout !== 'flat' || scope === WORLD || scope === flatAgent
}

/** The folder of a scope, with a final slash; empty for the workspace itself. */
export function scopeFolder(layout: Layout, scope: Scope): string {
  if (scope === WORLD || layout.layout === 'flat') return ''
  return `agents/${layout.agentFolders.get(scope) ?? scope}/`
}

/** The path of entries that do not choose their own: pages that exist once, and logs. */
export function fixedPath(
  layout: Layout,
  entry: Pick<EntryHead, 'scope' | 'kind' | 'createdAt'>,
  zone: string,
): string {
  const { place } = KINDS[entry.kind]
  const folder = scopeFolder(layout, entry.scope)
  if ('monthly' in place) return `${folder}${place.monthly}${localTime(entry.createdAt, zone).day.slice(0, 7)}.md`
  if ('file' in place) return entry.kind === 'identity' ? identityPath(layout, folder) : folder + place.file
  return `${folder}${place.folder}/${localTime(entry.createdAt, zone).day}.md`
}

export function mirrorPath(layout: Layout, entry: Pick<EntryHead, 'scope' | 'kind'>): string | undefined {
  const { place } = KINDS[entry.kind]
  return 'mirror' in place ? scopeFolder(layout, entry.scope) + place.mirror : undefined
}

/** The folder, with a final slash, in which a named entry chooses its file by slug. */
export function slugFolder(layout: Layout, entry: Pick<EntryHead, 'scope' | 'kind'>): string | undefined {
  const { place } = KINDS[entry.kind]
  if (!('by' in place) || place.by !== 'slug') return undefined
  return `${scopeFolder(layout, entry.scope)}${place.folder}/`
}

/** The folders that may hold files of a scope, one row a kind of file (cards share one). */
export function foldersOf(layout: Layout, scope: Scope): FolderPlace[] {
  const rows = new Map<string, FolderPlace>()
  for (const kind of KIND_NAMES) {
    const rule = KINDS[kind]
    if ((rule.scope === 'world') !== (scope === WORLD) || !('folder' in rule.place)) continue
    const path = scopeFolder(layout, scope) + rule.place.folder
    if (!rows.has(path)) rows.set(path, { path, scope, kind })
  }
  return [...rows.values()]
}

/** What a Markdown file in one of those folders is. */
export function placeInFolder(layout: Layout, folder: FolderPlace, name: string): Place | undefined {
  if (!isOurFile(name)) return undefined
  const path = `${folder.path}/${name}`
  return place(layout, folder.scope, folder.kind, path, false)
}

/** What a file beside those folders is: MEMORY.md, the identity, HISTORY files; by name, in a scope's own folder. */
export function placeInScope(layout: Layout, scope: Scope, name: string): Place | undefined {
  if (scope === WORLD || !isOurFile(name)) return undefined
  const path = scopeFolder(layout, scope) + name
  if (name === 'MEMORY.md') return place(layout, scope, 'memory', path, false)
  if (name === layout.identityFile) return place(layout, scope, 'identity', path, false)
  if (/^HISTORY-\d{4}-\d\d\.md$/.test(name)) return place(layout, scope, 'history', path, false)
  if (name === 'HISTORY.md') return place(layout, scope, 'history', path, true)
  return undefined
}

/** The identity file that lies outside the workspace, where one is configured. */
export function outsideIdentity(layout: Layout, scope: Scope): Place | undefined {
  if (scope === WORLD || !isOutside(layout.identityFile)) return undefined
  return { ...place(layout, scope, 'identity', layout.identityFile, false), inScope: 'IDENTITY.md' }
}

/** What lies at a path that an entry has. */
export function placeOf(layout: Layout, head: Pick<EntryHead, 'scope' | 'kind'>, path: string): Place {
  return place(layout, head.scope, head.kind, path, path.endsWith('/HISTORY.md') || path === 'HISTORY.md')
}

export function isOutside(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)
}

function identityPath(layout: Layout, folder: string): string {
  return isOutside(layout.identityFile) ? layout.identityFile : folder + layout.identityFile
}

/** Editors leave `.#x`, `x~`, `x.swp` and the like beside a file; those are theirs. */
function isOurFile(name: string): boolean {
  return name.endsWith('.md') && !name.startsWith('.') && !name.includes('\0')
}

function place(layout: Layout, scope: Scope, kind: Kind, path: string, mirror: boolean): Place {
  const folder = scopeFolder(layout, scope)
  const inScope = path.startsWith(folder) ? path.slice(folder.length) : path
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '')
  return { scope, kind, path, inScope: kind === 'identity' ? 'IDENTITY.md' : inScope, stem, mirror }
}
