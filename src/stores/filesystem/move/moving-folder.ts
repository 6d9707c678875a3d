/**
 * The folder in which a workspace is built before it is renamed to its place. It starts empty: what an interrupted move left there is
 * removed. Only for the holder of its lock.
 */
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DamagedError } from '../../../errors.ts'
import { attempt, FILE_MODE, makeFolder, removeFile, syncFile, syncFolder, writeNewFile } from '../../disk/system.ts'
import { isOutside, STATE_FOLDER } from '../layout.ts'

const PARALLEL_SYNCS = 16

export class MovingFolder {
  readonly root: string
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()

  constructor(root: string) {
    this.root = root
    attempt('removing', root, () => rmSync(root, { recursive: true, force: true }))
    makeFolder(this.temporaryFolder)
    this.#folders.add(this.stateFolder)
  }

  get stateFolder(): string {
    return join(this.root, STATE_FOLDER)
  }

  get temporaryFolder(): string {
    return join(this.stateFolder, 'tmp')
  }

  /** Never writes outside this folder, whatever the path. If a file is put twice, the last one counts. */
  put(path: string, bytes: Uint8Array): void {
    if (!isInside(path)) {
      const problem = `it has a file at ${JSON.stringify(path)}, outside of every workspace`
      throw new DamagedError('the memory to be moved', problem, 'Nothing was written.')
    }
    const absolute = join(this.root, path)
    const folder = dirname(absolute)
    if (!this.#folders.has(folder)) makeFolder(folder)
    this.#folders.add(folder)
    if (this.has(path)) removeFile(absolute)
    this.#files.add(path)
    writeNewFile(absolute, bytes, FILE_MODE)
  }

  has(path: string): boolean {
    return this.#files.has(path)
  }

  async sync(): Promise<void> {
    await inParallel([...this.#files], (path) => syncFile(join(this.root, path)))
    const folders = new Set<string>()
    for (let folder of this.#folders) {
      for (; folder.startsWith(this.root) && !folders.has(folder); folder = dirname(folder)) folders.add(folder)
    }
    await inParallel([...folders], syncFolder)
  }
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
