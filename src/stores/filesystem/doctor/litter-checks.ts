/** What was left lying about: our own temporary files, other programs' leftovers, and what a restore left beside. */
import { basename, dirname, join } from 'node:path'
import { isKeepsakeError } from '../../../errors.ts'
import { isUnfinished } from '../backup/unfinished.ts'
import { isOutside, STATE_FOLDER } from '../layout.ts'
import { listFolder } from '../list-folder.ts'
import { statFile } from '../system.ts'
import type { Scene } from './evidence.ts'
import { type Finding, finding } from './finding.ts'

/** A younger one may belong to a writer that is at work. */
const YOUNGEST_LITTER_MS = 60_000

const EDITOR_FILE = /~$|^\.#|^#.*#$|\.sw[a-p]$/

export function isEditorFile(name: string): boolean {
  return EDITOR_FILE.test(name)
}

export function checkLitter(scene: Scene): Finding[] {
  const { root, tree } = scene
  const temporary = temporaryFiles(scene).map((path) =>
    finding('temporary-file', path, 'a crash left this temporary file', 'The next writer, or --fix, removes it.'),
  )
  const editors = tree.items.filter(({ type, name }) => type !== 'folder' && isEditorFile(name))
  return [
    ...temporary,
    ...editors.map(({ path }) =>
      finding(
        'editor-file',
        path,
        'an editor left it, or has the file open; it is never read',
        'Delete it if it is stale.',
      ),
    ),
    ...besideRoot(root).map((path) =>
      finding('restore-leftover', path, 'a restore left it', 'Delete it once you are sure that all is well.'),
    ),
  ]
}

/** In our own folder for them, where derived files are made, and beside an identity file that lies outside. */
export function temporaryFiles({ tree, workspace }: Scene): string[] {
  const before = Date.now() - YOUNGEST_LITTER_MS
  const inside = tree.items.filter(({ type, folder, name, stats }) => {
    const isTemporary =
      folder === `${STATE_FOLDER}/tmp` ||
      (folder === `${STATE_FOLDER}/derived` && isTemporaryName(name)) ||
      isUnfinished('archive', name)
    return isTemporary && type === 'file' && stats.mtimeMs < before
  })
  const { identityFile } = workspace.layout
  const beside = isOutside(identityFile) ? dirname(identityFile) : undefined
  const outside = beside === undefined ? [] : namesIn(beside).filter(isTemporaryName)
  const old = outside.map((name) => join(beside ?? '', name)).filter((path) => isOldFile(path, before))
  return [...inside.map(({ path }) => path), ...old]
}

function isTemporaryName(name: string): boolean {
  return /^[0-9a-f]{16}$/.test(name)
}

function isOldFile(path: string, before: number): boolean {
  const stats = statFile(path)
  return stats?.isFile() === true && stats.mtimeMs < before
}

function besideRoot(root: string): string[] {
  const name = basename(root)
  const left = namesIn(dirname(root)).filter(
    (other) =>
      other.startsWith(`${name}.restore-`) ||
      other.startsWith(`${name}.before-restore-`) ||
      isUnfinished('restore', other),
  )
  return left.map((other) => join(dirname(root), other))
}

function namesIn(folder: string): string[] {
  try {
    return listFolder(folder).map((item) => item.name)
  } catch (error) {
    if (isKeepsakeError(error)) return [] // not ours to complain about
    throw error
  }
}
