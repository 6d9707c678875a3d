/** What a backup would bring back, and where to: an archive becomes a folder, a memory in one file becomes such a file. */
import { closeSync, openSync, readSync } from 'node:fs'
import type { Config } from '../config/load-config.ts'
import { InvalidError, KeepsakeError } from '../errors.ts'
import type { RestorePlan } from '../stores/filesystem/backup/restore.ts'
import { counted } from './counted.ts'

/** A backup that was read as a whole; nothing is changed yet. */
export interface RestoreOffer
  extends Pick<RestorePlan, 'workspace' | 'change' | 'replaces' | 'replacesOther' | 'warnings'> {
  /** Where it comes to, absolute. */
  readonly root: string
  /** What is in it, for a program. */
  readonly counts: Readonly<Record<string, number>>
  /** The same in a sentence. */
  readonly what: string
  readonly restore: () => Promise<Restored>
}

export interface Restored {
  /** Where what was there is now. */
  readonly previous?: string
  readonly warnings: readonly string[]
}

type OnProgress = (doing: string, done: number, total: number) => void

export async function offerFrom(backup: string, { values }: Config, onProgress: OnProgress): Promise<RestoreOffer> {
  const { backend, workspace } = values
  if (backend === 'chroma') {
    throw new KeepsakeError(
      'UNSUPPORTED',
      `${workspace} is on a server, and a backup comes back as a file or a folder`,
      {
        hint: `Restore it to a place here, with --workspace; then: keepsake move --to ${workspace} --workspace THAT_PLACE`,
      },
    )
  }
  if (backend !== 'filesystem' && backend !== 'file') {
    throw new InvalidError('workspace', `${workspace} is not a folder`, 'a folder, or a file')
  }
  const found = sortOf(backup)
  if (backend === 'filesystem' && found === 'one file') {
    throw new KeepsakeError('INVALID', `${backup} is a memory in one file, and ${workspace} is a folder`, {
      hint: 'Restore it to a file, with --workspace memory.keepsake. It can also be used as it is: --workspace names it.',
      data: { path: backup },
    })
  }
  if (backend === 'file' && found === 'archive') {
    throw new KeepsakeError('INVALID', `${backup} is an archive of a folder, and ${workspace} is one file`, {
      hint: 'Restore it to a folder, with --workspace FOLDER; "keepsake move" makes one file of that.',
      data: { path: backup },
    })
  }
  return backend === 'file' ? offerOfFile(backup, workspace, onProgress) : offerOfArchive(backup, workspace, onProgress)
}

async function offerOfArchive(archive: string, root: string, onProgress: OnProgress): Promise<RestoreOffer> {
  const { planRestore, restoreWorkspace } = await import('../stores/filesystem/backup/restore.ts')
  const plan = await planRestore({ archive, root, onProgress })
  const { files, change, madeAt } = plan
  return {
    ...plan,
    counts: { files },
    what: `${files} ${files === 1 ? 'file' : 'files'} as of change ${change}, ${madeAt}`,
    restore: () => restoreWorkspace(plan, { nowMs: Date.now(), onProgress }),
  }
}

async function offerOfFile(copy: string, path: string, onProgress: OnProgress): Promise<RestoreOffer> {
  const { planFileRestore, restoreFile } = await import('../stores/file/restore.ts')
  const plan = await planFileRestore(copy, path, onProgress)
  const { entries, change } = plan
  return {
    ...plan,
    root: plan.path,
    counts: { entries },
    what: `${counted(entries, 'entry', 'entries')} as of change ${change}`,
    restore: async () => ({ ...(await restoreFile(plan, { nowMs: Date.now(), onProgress })), warnings: [] }),
  }
}

const SORTS = [
  ['archive', Buffer.from([0x1f, 0x8b])],
  ['one file', Buffer.from('\x89KEEP', 'latin1')],
] as const

/** By its first bytes. What is neither, or can't be read, is left to who reads all of it and says what is wrong. */
function sortOf(path: string): (typeof SORTS)[number][0] | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    const bytes = Buffer.alloc(8)
    const first = bytes.subarray(0, readSync(fd, bytes))
    return SORTS.find(([, begin]) => first.subarray(0, begin.length).equals(begin))?.[0]
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
