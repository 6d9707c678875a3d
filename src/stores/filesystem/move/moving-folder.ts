/**
 * The folder in which a workspace is built before it takes its place. It says which memory it is made from, so that a try that was
 * cut short is gone on with by the next one of the same: what is there and right is not written again. Only for the holder of its lock.
 */
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DamagedError } from '../../../errors.ts'
import type { Cursor } from '../../../ports/store.ts'
import { decodeText, readFileAt, statFile } from '../../disk/reading.ts'
import { attempt, FILE_MODE, makeFolder, removeFile, syncFile, syncFolder, writeNewFile } from '../../disk/system.ts'
import { isOutside, STATE_FOLDER } from '../layout.ts'
import { treeOf } from './folder-tree.ts'

const MARK = 'moving'
const PARALLEL_SYNCS = 16

export class MovingFolder {
  readonly root: string
  /** An earlier try had got somewhere. */
  readonly resumed: boolean
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()

  constructor(root: string, source: { readonly workspace: string; readonly cursor: Cursor }) {
    this.root = root
    const mark = JSON.stringify(source)
    const left = isFolder(root) && isFolder(this.stateFolder) ? readFileAt(this.#mark) : undefined
    this.resumed = left !== undefined && decodeText(left.bytes) === mark
    if (!this.resumed) this.remove()
    else for (const name of ['journal', 'checkpoint', 'tmp']) this.#clear(join(this.stateFolder, name))
    makeFolder(this.stateFolder)
    makeFolder(this.temporaryFolder)
    if (!this.resumed) writeNewFile(this.#mark, Buffer.from(mark), FILE_MODE)
  }

  get stateFolder(): string {
    return join(this.root, STATE_FOLDER)
  }

  get temporaryFolder(): string {
    return join(this.stateFolder, 'tmp')
  }

  get #mark(): string {
    return join(this.stateFolder, MARK)
  }

  /** Never outside of this folder, whatever the path says and whatever lies in here. */
  put(path: string, bytes: Uint8Array): void {
    if (!isInside(path)) {
      const problem = `it has a file at ${JSON.stringify(path)}, outside of every workspace`
      throw new DamagedError('the memory to be moved', problem, 'Nothing was written.')
    }
    const absolute = join(this.root, path)
    this.#makeFolder(dirname(absolute))
    const mayBeThere = this.resumed || this.has(path)
    this.#files.add(path)
    if (mayBeThere) {
      const there = statFile(absolute)?.isFile() ? readFileAt(absolute)?.bytes : undefined
      if (there && Buffer.from(there).equals(bytes)) return
      this.#clear(absolute)
    }
    writeNewFile(absolute, bytes, FILE_MODE)
  }

  /** A link that somebody put in the way is removed, not followed. */
  #makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return
    if (folder !== this.root) {
      this.#makeFolder(dirname(folder))
      if (statFile(folder) && !isFolder(folder)) removeFile(folder)
    }
    makeFolder(folder)
    this.#folders.add(folder)
  }

  /** Whether this try has put it there. */
  has(path: string): boolean {
    return this.#files.has(path)
  }

  /** What an earlier try wrote and is not part of it any more. */
  removeOthers(): void {
    if (!this.resumed) return
    for (const path of treeOf(this.root).files.keys()) if (!this.has(path)) removeFile(join(this.root, path))
  }

  async sync(): Promise<void> {
    await inParallel([...this.#files], (path) => syncFile(join(this.root, path)))
    const folders = new Set<string>()
    for (let folder of this.#folders) {
      for (; folder.startsWith(this.root) && !folders.has(folder); folder = dirname(folder)) folders.add(folder)
    }
    await inParallel([...folders], syncFolder)
  }

  /** Nothing is left to be done: from here on it is a workspace like any other. */
  async finish(): Promise<void> {
    removeFile(this.#mark)
    await syncFolder(this.stateFolder)
    await syncFolder(this.root)
  }

  remove(): void {
    this.#clear(this.root)
  }

  #clear(path: string): void {
    attempt('removing', path, () => rmSync(path, { recursive: true, force: true }))
  }
}

function isFolder(path: string): boolean {
  return statFile(path)?.isDirectory() ?? false
}

/** Plain names, one below the other; our own state is not for others to write. */
export function isInside(path: string): boolean {
  const parts = path.split('/')
  const arePlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part))
  return arePlain && !isOutside(path) && parts[0] !== STATE_FOLDER
}

/** Syncs that run side by side share the disk's own commits. */
async function inParallel(items: string[], run: (item: string) => Promise<void>): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let item = items.pop(); item !== undefined; item = items.pop()) await run(item)
  }
  await Promise.all(Array.from({ length: PARALLEL_SYNCS }, lane))
}
