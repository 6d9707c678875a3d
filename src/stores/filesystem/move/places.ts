/**
 * Where files of entries and transcripts lie, told from settings and kept files alone: a folder that is read and one that is still to
 * be built must come to the same. Pure.
 */
import { type EntryHead, type Scope, WORLD } from '../../../model/entry.ts'
import { KINDS } from '../../../model/kinds.ts'
import { normalizeAgentId, slugCandidates } from '../../../model/name.ts'
import type { Settings } from '../../../ports/store.ts'
import {
  fixedPath,
  foldersOf,
  type Layout,
  mirrorPath,
  type Place,
  placeInFolder,
  placeInScope,
  scopeFolder,
  slugFolder,
} from '../layout.ts'

/** Agents' folders that are spelled otherwise than their ids are known by the files that are kept in them. */
export function layoutFor(
  { layout, agent, identityFile }: Settings,
  keptPaths: Iterable<string>,
  own: { readonly agent: string; readonly identityFile?: string | undefined },
): Layout {
  const agentFolders = new Map<Scope, string>()
  for (const path of layout === 'flat' ? [] : keptPaths) {
    const folder = /^agents\/([^/]+)\//.exec(path)?.[1]
    const id = folder === undefined ? undefined : agentIdOf(folder)
    if (folder !== undefined && id !== undefined && id !== folder) agentFolders.set(id, folder)
  }
  return { layout, flatAgent: agent ?? own.agent, identityFile: own.identityFile ?? identityFile, agentFolders }
}

export function agentIdOf(folder: string): Scope | undefined {
  try {
    return normalizeAgentId(folder)
  } catch {
    return undefined // not an agent's folder
  }
}

/** What lies at a path, for who knows all scopes there are. */
export function placesIn(layout: Layout, scopes: Iterable<Scope>): (path: string) => Place | undefined {
  const all = [...new Set([WORLD, ...scopes])]
  const folders = new Map(all.flatMap((scope) => foldersOf(layout, scope)).map((folder) => [`${folder.path}/`, folder]))
  const agents = new Map(all.filter((scope) => scope !== WORLD).map((scope) => [scopeFolder(layout, scope), scope]))
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const at = path.slice(0, path.length - name.length)
    const folder = folders.get(at)
    if (folder) return placeInFolder(layout, folder, name)
    const agent = agents.get(at)
    return agent === undefined ? undefined : placeInScope(layout, agent, name)
  }
}

export function sessionFolder(layout: Layout, scope: Scope): string {
  return `${scopeFolder(layout, scope)}sessions/`
}

/** Whether an entry may lie at a path: what another store tells of the past must not lead out of the workspace. */
export function mayLieAt(layout: Layout, zone: string, head: EntryHead, path: string): boolean {
  const { place } = KINDS[head.kind]
  if (path === fixedPath(layout, head, zone) || path === mirrorPath(layout, head)) return true
  const folder = scopeFolder(layout, head.scope) + ('folder' in place ? `${place.folder}/` : '')
  const name = path.slice(folder.length)
  if (!path.startsWith(folder) || !/^[^./\\\0][^/\\\0]*\.md$/.test(name)) return false
  return 'folder' in place || /^HISTORY-\d{4}-\d\d\.md$/.test(name)
}

/** Gives entries their files, in the order they are asked for, as if each were added to a folder that has only what is kept. */
export class Placing {
  readonly #layout: Layout
  readonly #zone: string
  readonly #taken: Set<string>

  constructor(layout: Layout, zone: string, taken: Iterable<string>) {
    this.#layout = layout
    this.#zone = zone
    this.#taken = new Set(taken)
  }

  /** `own`: where it lay, and may stay if its name leads there. */
  choose(head: EntryHead, own?: string): string {
    const folder = slugFolder(this.#layout, head)
    if (folder === undefined || head.name === null) return fixedPath(this.#layout, head, this.#zone)
    for (const candidate of slugCandidates(head.name)) {
      const path = `${folder}${candidate}.md`
      if (path === own || !this.#taken.has(path)) return path
    }
    throw new Error('unreachable: there is always a next candidate')
  }

  take(path: string): void {
    this.#taken.add(path)
  }
}
