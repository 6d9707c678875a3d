/**
 * Notices changes by other processes and by hands while a process lives on. The system's own notices wake it where there are
 * any; a slow look at the folder's signatures does where there are none (network folders, too many watches). What changed
 * is not passed on: the callback has to look, and a look costs a stat per file. A folder that can't be read never ends the watch:
 * the others stay watched, and every poll tries that folder again.
 */
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { isKeepsakeError } from '../../errors.ts'
import { WORLD } from '../../model/entry.ts'
import type { Watch } from '../../ports/store.ts'
import { statFile, unlessUnreadable } from '../disk/reading.ts'
import { foldersOf, scopeFolder } from './layout.ts'
import { survey } from './survey.ts'
import type { Workspace } from './workspace.ts'

/** Editors save in several steps; one call for all of them. */
const QUIET_MS = 60
const POLL_MS = 2000

export function watchWorkspace(workspace: Workspace, changed: () => void): Watch {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>()
  let quiet: NodeJS.Timeout | undefined
  let last = fingerprint(workspace)

  const look = (): void => {
    quiet = undefined
    const now = fingerprint(workspace)
    // After the look: it has found the folders of new agents.
    follow()
    if (now === last) return
    last = now
    changed()
  }
  const wake = (): void => {
    quiet ??= setTimeout(look, QUIET_MS).unref()
  }
  const follow = (): void => {
    const folders = unlessUnreadable(() => foldersToWatch(workspace))
    if (!folders) return
    const wanted = new Map<string, number>()
    for (const folder of folders) {
      const stats = unlessUnreadable(() => statFile(folder))
      if (stats?.isDirectory()) wanted.set(folder, stats.ino)
    }
    // A folder that was replaced by one of the same name is another one.
    for (const [folder, { watcher, inode }] of watchers) {
      if (wanted.get(folder) === inode) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const [folder, inode] of wanted) if (!watchers.has(folder)) begin(folder, inode)
  }
  const begin = (folder: string, inode: number): void => {
    try {
      const watcher = watch(folder, { persistent: false }, wake)
      watcher.on('error', () => {
        watcher.close()
        watchers.delete(folder)
      })
      watchers.set(folder, { watcher, inode })
    } catch {
      // Unreadable, or the system has no more watches: the slow poll finds changes there.
    }
  }

  follow()
  const poll = setInterval(wake, POLL_MS).unref()
  return {
    async stop() {
      clearInterval(poll)
      clearTimeout(quiet)
      for (const { watcher } of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}

function foldersToWatch(workspace: Workspace): string[] {
  const { layout } = workspace
  const scopes = [WORLD, ...layout.agentFolders.keys(), layout.flatAgent]
  const folders = scopes.flatMap((scope) => [
    scopeFolder(layout, scope),
    ...foldersOf(layout, scope).map(({ path }) => path),
  ])
  return [...new Set([...folders, 'agents', '.state', '.state/journal'].map((folder) => join(workspace.root, folder)))]
}

/** What tells two states of the memory apart: the last change, and what hands did since. */
function fingerprint(workspace: Workspace): string {
  try {
    workspace.catchUp()
    const { edits, problems } = survey(workspace)
    const hands = edits.map(({ before, after }) => [(after ?? before)?.id, after?.revision, after?.path])
    const { epoch, number } = workspace.catalog
    return JSON.stringify([epoch, number, hands, problems])
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return error.message // unreadable for now: that is a change, and so is its end
  }
}
