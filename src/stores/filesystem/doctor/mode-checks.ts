/**
 * Who else may read or write the memory. New files are 0600 and folders 0700; hands and clones make others. One
 * finding a folder, since a clone opens thousands of files at once.
 */
import { chmodSync, realpathSync, statSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import { geteuid } from 'node:process'
import type { Code } from '../../disk/doctor/codes.ts'
import { counted, type Finding, finding } from '../../disk/doctor/finding.ts'
import { statFile } from '../../disk/reading.ts'
import { attempt } from '../../disk/system.ts'
import { placeInScope, STATE_FOLDER } from '../layout.ts'
import { SETTINGS_FILE } from '../workspace-settings.ts'
import type { Scene } from './evidence.ts'
import { grouped } from './grouped.ts'
import { type Item, isState } from './tree.ts'

const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const SET_ASIDE = ['displaced', 'swap']

interface Open {
  readonly code: Code
  readonly item: Pick<Item, 'path' | 'folder' | 'type' | 'stats'>
}

const SAYS: Readonly<Partial<Record<Code, string>>> = {
  'writable-by-others': 'be changed',
  'state-readable': 'be read',
  'readable-by-others': 'be read',
}

export function checkModes(scene: Scene): Finding[] {
  const groups = grouped(openItems(scene), ({ code, item }) => `${code}\0${item.type}\0${item.folder}`)
  return groups.flatMap(([first, ...others]) => {
    if (!first) return []
    const { code, item } = first
    const may = `can ${SAYS[code]} by other users`
    const hint = `--fix makes it private (${item.type === 'folder' ? '0700' : '0600'}).`
    if (others.length === 0) return finding(code, item.path, `it ${may} (${octal(item.stats.mode)})`, hint)
    const what = counted(others.length + 1, '', item.type === 'folder' ? 'folders' : 'files')
    return finding(code, item.folder || '.', `${what} in it ${may}`, hint)
  })
}

/** Takes the rights of others away, from what is ours to change. */
export function mendModes(scene: Scene): void {
  for (const { item } of openItems(scene)) {
    // The workspace itself may be reached by a link.
    const path = item.path === '.' ? realpathSync(scene.root) : join(scene.root, item.path)
    const stats = statFile(path)
    if (!stats || stats.isSymbolicLink() || stats.uid !== geteuid?.()) continue
    attempt('changing the mode of', path, () => chmodSync(path, stats.mode & 0o700))
  }
}

function openItems(scene: Scene): Open[] {
  if (platform() === 'win32') return [] // modes say nothing there
  const items = scene.tree.items.filter((item) => isOurs(item, scene) && !isSetAside(item))
  return [...topOf(scene), ...items].flatMap((item) => {
    if ((item.type !== 'file' && item.type !== 'folder') || (item.stats.mode & OTHERS) === 0) return []
    return { code: codeFor(item), item }
  })
}

/** A flat workspace may lie in the folder of a project, which is not ours to close. */
function topOf(scene: Scene): Open['item'][] {
  const { root, tree, workspace } = scene
  const stats = statSync(root, { throwIfNoEntry: false })
  const isShared = tree.strangers || tree.items.some((item) => !isOurs(item, scene))
  if (!stats?.isDirectory() || (isShared && workspace.settings.layout === 'flat')) return []
  return [{ path: '.', folder: '..', type: 'folder', stats }]
}

/** Beside a workspace's own files at its root, anything may lie. */
function isOurs({ folder, name, type }: Item, { workspace }: Scene): boolean {
  if (folder !== '' || type === 'folder') return true
  return name === SETTINGS_FILE || placeInScope(workspace.layout, workspace.layout.flatAgent, name) !== undefined
}

/** What the store moved out of the way keeps the mode that a person gave it, in a folder that is closed. */
function isSetAside({ path }: Item): boolean {
  return SET_ASIDE.some((folder) => path.startsWith(`${STATE_FOLDER}/${folder}/`))
}

function codeFor(item: Open['item']): Code {
  if ((item.stats.mode & OTHERS_WRITE) !== 0) return 'writable-by-others'
  return isState(item) ? 'state-readable' : 'readable-by-others'
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0')
}
