/**
 * The past, read from the frames that hold it: the feed of changes, and every change with what it did. Reading only. What is asked
 * for bit by bit holds the file, so that a fold or a purge meanwhile does not change what is told.
 */

import type { ChangeRecord } from '../../codec/change-record.ts'
import { decodeBase } from '../../codec/one-file/base.ts'
import { decodeChange } from '../../codec/one-file/change.ts'
import { FRAME_BYTES } from '../../codec/one-file/frame.ts'
import type { Entry } from '../../model/entry.ts'
import type { Change } from '../../model/operation.ts'
import type { ChangeFeed, Cursor, History, Recorded } from '../../ports/store.ts'
import { take } from '../disk/head-change.ts'
import { payloadAt } from './file-builder.ts'
import type { FileCatalogue } from './file-catalogue.ts'
import type { FollowedFile } from './follower.ts'
import { type Hold, holdFile } from './hold.ts'
import type { OneFile } from './one-file.ts'
import { ReadAhead } from './read-ahead.ts'

/** Of a memory that nobody has written to yet. */
const NO_CURSOR: Cursor = { epoch: '', number: 0 }

export type ReadChanges = Omit<ChangeFeed, 'edits' | 'problems'>

export function cursorOf(state: FollowedFile | undefined): Cursor {
  if (!state) return NO_CURSOR
  const { epoch, number } = state.catalogue
  const tag = tagOf(state, number)
  return { epoch, number, ...(tag === undefined ? {} : { tag }) }
}

/** A plain copy of the file has the same epoch, and may have gone on otherwise: then its change of this number is another one. */
export function isOfThis(state: FollowedFile, { epoch, number, tag }: Cursor): boolean {
  const { catalogue } = state
  return epoch === catalogue.epoch && number <= catalogue.number && tag === tagOf(state, number)
}

/** The head of the change's frame, which has its length and its checksum; a fold keeps it. `undefined`: it is not kept. */
function tagOf(state: FollowedFile, number: number): string | undefined {
  const { file, catalogue, tagged } = state
  if (tagged?.number === number) return tagged.tag
  const index = catalogue.changes.indexAfter(number) - 1
  if (index < 0 || catalogue.changes.number(index) !== number) return undefined
  const tag = Buffer.from(file.bytes(catalogue.changes.offset(index), FRAME_BYTES)).toString('base64')
  if (number === catalogue.number) state.tagged = { number, tag }
  return tag
}

export function readFeed(state: FollowedFile | undefined, since: Cursor | 'now' | undefined): ReadChanges {
  const cursor = cursorOf(state)
  if (since === 'now') return { changes: [], cursor, restarted: false }
  if (!state) {
    const isSame = since === undefined || (since.epoch === cursor.epoch && since.number === cursor.number)
    return { changes: [], cursor, restarted: !isSame }
  }
  const { catalogue } = state
  const first = Math.max(firstNumber(catalogue), catalogue.firstOfEpoch)
  const isOurs =
    since !== undefined &&
    (isOfThis(state, since) || (since.epoch === NO_CURSOR.epoch && since.number === 0 && first === 1))
  const from = isOurs && since.number >= first - 1 ? since.number : undefined
  const changes = [...changesAfter(state, from ?? first - 1)].map(changeOf)
  return { changes, cursor, restarted: since !== undefined && from === undefined }
}

/** Of the oldest change that is kept, or of the next one where none is. */
function firstNumber({ changes, number }: FileCatalogue): number {
  return changes.count === 0 ? number + 1 : changes.number(0)
}

function* changesAfter({ file, catalogue }: FollowedFile, number: number): Generator<ChangeRecord> {
  const { changes } = catalogue
  yield* changesBetween(file, catalogue, changes.indexAfter(number), changes.count)
}

/** By their places in the row of all that are kept, with their texts. */
export function* changesBetween(
  file: OneFile,
  { changes }: Pick<FileCatalogue, 'changes'>,
  from: number,
  to: number,
): Generator<ChangeRecord> {
  const reading = new ReadAhead(file)
  for (let index = from; index < to; index++) {
    const at = changes.offset(index)
    const place = { path: file.path, at: payloadAt(at) }
    yield decodeChange(reading.frame(at).payload, place, { texts: true }).change
  }
}

/** Without what only the file needs to know. */
export function changeOf({ set: _, ...change }: ChangeRecord): Change {
  return change
}

/** What was there when the kept past begins. */
export function baseEntries(file: OneFile, bases: readonly number[]): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const at of bases) {
    const base = decodeBase(file.frame(at).payload, { path: file.path, at: payloadAt(at) })
    for (const entry of base.entries()) entries.set(entry.id, entry)
  }
  return entries
}

/** The file is let go of when the changes were gone through once. `keep`: not before the store is closed, or nobody has it any more. */
export function readHistory(
  state: FollowedFile | undefined,
  { keep = false }: { readonly keep?: boolean } = {},
): History {
  if (!state) return { entries: [], changes: [] }
  const { file, catalogue } = state
  const { since, changes } = catalogue
  const entries = [...baseEntries(file, catalogue.bases).values()]
  const hold = holdFile(file)
  const ended = (): void => {
    if (!keep) hold.release()
  }
  const { count } = changes
  return {
    entries,
    ...(since === undefined ? {} : { since }),
    changes: { [Symbol.iterator]: () => recordedChanges(hold, changes, count, entries, ended) },
  }
}

function* recordedChanges(
  hold: Hold,
  changes: FileCatalogue['changes'],
  count: number,
  base: readonly Entry[],
  ended: () => void,
): Generator<Recorded> {
  const entries = new Map(base.map((entry) => [entry.id, entry]))
  const own = holdFile(hold.file)
  try {
    for (const change of changesBetween(own.file, { changes }, 0, count)) {
      yield { change: changeOf(change), touched: take(entries, change) }
    }
  } finally {
    own.release()
    ended()
  }
}
