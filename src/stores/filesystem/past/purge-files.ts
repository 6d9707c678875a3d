/**
 * A purge and the files of a workspace that are not entries: transcripts are redacted by the rule of model/redaction.ts, no other
 * file is changed, and every file that still contains purged words is listed.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Scope } from '../../../model/entry.ts'
import {
  fileMentions,
  type Occurrence,
  type Redactions,
  redactTranscript,
  transcriptMentions,
} from '../../../model/redaction.ts'
import { listFolder } from '../../disk/list-folder.ts'
import { readFileAt } from '../../disk/reading.ts'
import { readMetadata } from '../../disk/session-file.ts'
import { keyOfFile } from '../../disk/session-metadata.ts'
import { replaceFileDurably } from '../../disk/system.ts'
import { type Layout, STATE_FOLDER } from '../layout.ts'
import { agentIdOf } from '../move/places.ts'
import { lookInto } from '../transcript-file.ts'
import type { Workspace } from '../workspace.ts'

/** Holds the ends of transcripts that `doctor --fix` cut off, in a folder per fix. */
const ASIDE = `${STATE_FOLDER}/aside`

/** The caller must hold the lock. Returns how many transcripts were changed. */
export async function redactSessions(workspace: Workspace, redactions: Redactions): Promise<number> {
  const { root, layout, stateFolder } = workspace
  let changed = 0
  for (const path of filesBelow(root)) {
    const agent = sessionAgent(layout, path)
    if (agent === undefined) continue
    const bytes = readFileAt(join(root, path))?.bytes
    const redacted = bytes && redactTranscript(bytes, agent, redactions)
    if (!redacted || redacted === bytes) continue
    await replaceFileDurably(join(root, path), redacted, join(stateFolder, 'tmp'))
    if (!path.startsWith(ASIDE)) changed++
  }
  return changed
}

/** `entryFiles`: files of entries that are already listed. */
export function fileOccurrences(
  { root, layout }: Workspace,
  redactions: Redactions,
  entryFiles: ReadonlySet<string>,
): Occurrence[] {
  return filesBelow(root).flatMap((path): Occurrence[] => {
    const bytes = entryFiles.has(path) ? undefined : readFileAt(join(root, path))?.bytes
    if (!bytes || !pathMentions(layout, path, bytes, redactions)) return []
    const scope = path.startsWith(ASIDE) ? undefined : sessionAgent(layout, path)
    if (scope === undefined) return [{ in: 'file', path }]
    const key = lookInto(join(root, path), readMetadata)?.meta['key']
    return [{ in: 'session', scope, key: keyOfFile(basename(path), key) ?? basename(path) }]
  })
}

export function pathMentions(layout: Layout, path: string, bytes: Uint8Array, redactions: Redactions): boolean {
  const mentions = sessionAgent(layout, path) === undefined ? fileMentions : transcriptMentions
  return mentions(bytes, redactions)
}

/** The agent whose transcript, or cut-off end of one, is at a path; `undefined` for any other file. */
export function sessionAgent({ layout, flatAgent }: Layout, path: string): Scope | undefined {
  const inside = path.startsWith(`${ASIDE}/`) ? path.split('/').slice(3).join('/') : path
  const found = /^(?:agents\/([^/]+)\/)?sessions\/[^/]+\.jsonl$/.exec(inside)
  if (!found) return undefined
  const [, folder] = found
  if (layout === 'flat') return folder === undefined ? flatAgent : undefined
  return folder === undefined ? undefined : agentIdOf(folder)
}

/** Paths of plain files, other than git's own and our state. */
function filesBelow(root: string, folder = ''): string[] {
  return listFolder(join(root, folder)).flatMap((item) => {
    const path = folder === '' ? item.name : `${folder}/${item.name}`
    if (item.isFile()) return [path]
    if (!item.isDirectory() || item.name === '.git') return []
    return filesBelow(root, path === STATE_FOLDER ? ASIDE : path)
  })
}

/** The folder of the git repository that the workspace lies in. */
export function gitFolderOf(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return undefined
  }
}
