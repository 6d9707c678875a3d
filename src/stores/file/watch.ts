/**
 * Notices what other processes write to the one file while a process lives on. The folder around it is watched, because a fold
 * puts another file in its place; a slow look does where the system gives no notice. What changed is not told: whoever is
 * called looks.
 */
import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isKeepsakeError } from '../../errors.ts'
import type { Watch } from '../../ports/store.ts'
import { statFile, unlessUnreadable } from '../disk/reading.ts'

/** A write is several steps, and several writes are often one piece of work: one call for all of them. */
const QUIET_MS = 60
const POLL_MS = 2000

/** `stateOf`: what tells two states of the memory apart. */
export function watchFile(path: string, stateOf: () => string, changed: () => void): Watch {
  const [folder, name] = [dirname(path), basename(path)]
  let watched: { readonly watcher: FSWatcher; readonly inode: number } | undefined
  let quiet: NodeJS.Timeout | undefined
  let last = fingerprint(stateOf)

  const look = (): void => {
    quiet = undefined
    follow()
    const now = fingerprint(stateOf)
    if (now === last) return
    last = now
    changed()
  }
  const wake = (): void => {
    quiet ??= setTimeout(look, QUIET_MS).unref()
  }
  const leave = (): void => {
    watched?.watcher.close()
    watched = undefined
  }
  /** The folder may come later than we, or be replaced by one of the same name. */
  const follow = (): void => {
    const inode = unlessUnreadable(() => statFile(folder)?.ino)
    if (watched?.inode === inode) return
    leave()
    if (inode === undefined) return
    try {
      const watcher = watch(folder, { persistent: false }, (_, about) => {
        if (about === null || about === name) wake()
      })
      watcher.on('error', leave)
      watched = { watcher, inode }
    } catch {
      // no more watches to be had: the slow look finds it
    }
  }

  follow()
  const poll = setInterval(wake, POLL_MS).unref()
  return {
    async stop() {
      clearInterval(poll)
      clearTimeout(quiet)
      leave()
    },
  }
}

/** Unreadable for now is a state too, and so is its end. */
function fingerprint(stateOf: () => string): string {
  try {
    return stateOf()
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return error.message
  }
}
