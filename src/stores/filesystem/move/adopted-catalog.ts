/**
 * The first checkpoint of a workspace that was built from another store's memory: whoever opens it reads this, and neither the past nor
 * any of its files. Only for who has synced all of these.
 */
import { join } from 'node:path'
import type { Entry } from '../../../model/entry.ts'
import type { MemoryImage } from '../../../ports/store.ts'
import { headOf } from '../../disk/head-change.ts'
import { hashBytes, settledSignature, statFile } from '../../disk/reading.ts'
import { FILE_MODE, replaceFile } from '../../disk/system.ts'
import { Catalog } from '../catalog.ts'
import { writeCheckpoint } from '../checkpoint.ts'
import { type FolderAtRest, folderAtRest } from '../folder-at-rest.ts'
import { knownFile } from '../known-file.ts'
import { isOutside } from '../layout.ts'
import type { FinalFile, WrittenJournal } from './adopted-journal.ts'
import type { MovingFolder } from './moving-folder.ts'

export interface CatalogParts extends WrittenJournal {
  readonly image: MemoryImage
  readonly entries: readonly Entry[]
  readonly paths: ReadonlyMap<string, string>
  readonly files: readonly FinalFile[]
}

export async function adoptedCatalog(folder: MovingFolder, parts: CatalogParts): Promise<void> {
  const { image, entries, paths, files, epoch, position } = parts
  const catalog = new Catalog()
  for (const entry of entries) {
    const path = paths.get(entry.id)
    catalog.put({ ...headOf(entry), ...(path === undefined ? {} : { path }) })
  }
  for (const { path, text } of files) {
    const stats = statFile(isOutside(path) ? path : join(folder.root, path))
    const signature = stats && settledSignature(stats)
    const bytes = Buffer.byteLength(text)
    // An identity outside may end in other blank lines than ours would: then it is looked at like any edit.
    const isOurs = stats?.size === bytes
    catalog.files.set(path, knownFile(hashBytes(text), bytes, isOurs ? signature : undefined))
    if (!signature || !isOurs) catalog.unsigned.add(path)
  }
  catalog.nextSeq = Math.max(catalog.nextSeq, image.nextSeq)
  catalog.epoch = epoch
  catalog.number = image.cursor.number
  catalog.turn = image.cursor.number
  const atRest = new Map<string, FolderAtRest>()
  for (const path of catalog.files.folders()) {
    const found = isOutside(path) ? undefined : folderAtRest(join(folder.root, path.slice(0, -1)))
    if (found) atRest.set(path, found)
  }
  replaceFile(join(folder.stateFolder, '.gitignore'), Buffer.from('*\n'), folder.temporaryFolder, FILE_MODE)
  await writeCheckpoint(folder.stateFolder, folder.temporaryFolder, { catalog, epoch, position, folders: atRest })
}
