/**
 * Puts texts into files: whole ones in the place of what was moved aside, additions by one write at the end. Never over
 * something that nobody of ours has seen: a hand that saved between our look and our write has won.
 */
import { closeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileWrite } from '../../codec/journal-record.ts'
import { type FileBytes, hashBytes, readFileAt, statFile } from '../disk/reading.ts'
import { attempt, FILE_MODE, makeFolder, openForAppend, writeAll } from '../disk/system.ts'
import type { Displaced } from './swap.ts'
import type { Workspace } from './workspace.ts'

export class FileWriter {
  readonly #workspace: Workspace
  /** What hands saved at the very moment that we wrote; whoever holds the lock journals it and puts it back. */
  readonly displaced: Displaced[] = []

  constructor(workspace: Workspace) {
    this.#workspace = workspace
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
    // What a hand saved in a place that is to be empty goes where its entry went: moved aside, it is handed back.
    if (file.after === null && found && file.before !== null) return this.#put(file.path, null, found, file.before)
    if ((found ? hashBytes(found.bytes) : null) !== file.before) return 'hand'
    return this.#put(file.path, file.after === null ? null : Buffer.from(file.text), found)
  }

  /** Gives a file the bytes it should have had, were it not for a crash. */
  bringTo(relative: string, bytes: Uint8Array | null): void {
    const path = this.#workspace.absolute(relative)
    const found = readFileAt(path)
    const length = found?.bytes.length ?? 0
    // Where only the end is missing it is appended: that can't undo what an editor saves at this moment.
    if (bytes && found && length > 0 && Buffer.from(found.bytes).equals(bytes.subarray(0, length))) {
      this.#append(path, bytes.subarray(length), length)
    } else {
      this.#put(relative, bytes, found)
    }
  }

  /** The same bytes in a new file. */
  renew(relative: string): void {
    const found = readFileAt(this.#workspace.absolute(relative))
    if (found) this.#put(relative, found.bytes, found)
  }

  #put(
    relative: string,
    bytes: Uint8Array | null,
    found: FileBytes | undefined,
    before: string | null = found === undefined ? null : hashBytes(found.bytes),
  ): 'done' | 'hand' {
    const path = this.#workspace.absolute(relative)
    this.#makeParent(path)
    const mode = found === undefined ? FILE_MODE : found.stats.mode & 0o777
    const { taken, displaced } = this.#workspace.swap.replace(relative, path, bytes, before, mode)
    this.displaced.push(...displaced)
    return taken ? 'hand' : 'done'
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
