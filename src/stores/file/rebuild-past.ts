/**
 * The past in a new file: the base and the changes as they are, or cut off where they are older than what is to be kept, or without
 * what they tell of purged entries. Every frame is proved as it is copied.
 */
import { crc32 } from 'node:zlib'
import type { ChangeRecord } from '../../codec/change-record.ts'
import { decodeBase, encodeBase } from '../../codec/one-file/base.ts'
import { joined } from '../../codec/one-file/bytes.ts'
import { decodeChange, encodeChange } from '../../codec/one-file/change.ts'
import type { Entry } from '../../model/entry.ts'
import { take } from '../disk/head-change.ts'
import type { ChangePlace } from './catalogue-parts.ts'
import { type FileBuilder, payloadAt } from './file-builder.ts'
import type { FollowedFile } from './follower.ts'
import { MovedTexts } from './moved-texts.ts'
import type { CheckedFrame } from './one-file.ts'
import { baseEntries, changesBetween } from './past.ts'
import { ReadAhead } from './read-ahead.ts'
import type { Purging, RebuildOptions } from './rebuild.ts'
import { countToCut } from './retention.ts'

/** So long are the texts in one `base` frame together, at least. */
const BASE_LENGTH = 256 * 1024

/** So many changes are copied before others get on: some milliseconds. */
const AT_ONCE = 1000

export interface WrittenPast {
  readonly bases: readonly number[]
  readonly changes: readonly ChangePlace[]
  readonly since: string | undefined
  readonly texts: MovedTexts
}

export async function writePast(
  state: FollowedFile,
  builder: FileBuilder,
  { nowMs, purging, pause }: RebuildOptions,
): Promise<WrittenPast> {
  const { file, catalogue } = state
  const texts = new MovedTexts(file.path)
  const cut = countToCut(state, nowMs)
  const base = cut > 0 ? cutPast(state, cut) : undefined
  const since = base?.since ?? catalogue.since
  const bases = base
    ? writeBase(builder, keptEntries(base.entries, purging), base.since, toldTo(texts, builder))
    : copyBases(state, builder, purging, texts)
  const changes: ChangePlace[] = []
  const reading = new ReadAhead(file)
  for (let index = cut; index < catalogue.changes.count; index++) {
    if (pause && index % AT_ONCE === 0) await pause()
    const frame = reading.frame(catalogue.changes.offset(index))
    const purged =
      purging && isAbout(frame.payload, purging.ids) ? purgedChange(frame, purging.ids, builder, texts) : undefined
    changes.push({
      number: catalogue.changes.number(index),
      offset: purged ?? copyFrame(reading, frame, builder, texts),
    })
  }
  if (purging) {
    const offset = builder.append('chng', encodeChange(purging.change, crc32))
    changes.push({ number: purging.change.number, offset })
  }
  return { bases, changes, since, texts }
}

/** What was there after the changes that are cut off. */
function cutPast({ file, catalogue }: FollowedFile, cut: number): { entries: Map<string, Entry>; since: string } {
  const entries = baseEntries(file, catalogue.bases)
  let since = ''
  for (const change of changesBetween(file, catalogue, 0, cut)) {
    take(entries, change)
    since = change.at
  }
  return { entries, since }
}

function keptEntries(entries: ReadonlyMap<string, Entry>, purging: Purging | undefined): Entry[] {
  return [...entries.values()].filter(({ id }) => !purging?.ids.has(id))
}

/** In pieces; a base that stands for nothing must still say since when. */
export function writeBase(
  builder: FileBuilder,
  entries: readonly Entry[],
  since: string,
  onPiece: (payload: Uint8Array, frame: number) => void,
): number[] {
  const bases: number[] = []
  let piece: Entry[] = []
  let length = 0
  const end = (): void => {
    const payload = joined(encodeBase(piece, since, crc32))
    const at = builder.append('base', [payload])
    bases.push(at)
    onPiece(payload, at)
    piece = []
    length = 0
  }
  for (const entry of entries) {
    piece.push(entry)
    length += entry.content.length
    if (length >= BASE_LENGTH) end()
  }
  if (piece.length > 0 || bases.length === 0) end()
  return bases
}

function toldTo(texts: MovedTexts, { path }: FileBuilder): (payload: Uint8Array, frame: number) => void {
  return (payload, frame) => {
    const { heads, places } = decodeBase(payload, { path, at: payloadAt(frame) })
    for (const [index, place] of places.entries()) texts.inBase(heads[index]?.id ?? '', place)
  }
}

function copyBases(
  { file, catalogue }: FollowedFile,
  builder: FileBuilder,
  purging: Purging | undefined,
  texts: MovedTexts,
): number[] {
  const reading = new ReadAhead(file)
  return catalogue.bases.flatMap((at) => {
    const frame = reading.frame(at)
    if (!purging || !isAbout(frame.payload, purging.ids)) return [copyFrame(reading, frame, builder, texts)]
    const { since, entries } = decodeBase(frame.payload, { path: file.path, at: payloadAt(at) })
    return writeBase(
      builder,
      entries().filter(({ id }) => !purging.ids.has(id)),
      since,
      toldTo(texts, builder),
    )
  })
}

function copyFrame(reading: ReadAhead, { at, head }: CheckedFrame, builder: FileBuilder, texts: MovedTexts): number {
  const to = builder.copy(reading.bytes(at, head.size))
  texts.moved(at, head.size, to)
  return to
}

/** Ids stand in the JSON as they are, so a frame without one of them is not about them. */
function isAbout(payload: Uint8Array, ids: ReadonlySet<string>): boolean {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  for (const id of ids) if (bytes.includes(id)) return true
  return false
}

/** The change stays, with its number, so that nothing looks lost; only what it did to these entries is gone from it. */
function purgedChange(
  { path, at, payload }: CheckedFrame,
  ids: ReadonlySet<string>,
  builder: FileBuilder,
  texts: MovedTexts,
): number {
  const { change, places } = decodeChange(payload, { path, at: payloadAt(at) }, { texts: true })
  const kept = change.operations.flatMap(({ id }, index) => (id !== undefined && ids.has(id) ? [] : [index]))
  const purged: ChangeRecord = {
    ...change,
    operations: change.operations.filter((_, index) => kept.includes(index)),
    set: change.set.filter((_, index) => kept.includes(index)),
  }
  const bytes = joined(encodeChange(purged, crc32))
  const to = builder.append('chng', [bytes])
  const after = decodeChange(bytes, { path: builder.path, at: payloadAt(to) }).places
  for (const [n, index] of kept.entries()) texts.rewritten(places[index], after[n])
  return to
}
