/**
 * Another file in the place of the one that is there, or the first one, for the holder of the lock only. It takes its place in one
 * step, when it is whole and synced; the folder that says so is due to be synced from then on, whoever fails.
 */
import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as letOthersGo } from 'node:timers/promises'
import { StorageError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Settings } from '../../ports/store.ts'
import type { HeldLock } from '../disk/lock.ts'
import { statFile } from '../disk/reading.ts'
import { removeQuietly } from '../disk/second-name.ts'
import { attempt, randomHex } from '../disk/system.ts'
import { FileBuilder } from './file-builder.ts'
import type { FolderSyncs } from './folder-syncs.ts'
import type { FileFollower, FollowedFile } from './follower.ts'
import { buildEmpty, giveName } from './new-file.ts'
import { type RebuildOptions, rebuild } from './rebuild.ts'

export interface ReplacingOptions {
  readonly clock: Clock
  /** The folder that is beside the file while it is in use. */
  readonly sidecar: string
  /** What a new file is made with. */
  readonly settings: () => Settings
}

export class Replacing {
  readonly #follower: FileFollower
  readonly #options: ReplacingOptions
  readonly #folders: FolderSyncs

  constructor(follower: FileFollower, options: ReplacingOptions, folders: FolderSyncs) {
    this.#follower = follower
    this.#options = options
    this.#folders = folders
  }

  /** As with rebuild, its name is not synced yet. */
  async create(): Promise<FollowedFile> {
    const { sidecar, settings } = this.#options
    const temporary = join(sidecar, `new-${randomHex()}`)
    await buildEmpty(temporary, settings(), crypto.randomUUID())
    this.#folders.add(dirname(this.#follower.path))
    giveName(temporary, this.#follower.path)
    const state = this.#follower.catchUp()
    if (!state) throw new Error('unreachable: it was just made')
    return state
  }

  /** What rebuild() tells. The new one is not durable yet: that takes a sync of the folder. */
  async rebuild(state: FollowedFile, lock: HeldLock, options: Partial<RebuildOptions>): Promise<number> {
    const { file } = state
    const temporary = join(this.#options.sidecar, `fold-${randomHex()}`)
    const builder = new FileBuilder(temporary, { mode: file.mode })
    file.hold() // whoever reads meanwhile may find another one in its place
    try {
      const made = await rebuild(state, builder, { nowMs: this.#options.clock(), pause: letOthersGo, ...options })
      const stats = statFile(file.path)
      if (!stats || !file.isSame(stats) || !lock.isHeld()) {
        throw new StorageError('writing', file.path, 'it was replaced meanwhile', 'Nothing was changed. Try again.')
      }
      this.#folders.add(dirname(file.path))
      attempt('writing', file.path, () => renameSync(temporary, file.path))
      return made
    } catch (error) {
      builder.close()
      removeQuietly(temporary)
      throw error
    } finally {
      file.release()
    }
  }
}
