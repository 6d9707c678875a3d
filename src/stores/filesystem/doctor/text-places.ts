/** Which of the files that were found hold entries, and of what sort each is. */
import { type Scope, WORLD } from '../../../model/entry.ts'
import { statFile } from '../../disk/reading.ts'
import {
  type FolderPlace,
  foldersOf,
  outsideIdentity,
  type Place,
  placeInFolder,
  placeInScope,
  placeOf,
  scopeFolder,
} from '../layout.ts'
import type { Scene } from './evidence.ts'
import type { Item } from './tree.ts'

/** Monthly files before their mirror, in the order of their paths. */
export function placesIn(scene: Scene): Place[] {
  const { workspace, tree, unwritten } = scene
  const { layout } = workspace
  const scopes = scopesOf(scene)
  const folders = entryFolders(scene)
  const owners = agentFolders(scene)
  const placed = ({ type, folder, name }: Item): Place | undefined => {
    if (type !== 'file') return undefined
    const ofFolder = folders.get(folder)
    if (ofFolder) return placeInFolder(layout, ofFolder, name)
    const scope = owners.get(folder)
    return scope === undefined ? undefined : placeInScope(layout, scope, name)
  }
  const found = tree.items.flatMap((item) => placed(item) ?? [])
  const paths = new Set(found.map(({ path }) => path))
  const missing = [...unwritten].filter((path) => !paths.has(path)).flatMap((path) => knownPlace(scene, path) ?? [])
  const outside = [...scopes].flatMap((scope) => outsideIdentity(layout, scope) ?? [])
  return [...found, ...missing, ...outside.filter(({ path }) => statFile(path))].sort(
    (a, b) => Number(a.mirror) - Number(b.mirror),
  )
}

/** Every folder in which files are looked for. */
export function readFolders(scene: Scene): Set<string> {
  return new Set([...entryFolders(scene).keys(), ...agentFolders(scene).keys()])
}

function entryFolders(scene: Scene): Map<string, FolderPlace> {
  const { layout } = scene.workspace
  const places = [...scopesOf(scene)].flatMap((scope) => foldersOf(layout, scope))
  return new Map(places.map((place) => [place.path, place]))
}

function agentFolders(scene: Scene): Map<string, Scope> {
  const { layout } = scene.workspace
  const agents = [...scopesOf(scene)].filter((scope) => scope !== WORLD)
  return new Map(agents.map((scope) => [scopeFolder(layout, scope).replace(/\/$/, ''), scope]))
}

export function scopesOf({ workspace }: Scene): Set<Scope> {
  const { layout } = workspace
  const agents = layout.layout === 'flat' ? [layout.flatAgent] : layout.agentFolders.keys()
  return new Set([WORLD, ...agents])
}

/** A file that is still to be written lies where the journal says. */
function knownPlace({ workspace }: Scene, path: string): Place | undefined {
  const [id] = workspace.catalog.idsAt(path)
  const head = id === undefined ? undefined : workspace.catalog.head(id)
  return head && placeOf(workspace.layout, head, path)
}
