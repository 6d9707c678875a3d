/**
 * Makes checkpoints: brings every file that the journal's tail tells of to the disk, then notes that it is there. Only
 * under the lock. Invariant: a file whose sync failed is written anew before it is synced again, because a second sync
 * that succeeds would prove nothing.
 */
import { dirname, join } from 'node:path'
import { syncFile, syncFolder } from '../disk/system.ts'
import { writeCheckpoint } from './checkpoint.ts'
import type { FileWriter } from './file-writer.ts'
import { type FolderAtRest, folderAtRest } from './folder-at-rest.ts'
import { isOutside, placeOf } from './layout.ts'
import type { Workspace } from './workspace.ts'

const TAIL_RECORDS = 1000
const TAIL_BYTES = 1024 * 1024
const PARALLEL_SYNCS = 8
/** A log with more entries would be compared again at every checkpoint of a busy day; its readers do it instead. */
const MOST_COMPARED = 1000

export class Checkpointer {
  readonly #workspace: Workspace
  readonly #files: FileWriter
  readonly #temporaryFolder: string
  readonly #unsyncable = new Set<string>()

  constructor(workspace: Workspace, files: FileWriter, temporaryFolder: string) {
    this.#workspace = workspace
    this.#files = files
    this.#temporaryFolder = temporaryFolder
  }

  /** The tail may grow with the catalogue, so that a checkpoint's cost, spread over the writes between two, stays flat. */
  isDue(): boolean {
    const { state, catalog } = this.#workspace
    if (!state) return false
    return (
      state.tailRecords > Math.max(TAIL_RECORDS, catalog.size / 4) ||
      state.tailBytes > Math.max(TAIL_BYTES, state.checkpointBytes)
    )
  }

  async make(): Promise<void> {
    const { catalog, state, stateFolder } = this.#workspace
    if (!state) return
    const paths = [...catalog.unsynced]
    const folders = paths.map((path) => dirname(this.#workspace.absolute(path)))
    await inParallel(paths, (path) => this.#sync(path))
    await inParallel([...folders, ...folders.map(dirname)], syncFolder)
    // Time has passed since most were written: their signatures can be trusted from now on.
    for (const path of new Set([...paths, ...catalog.unsigned])) this.#settle(path)
    const { epoch, position } = state
    const summary = { catalog, epoch, position, folders: this.#foldersAtRest() }
    // Syncing takes its time, and a checkpoint in another workspace's folder would take its past away.
    this.#workspace.refuseReplaced()
    state.checkpointBytes = await writeCheckpoint(stateFolder, this.#temporaryFolder, summary)
    for (const path of paths) catalog.unsynced.delete(path)
    state.tailRecords = 0
    state.tailBytes = 0
  }

  #foldersAtRest(): Map<string, FolderAtRest> {
    const folders = new Map<string, FolderAtRest>()
    for (const folder of this.#workspace.catalog.files.folders()) {
      const atRest = isOutside(folder) ? undefined : folderAtRest(join(this.#workspace.root, folder.slice(0, -1)))
      if (atRest) folders.set(folder, atRest)
    }
    return folders
  }

  /** Logs that were added to are compared entry by entry once, so that every later start can go by their signature. */
  #settle(path: string): void {
    const { catalog, layout } = this.#workspace
    if (this.#workspace.files.isAsKnown(path)) return
    const [id] = catalog.idsAt(path)
    const head = id === undefined ? undefined : catalog.head(id)
    if (head && catalog.idsAt(path).size <= MOST_COMPARED) this.#workspace.files.inspect(placeOf(layout, head, path))
  }

  async #sync(path: string): Promise<void> {
    const absolute = this.#workspace.absolute(path)
    if (this.#unsyncable.has(path)) {
      this.#files.renew(path)
      this.#unsyncable.delete(path)
    }
    try {
      await syncFile(absolute)
    } catch (error) {
      this.#unsyncable.add(path)
      throw error
    }
  }
}

/** Syncs that run side by side share the disk's own commits. */
async function inParallel(items: readonly string[], run: (item: string) => Promise<void>): Promise<void> {
  const rest = [...new Set(items)]
  const lane = async (): Promise<void> => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await run(item)
  }
  await Promise.all(Array.from({ length: PARALLEL_SYNCS }, lane))
}
