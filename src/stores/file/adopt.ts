/**
 * Another store's memory as a file of ours: the same entries, changes, transcripts and kept files, with their ids, seqs, numbers and
 * times. It is built beside its place and put there whole. A try that was cut short leaves what it had written, and the next one
 * for the same source goes on from there: the same source gives the same bytes.
 */
import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { joined } from '../../codec/one-file/bytes.ts'
import type { SessionRow } from '../../codec/one-file/catalogue.ts'
import { encodeChange } from '../../codec/one-file/change.ts'
import { encodeKeptFile } from '../../codec/one-file/named-bytes.ts'
import { encodeSettings } from '../../codec/one-file/settings.ts'
import { DamagedError, isKeepsakeError } from '../../errors.ts'
import type { Adopted, AdoptOptions, MemoryImage } from '../../ports/store.ts'
import { AdoptProgress } from '../disk/adopt-progress.ts'
import { namesIn } from '../disk/list-folder.ts'
import { changeRecordOf, withoutPlace } from '../disk/recorded-change.ts'
import { sha256Hex } from '../disk/sha256.ts'
import { attempt, makeFolder, removeFile, syncFolder } from '../disk/system.ts'
import { contestedAmong, headsOf } from './catalogue-parts.ts'
import { piecesOf } from './extent-source.ts'
import { FileBuilder, payloadAt } from './file-builder.ts'
import { FileCatalogue } from './file-catalogue.ts'
import { type FileFollower, type FollowedFile, settingsInFrame } from './follower.ts'
import { isUnfinishedMove, MOVING, occupied, putInPlace } from './new-file.ts'
import { writePiece } from './rebuild.ts'
import { writeBase } from './rebuild-past.ts'

/** Only for the holder of the lock. */
export async function adopt(
  follower: FileFollower,
  sidecar: string,
  image: MemoryImage,
  options: AdoptOptions,
): Promise<Adopted> {
  const { path } = follower
  settingsInFrame(image.settings, 'the memory to be moved')
  const there = follower.catchUp()
  if (there && !isEmpty(there)) throw occupied(path)
  makeFolder(sidecar)
  const temporary = join(sidecar, `${MOVING}${digestOf(image)}`)
  for (const name of namesIn(sidecar)) {
    if (isUnfinishedMove(name) && join(sidecar, name) !== temporary) removeFile(join(sidecar, name))
  }
  const builder = new FileBuilder(temporary, { resume: true })
  try {
    await write(builder, image, new AdoptProgress(image, options))
  } catch (error) {
    // What was cut short can be gone on with; what is refused would be refused again, and nothing of it stays.
    if (isKeepsakeError(error) && (error.code === 'DAMAGED' || error.code === 'INVALID')) removeFile(temporary)
    throw error
  } finally {
    builder.close()
  }
  if (there) {
    attempt('writing', path, () => renameSync(temporary, path))
    await syncFolder(dirname(path))
  } else await putInPlace(temporary, path)
  follower.catchUp()
  return { resumed: builder.reused > 0, warnings: [] }
}

function isEmpty({ catalogue }: FollowedFile): boolean {
  const { number, nextSeq, files } = catalogue
  return number === 0 && nextSeq === 1 && files.size === 0 && [...catalogue.sessions()].length === 0
}

function digestOf({ settings, cursor }: MemoryImage): string {
  return sha256Hex(JSON.stringify([settings.id, cursor])).slice(0, 16)
}

async function write(builder: FileBuilder, image: MemoryImage, progress: AdoptProgress): Promise<void> {
  const { settings, cursor, history } = image
  builder.append('sett', encodeSettings(settings))
  const catalogue = FileCatalogue.empty(settings, crypto.randomUUID(), builder.path)
  if (history.since !== undefined) {
    writeBase(builder, history.entries.map(withoutPlace), history.since, (payload, at) => {
      catalogue.takeBase(payload, payloadAt(at), at)
    })
  }
  for (const recorded of history.changes) {
    const payload = joined(encodeChange(changeRecordOf(recorded), crc32))
    const at = builder.append('chng', [payload])
    if (!catalogue.takeChange(payload, payloadAt(at), at, true))
      throw differs(`change ${recorded.change.number} comes late`)
    await progress.step()
  }
  await refuseOtherEntries(image, catalogue, progress)
  const sessions: SessionRow[] = []
  for await (const { scope, key, text } of image.sessions()) {
    sessions.push([scope, key, piecesOf(text).map((piece) => writePiece(builder, { scope, key }, piece))])
    await progress.step()
  }
  const files: [string, number][] = []
  for await (const { path, entries, bytes } of image.files()) {
    files.push([path, builder.append('file', encodeKeptFile({ path, entries }, bytes, crc32))])
    await progress.step()
  }
  progress.end()
  const heads = headsOf(catalogue)
  const { changes, since } = catalogue
  await builder.finish({
    epoch: catalogue.epoch,
    number: Math.max(cursor.number, catalogue.number),
    nextSeq: Math.max(image.nextSeq, catalogue.nextSeq),
    firstOfEpoch: changes.count === 0 ? cursor.number + 1 : changes.number(0),
    ...(since === undefined ? {} : { since }),
    contested: contestedAmong(heads, catalogue),
    bases: catalogue.bases,
    files,
    derived: [],
    heads,
    placeOf: (id) => catalogue.placeOf(id),
    changes: Array.from({ length: changes.count }, (_, index) => ({
      number: changes.number(index),
      offset: changes.offset(index),
    })),
    sessions,
  })
}

/** Where the changes do not come to the entries, the source is damaged: a file of it would be too. */
async function refuseOtherEntries(
  image: MemoryImage,
  catalogue: FileCatalogue,
  progress: AdoptProgress,
): Promise<void> {
  let count = 0
  for await (const { id, revision, content } of image.entries()) {
    const text = Buffer.from(content)
    const place = catalogue.placeOf(id)
    const isSame = catalogue.head(id)?.revision === revision && place.length === text.length
    if (!isSame || crc32(text) !== place.crc) throw differs(`entry ${id} is not what its changes made of it`)
    count++
    await progress.step()
  }
  if (count !== catalogue.size) throw differs('its changes tell of other entries')
}

function differs(problem: string): DamagedError {
  return new DamagedError('the memory to be moved', problem, 'Nothing was written. Look at it with: keepsake doctor')
}
