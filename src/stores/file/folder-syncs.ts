/**
 * Folders that got a name which may not be on the disk yet: nothing in a file is durable before its name is, and those of the folders
 * above it. One whose sync fails stays due, so that the next turn tries again before it acknowledges anything.
 */
import { dirname } from 'node:path'
import { statFile } from '../disk/reading.ts'
import { makeFolder, syncFolder } from '../disk/system.ts'

export class FolderSyncs {
  readonly #due = new Set<string>()

  get areDue(): boolean {
    return this.#due.size > 0
  }

  add(folder: string): void {
    this.#due.add(folder)
  }

  /** Makes a folder, and what is missing above it. */
  make(folder: string): void {
    if (statFile(folder)) return
    for (let level = folder; !statFile(level) && level !== dirname(level); level = dirname(level)) {
      this.#due.add(dirname(level))
    }
    makeFolder(folder)
  }

  async settle(): Promise<void> {
    for (const folder of this.#due) {
      await syncFolder(folder)
      this.#due.delete(folder)
    }
  }
}
