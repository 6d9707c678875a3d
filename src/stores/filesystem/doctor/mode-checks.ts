/**
 * Who else may read or write the memory. New files are 0600 and folders 0700; hands and clones make others. One
 * finding a folder, since a clone opens thousands of files at once.
 */
import { chmodSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import { geteuid } from 'node:process'
import { attempt, statFile } from '../system.ts'
import type { Code } from './codes.ts'
import type { Scene } from './evidence.ts'
import { counted, type Finding, finding } from './finding.ts'
import { grouped } from './grouped.ts'
import { type Item, isState } from './tree.ts'

const OTHERS = 0o077
const OTHERS_WRITE = 0o022

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
    const path = join(scene.root, item.path)
    const stats = statFile(path)
    if (!stats || stats.isSymbolicLink() || stats.uid !== geteuid?.()) continue
    attempt('changing the mode of', path, () => chmodSync(path, stats.mode & 0o700))
  }
}

function openItems({ root, tree }: Scene): Open[] {
  if (platform() === 'win32') return [] // modes say nothing there
  const stats = statFile(root)
  const top: Open['item'][] = stats?.isDirectory() ? [{ path: '.', folder: '..', type: 'folder', stats }] : []
  return [...top, ...tree.items].flatMap((item) => {
    if ((item.type !== 'file' && item.type !== 'folder') || (item.stats.mode & OTHERS) === 0) return []
    return { code: codeFor(item), item }
  })
}

function codeFor(item: Open['item']): Code {
  if ((item.stats.mode & OTHERS_WRITE) !== 0) return 'writable-by-others'
  return isState(item) ? 'state-readable' : 'readable-by-others'
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0')
}
