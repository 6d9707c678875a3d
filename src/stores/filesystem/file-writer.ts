/**
 * Puts texts into files: whole ones by a temporary file and a rename, additions by one write at the end. Never over
 * something that nobody of ours has seen: a hand that saved between our look and our write has won.
 */
import { closeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileWrite } from '../../codec/journal-record.ts'
import { isOutside } from './layout.ts'
import {
  attempt,
  FILE_MODE,
  hashBytes,
  makeFolder,
  openForAppend,
  readFileAt,
  removeFile,
  replaceFile,
  statFile,
  writeAll,
} from './system.ts'
import type { Workspace } from './workspace.ts'

export class FileWriter {
  readonly #workspace: Workspace
  readonly #temporaryFolder: string

  constructor(workspace: Workspace, temporaryFolder: string) {
    this.#workspace = workspace
    this.#temporaryFolder = temporaryFolder
  }

  /** Does what a record says; `hand` when the file is no longer what the record was made for, and is left alone. */
  write(file: FileWrite): 'done' | 'hand' {
    const path = this.#workspace.absolute(file.path)
    if ('append' in file) {
      this.#append(path, Buffer.from(file.append), file.at)
      return 'done'
    }
    if (file.seen) return 'done'
    const found = readFileAt(path)
    if ((found ? hashBytes(found.bytes) : null) !== file.before) return 'hand'
    if (file.after === null) removeFile(path)
    else this.replace(file.path, Buffer.from(file.text))
    return 'done'
  }

  /** Gives a file the bytes it should have had, were it not for a crash. */
  bringTo(relative: string, bytes: Uint8Array | null): void {
    const path = this.#workspace.absolute(relative)
    if (bytes === null) {
      removeFile(path)
      return
    }
    const found = readFileAt(path)?.bytes ?? new Uint8Array()
    // Where only the end is missing it is appended: that can't undo what an editor saves at this moment.
    if (found.length > 0 && Buffer.from(found).equals(bytes.subarray(0, found.length))) {
      this.#append(path, bytes.subarray(found.length), found.length)
    } else {
      this.replace(relative, bytes)
    }
  }

  replace(relative: string, bytes: Uint8Array): void {
    const path = this.#workspace.absolute(relative)
    this.#makeParent(path)
    const mode = statFile(path)?.mode
    const folder = isOutside(relative) ? dirname(path) : this.#temporaryFolder
    replaceFile(path, bytes, folder, mode === undefined ? FILE_MODE : mode & 0o777)
  }

  #append(path: string, bytes: Uint8Array, at: number): void {
    this.#makeParent(path)
    const { fd, size } = openForAppend(path)
    // A hand was there since we looked: whatever it left at the end, ours begins on a line of its own.
    const fresh = size === at ? Buffer.alloc(0) : Buffer.from('\n\n')
    attempt('writing', path, () => {
      try {
        writeAll(fd, Buffer.concat([fresh, bytes]))
      } finally {
        closeSync(fd)
      }
    })
  }

  #makeParent(path: string): void {
    const folder = dirname(path)
    if (statFile(folder)) return
    makeFolder(folder)
    this.#workspace.forgetLayout()
  }
}
