/**
 * All that lies in a workspace, stat by stat, in one pass. Only our own folders are entered: a flat workspace may lie
 * among things that are not ours. Links are noted, never followed.
 */
import type { Dirent, Stats } from 'node:fs'
import { join } from 'node:path'
import { isKeepsakeError } from '../../../errors.ts'
import { KINDS } from '../../../model/kinds.ts'
import { saidOf } from '../../disk/doctor/finding.ts'
import { listFolder } from '../../disk/list-folder.ts'
import { statFile } from '../../disk/reading.ts'
import { STATE_FOLDER } from '../layout.ts'

export interface Item {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string
  /** The path of its folder; empty for the workspace itself. */
  readonly folder: string
  readonly name: string
  readonly type: 'file' | 'folder' | 'link' | 'other'
  readonly stats: Stats
}

export interface Tree {
  readonly items: readonly Item[]
  /** Folders and names that could not be read, and why. */
  readonly unreadable: readonly { readonly path: string; readonly problem: string }[]
  /** Whether things that are not ours lie beside our folders, as in the root of a project. */
  readonly strangers: boolean
  /** Of all files but archives, which no backup holds again. */
  readonly bytes: number
}

const KIND_FOLDERS = Object.values(KINDS).flatMap(({ place }) => ('folder' in place ? place.folder : []))
const ARCHIVES = `${STATE_FOLDER}/backups`
const OUR_FOLDERS = new Set([STATE_FOLDER, 'agents', 'world', 'sessions', 'directives', ...KIND_FOLDERS])

export function walkTree(root: string): Tree {
  const items: Item[] = []
  const unreadable: { path: string; problem: string }[] = []
  const folders = ['']
  let strangers = false
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { name } of namesIn(root, folder, unreadable)) {
      const path = folder === '' ? name : `${folder}/${name}`
      const item = itemAt(root, folder, name, path, unreadable)
      if (!item) continue
      if (item.type === 'folder' && folder === '' && !OUR_FOLDERS.has(name)) {
        strangers = true
        continue
      }
      items.push(item)
      if (item.type === 'folder') folders.push(path)
    }
  }
  items.sort((a, b) => (a.path < b.path ? -1 : 1))
  const counted = items.filter(({ type, folder }) => type === 'file' && folder !== ARCHIVES)
  return { items, unreadable, strangers, bytes: counted.reduce((sum, { stats }) => sum + stats.size, 0) }
}

export function isState(item: Pick<Item, 'path'>): boolean {
  return item.path === STATE_FOLDER || item.path.startsWith(`${STATE_FOLDER}/`)
}

function namesIn(root: string, folder: string, unreadable: { path: string; problem: string }[]): Dirent[] {
  try {
    return listFolder(join(root, folder))
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    unreadable.push({ path: folder === '' ? '.' : folder, problem: saidOf(error) })
    return []
  }
}

function itemAt(
  root: string,
  folder: string,
  name: string,
  path: string,
  unreadable: { path: string; problem: string }[],
): Item | undefined {
  try {
    const stats = statFile(join(root, path))
    if (stats) return { path, folder, name, type: typeOf(stats), stats }
    // Gone since the folder was listed, or a name that can't be told in UTF-8 and so can't be opened.
    if (name.includes('\uFFFD')) unreadable.push({ path, problem: 'its name is not UTF-8, so it is never read' })
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    unreadable.push({ path, problem: saidOf(error) })
  }
  return undefined
}

function typeOf(stats: Stats): Item['type'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'other'
}
