/**
 * Appends to the file, for the holder of the lock only: one write, one sync, then the slot that says so. Whatever fails, the file is
 * put back to where it was as far as the disk allows, and what this process knows of it is as before.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { decodeFrameHead } from '../../codec/one-file/frame.ts'
import { encodeSlot, slotOffset } from '../../codec/one-file/header.ts'
import { StorageError } from '../../errors.ts'
import type { HeldLock } from '../disk/lock.ts'
import { statFile } from '../disk/reading.ts'
import { attempt, syncData, wrapped } from '../disk/system.ts'
import type { FileFollower, FollowedFile } from './follower.ts'
import type { OneFile } from './one-file.ts'
import { writeAllAt } from './write-at.ts'

export class Appender {
  readonly #follower: FileFollower
  #writing: { readonly fd: number; readonly file: OneFile } | undefined
  /** A sync has failed: nobody knows what of the file is on the disk, so it is to be written anew before anything else. */
  needsNewFile = false
  /** A frame that was there whole is cut off again, and others may have read it. */
  hasTakenBack = false

  constructor(follower: FileFollower) {
    this.#follower = follower
  }

  /** Opens the file for writing, and cuts what a crash or a failure left behind the last whole frame. */
  prepare(state: FollowedFile, lock: HeldLock): void {
    const { path } = state.file
    refuseLost(lock, path)
    if (this.#writing?.file !== state.file) {
      this.close()
      const flags = constants.O_RDWR | constants.O_NOFOLLOW
      this.#writing = { fd: attempt('opening', path, () => openSync(path, flags)), file: state.file }
    }
    const { fd } = this.#writing ?? { fd: -1 }
    attempt('mending', path, () => {
      const stats = fstatSync(fd)
      if (!state.file.isSame(stats)) throw replaced(path)
      if (stats.size > state.end) ftruncateSync(fd, state.end)
    })
    this.#follower.heldBack = undefined
  }

  /** Whole frames. `durable`: synced and acknowledged when it returns. */
  async append(
    state: FollowedFile,
    bytes: Uint8Array,
    { durable, lock }: { readonly durable: boolean; readonly lock: HeldLock },
  ): Promise<void> {
    const { path } = state.file
    const fd = this.#writing?.fd
    if (fd === undefined || this.#writing?.file !== state.file) throw new Error('unreachable: prepare comes first')
    refuseLost(lock, path)
    const start = state.end
    let isSyncing = false
    this.#follower.heldBack = start
    try {
      writeAllAt(fd, bytes, start)
      isSyncing = durable
      if (durable) await syncData(fd)
      const stats = statFile(path)
      if (!stats || !state.file.isSame(stats)) throw replaced(path)
      refuseLost(lock, path)
    } catch (error) {
      this.needsNewFile ||= isSyncing
      this.#abandon(start, bytes, lock)
      throw wrapped('writing', path, error)
    }
    this.#follower.heldBack = undefined
    this.#follower.took(state, bytes)
    if (durable) this.#acknowledge(state, fd)
  }

  /** It is durable already: should this fail, it counts all the same, and the next turn writes a file that says so. */
  #acknowledge(state: FollowedFile, fd: number): void {
    const slot = { end: state.end, number: state.catalogue.number }
    try {
      writeAllAt(fd, encodeSlot(slot, crc32), slotOffset(state.nextSlot))
      state.nextSlot = state.nextSlot === 'A' ? 'B' : 'A'
      state.problem = undefined
    } catch {
      this.needsNewFile = true
    }
    state.slot = slot
  }

  /** Without the lock, what lies there may be what another process was acknowledged: it is for the next turn to look at. */
  #abandon(start: number, bytes: Uint8Array, lock: HeldLock): void {
    const fd = this.#writing?.fd
    this.#writing = undefined
    if (fd === undefined) return
    try {
      if (lock.isHeld()) {
        if (fstatSync(fd).size >= start + firstFrame(bytes)) this.needsNewFile = this.hasTakenBack = true
        ftruncateSync(fd, start)
      }
      this.#follower.heldBack = undefined
    } catch {
      // It stays held back here; the next turn, of any process, cuts it or takes it as a change that nobody was promised.
    }
    closeQuietly(fd)
  }

  close(): void {
    if (this.#writing) closeQuietly(this.#writing.fd)
    this.#writing = undefined
  }
}

/** How many bytes of whole frames the first one has. */
function firstFrame(bytes: Uint8Array): number {
  const head = decodeFrameHead(bytes, crc32)
  return typeof head === 'string' ? 0 : head.size
}

function refuseLost(lock: HeldLock, path: string): void {
  if (lock.isHeld()) return
  throw new StorageError('writing', path, 'the lock beside it was removed', 'Nothing was acknowledged. Try again.')
}

/** Everything that counts was synced before. */
function closeQuietly(fd: number): void {
  try {
    closeSync(fd)
  } catch {
    // nothing is lost by it
  }
}

function replaced(path: string): StorageError {
  return new StorageError('writing', path, 'it was removed or replaced meanwhile', 'Nothing was changed. Try again.')
}
