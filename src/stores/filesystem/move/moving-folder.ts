/**
 * The folder in which a workspace is built before it takes its place. It says which memory it is made from, so that a try that was
 * cut short is gone on with by the next one of the same: what is there and right is not written again. Only for the holder of its lock.
 */
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Cursor } from '../../../ports/store.ts'
import { decodeText, readFileAt, statFile } from '../../disk/reading.ts'
import { attempt, FILE_MODE, makeFolder, removeFile, syncFile, syncFolder, writeNewFile } from '../../disk/system.ts'
import { STATE_FOLDER } from '../layout.ts'
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
    const left = statFile(root) && readFileAt(this.#mark)
    this.resumed = left !== undefined && decodeText(left.bytes) === mark
    if (!this.resumed) this.remove()
    else for (const name of ['journal', 'checkpoint']) this.#clear(join(this.stateFolder, name))
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

  put(path: string, bytes: Uint8Array): void {
    const absolute = join(this.root, path)
    if (!this.#folders.has(dirname(absolute))) {
      makeFolder(dirname(absolute))
      this.#folders.add(dirname(absolute))
    }
    const mayBeThere = this.resumed || this.has(path)
    this.#files.add(path)
    if (mayBeThere) {
      const there = readFileAt(absolute)?.bytes
      if (there && Buffer.from(there).equals(bytes)) return
      removeFile(absolute)
    }
    writeNewFile(absolute, bytes, FILE_MODE)
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

/** Syncs that run side by side share the disk's own commits. */
async function inParallel(items: string[], run: (item: string) => Promise<void>): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let item = items.pop(); item !== undefined; item = items.pop()) await run(item)
  }
  await Promise.all(Array.from({ length: PARALLEL_SYNCS }, lane))
}
