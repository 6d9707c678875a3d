/**
 * Leftovers: our own temporary files, other programs' files, and what an interrupted move left beside the workspace. Outside the
 * workspace they are only reported, whatever their names: nothing there is ours to remove.
 */
import { basename, dirname, join } from 'node:path'
import { isKeepsakeError } from '../../../errors.ts'
import { type Finding, finding } from '../../disk/doctor/finding.ts'
import { listFolder } from '../../disk/list-folder.ts'
import { isOutside, STATE_FOLDER } from '../layout.ts'
import { moveLeftovers } from '../move/leftovers.ts'
import type { Scene } from './evidence.ts'

/** A younger one may belong to a writer that is at work. */
const YOUNGEST_LITTER_MS = 60_000

const EDITOR_FILE = /~$|^\.#|^#.*#$|\.sw[a-p]$/

export function isEditorFile(name: string): boolean {
  return EDITOR_FILE.test(name)
}

export function checkLitter(scene: Scene): Finding[] {
  const { tree } = scene
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
    ...besideIdentity(scene).map((path) =>
      finding(
        'identity-leftover',
        path,
        'a write of the identity was interrupted; this is what the file held before',
        'The next write of the identity takes it in. Else delete it once you are sure that all is well.',
      ),
    ),
    ...moveLeftovers(scene.root).map((path) =>
      finding(
        'move-leftover',
        path,
        'an interrupted move, export or backup left it',
        'Delete it, unless one is running.',
      ),
    ),
  ]
}

/** Old files in our own temporary folder. */
export function temporaryFiles({ tree }: Scene): string[] {
  const before = Date.now() - YOUNGEST_LITTER_MS
  const old = tree.items.filter(
    ({ type, folder, stats }) => folder === `${STATE_FOLDER}/tmp` && type === 'file' && stats.mtimeMs < before,
  )
  return old.map(({ path }) => path)
}

/** Where the store moves an identity file that lies outside, for the moment of its writing. */
function besideIdentity({ workspace, lock }: Scene): string[] {
  const { identityFile } = workspace.layout
  if (!isOutside(identityFile) || lock.is === 'held') return []
  const name = `.${basename(identityFile)}.keepsake-swap`
  return namesIn(dirname(identityFile)).includes(name) ? [join(dirname(identityFile), name)] : []
}

function namesIn(folder: string): string[] {
  try {
    return listFolder(folder).map((item) => item.name)
  } catch (error) {
    if (isKeepsakeError(error)) return [] // not ours to complain about
    throw error
  }
}
