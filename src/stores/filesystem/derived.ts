/**
 * Files that can be made anew from the entries, under `.state/derived`. Made among the temporary files and moved into place, so
 * that of several writers the last one's bytes are there, whole; a writer that sweeps those in between only costs a write.
 * A checksum behind the bytes tells damage; behind, because typed arrays are laid over them and must begin at a multiple of
 * 8. Takes no lock, makes no workspace, and what could not be kept is no error.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { isKeepsakeError } from '../../errors.ts'
import type { Cursor, Derived } from '../../ports/store.ts'
import { namesIn } from '../disk/list-folder.ts'
import { readFileAt, statFile, uncounted } from '../disk/reading.ts'
import { safeFileName } from '../disk/safe-file-name.ts'
import { attempt, FILE_MODE, makeFolder, removeFile, replaceFile } from '../disk/system.ts'
import { cursorOf } from './past/change-feed.ts'
import type { Workspace } from './workspace.ts'

export function fileDerived(workspace: Workspace, enter: () => void): Derived {
  const folder = derivedFolder(workspace.stateFolder)
  const temporaryFolder = join(workspace.stateFolder, 'tmp')
  const pathOf = (key: string): string => join(folder, safeFileName(key, 'key'))
  return {
    async read(key) {
      enter()
      const path = pathOf(key)
      try {
        const file = isFolder(folder) ? readFileAt(path, uncounted) : undefined
        return file && withoutChecksum(file.bytes)
      } catch (error) {
        if (!isKeepsakeError(error)) throw error
        return undefined // whoever wants it makes it anew
      }
    },
    async write(key, bytes, madeFrom) {
      enter()
      const path = pathOf(key)
      if (!isFolder(workspace.stateFolder)) return false
      try {
        if (!isFolder(folder)) makeFolder(folder)
        if (!isFolder(folder) || (madeFrom && hasStartedOver(workspace, madeFrom))) return false
        replaceFile(path, withChecksum(bytes), temporaryFolder, FILE_MODE)
        if (!madeFrom || !hasStartedOver(workspace, madeFrom)) return true
        removeFile(path)
      } catch (error) {
        if (!isKeepsakeError(error)) throw error
      }
      return false
    },
  }
}

/** The files one by one, and not the folder: somebody may be putting one into it at this moment. */
export function removeDerived(stateFolder: string): void {
  const folder = derivedFolder(stateFolder)
  const paths = isFolder(folder) ? namesIn(folder).map((name) => join(folder, name)) : [folder]
  for (const path of paths) attempt('removing', path, () => rmSync(path, { recursive: true, force: true }))
}

const CHECKSUM_BYTES = 4

function withChecksum(bytes: Uint8Array): Uint8Array {
  const all = Buffer.alloc(bytes.length + CHECKSUM_BYTES)
  all.set(bytes)
  all.writeUInt32LE(crc32(bytes), bytes.length)
  return all
}

/** `undefined` when they are not what was written. */
function withoutChecksum(all: Uint8Array): Uint8Array | undefined {
  if (all.length < CHECKSUM_BYTES) return undefined
  const bytes = all.subarray(0, -CHECKSUM_BYTES)
  const checksum = new DataView(all.buffer, all.byteOffset + bytes.length).getUint32(0, true)
  return crc32(bytes) === checksum ? bytes : undefined
}

function derivedFolder(stateFolder: string): string {
  return join(stateFolder, 'derived')
}

function isFolder(path: string): boolean {
  return statFile(path)?.isDirectory() === true // and no link
}

/** Looked at once more after the write: a purge starts the feed over first, and removes what is here afterwards. */
function hasStartedOver(workspace: Workspace, madeFrom: Cursor): boolean {
  workspace.catchUp()
  return cursorOf(workspace).epoch !== madeFrom.epoch
}
