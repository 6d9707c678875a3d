/**
 * The past, read from the frames that hold it: the feed of changes, and every change with what it did. Reading only. What is asked
 * for bit by bit holds the file, so that a fold or a purge meanwhile does not change what is told.
 */
import { decodeBase } from '../../codec/one-file/base.ts'
import { decodeChange, type FileChange } from '../../codec/one-file/change.ts'
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
  return state ? { epoch: state.catalogue.epoch, number: state.catalogue.number } : NO_CURSOR
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
    since?.epoch === cursor.epoch || (since?.epoch === NO_CURSOR.epoch && since.number === 0 && first === 1)
  const reaches = since !== undefined && since.number <= cursor.number && since.number >= first - 1
  const from = since && isOurs && reaches ? since.number : undefined
  const changes = [...changesAfter(state, from ?? first - 1)].map(changeOf)
  return { changes, cursor, restarted: since !== undefined && from === undefined }
}

/** Of the oldest change that is kept, or of the next one where none is. */
function firstNumber({ changes, number }: FileCatalogue): number {
  return changes.count === 0 ? number + 1 : changes.number(0)
}

function* changesAfter({ file, catalogue }: FollowedFile, number: number): Generator<FileChange> {
  const { changes } = catalogue
  yield* changesBetween(file, catalogue, changes.indexAfter(number), changes.count)
}

/** By their places in the row of all that are kept, with their texts. */
export function* changesBetween(
  file: OneFile,
  { changes }: Pick<FileCatalogue, 'changes'>,
  from: number,
  to: number,
): Generator<FileChange> {
  const reading = new ReadAhead(file)
  for (let index = from; index < to; index++) {
    const at = changes.offset(index)
    yield decodeChange(reading.frame(at).payload, payloadAt(at), { texts: true }).change
  }
}

/** Without what only the file needs to know. */
export function changeOf({ set: _, ...change }: FileChange): Change {
  return change
}

/** What was there when the kept past begins. */
export function baseEntries(file: OneFile, bases: readonly number[]): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const at of bases) {
    for (const entry of decodeBase(file.frame(at).payload, payloadAt(at)).entries()) entries.set(entry.id, entry)
  }
  return entries
}

export function readHistory(state: FollowedFile | undefined): History {
  if (!state) return { entries: [], changes: [] }
  const { file, catalogue } = state
  const { since, changes } = catalogue
  const entries = [...baseEntries(file, catalogue.bases).values()]
  const hold = holdFile(file)
  const { count } = changes
  return {
    entries,
    ...(since === undefined ? {} : { since }),
    changes: { [Symbol.iterator]: () => recordedChanges(hold, changes, count, entries) },
  }
}

function* recordedChanges(
  hold: Hold,
  changes: FileCatalogue['changes'],
  count: number,
  base: readonly Entry[],
): Generator<Recorded> {
  const entries = new Map(base.map((entry) => [entry.id, entry]))
  for (const change of changesBetween(hold.file, { changes }, 0, count)) {
    yield { change: changeOf(change), touched: take(entries, change) }
  }
}
