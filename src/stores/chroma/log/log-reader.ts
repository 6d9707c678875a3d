/**
 * Reading a numbered log: from a position on, as far as it goes; and finding its end without reading it. The next ids are asked for
 * without knowing whether they are there, which costs a server little. Never writes.
 */
import type { CallOptions } from '../../../ports/store.ts'
import type { Shelf, ShelfRecord } from '../server/shelf.ts'
import {
  damaged,
  idAt,
  isErased,
  type KnownRecord,
  type LogPlace,
  type LogRecord,
  logRecord,
  partsOf,
  tagOf,
} from './log-record.ts'
import { joinParts, partIds } from './parts.ts'

export interface LogReadOptions extends CallOptions {
  /** Records. Left out: all there are. */
  readonly most?: number
}

/** As many are asked for at first, for mostly there are few new ones or none; then as many as the smallest server gives at once. */
const FIRST_IDS = 32
const NEXT_IDS = 256
/** The steps of a search for the end: by powers of two at first, then in so many pieces at once. */
const DOUBLINGS = 24
const PIECES = 8

/** Those right behind `after`, without a gap; `undefined` where one of them was erased: what stands before it is not where the log ends. */
export async function readLog(
  shelf: Shelf,
  place: LogPlace,
  after: number,
  { most = Number.POSITIVE_INFINITY, signal }: LogReadOptions = {},
): Promise<readonly LogRecord[] | undefined> {
  const options = signal ? { signal } : {}
  const records: LogRecord[] = []
  for (let ids = FIRST_IDS; records.length < most; ids = NEXT_IDS) {
    const from = after + records.length
    const wanted = Math.min(ids, most - records.length)
    const found = await shelf.get(idsAt(place, from + 1, wanted), options)
    const some = await openRow(shelf, place, { after: from, found }, options)
    if (!some) return undefined
    for (const record of some) records.push(record)
    if (some.length < wanted) break
  }
  return records
}

/**
 * Those behind one that is known, in one request where there are few; `undefined` where that one is not there any more as it was, or
 * where something behind it was erased: who follows must begin anew.
 */
export async function followLog(
  shelf: Shelf,
  place: LogPlace,
  { position, tag }: KnownRecord,
  options?: CallOptions,
): Promise<readonly LogRecord[] | undefined> {
  const found = await shelf.get(idsAt(place, position, FIRST_IDS + 1), options)
  const known = found.get(idAt(place, position))
  if (!known || tagOf(known) !== tag) return undefined
  const first = await openRow(shelf, place, { after: position, found }, options)
  if (!first || first.length < FIRST_IDS) return first
  const others = await readLog(shelf, place, position + FIRST_IDS, options)
  return others && [...first, ...others]
}

/** The last position that is taken; `known` is taken, or the one before the first. */
export async function lastOf(shelf: Shelf, place: LogPlace, known: number, options?: CallOptions): Promise<number> {
  let taken = known
  let free: number | undefined
  while (free === undefined || free - taken > 1) {
    const probes = free === undefined ? doublings(taken) : between(taken, free)
    const found = await shelf.get(
      probes.map((position) => idAt(place, position)),
      options,
    )
    const firstFree = probes.findIndex((position) => !found.has(idAt(place, position)))
    const lastTaken = firstFree === -1 ? probes.length - 1 : firstFree - 1
    taken = probes[lastTaken] ?? taken
    free = probes[firstFree] ?? free
  }
  return taken
}

function doublings(taken: number): readonly number[] {
  return Array.from({ length: DOUBLINGS }, (_, power) => taken + 2 ** power)
}

function between(taken: number, free: number): readonly number[] {
  const step = Math.max(1, Math.floor((free - taken) / PIECES))
  const probes: number[] = []
  for (let position = taken + step; position < free; position += step) probes.push(position)
  return probes
}

function idsAt(place: LogPlace, from: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => idAt(place, from + at))
}

interface Found {
  readonly after: number
  readonly found: ReadonlyMap<string, ShelfRecord>
}

/** Up to the first that is missing; `undefined` where one before that was erased. */
async function openRow(
  shelf: Shelf,
  place: LogPlace,
  { after, found }: Found,
  options?: CallOptions,
): Promise<readonly LogRecord[] | undefined> {
  const row: ShelfRecord[] = []
  for (let position = after + 1; ; position++) {
    const record = found.get(idAt(place, position))
    if (!record) break
    if (isErased(record)) return undefined
    row.push(record)
  }
  const parts = await partsOfAll(shelf, place.generation, row, options)
  const records: LogRecord[] = []
  for (const record of row) {
    const opened =
      openWith(place.generation, record, parts) ?? (await openAgain(shelf, place.generation, record, options))
    if (!opened) return undefined
    records.push(opened)
  }
  return records
}

/** One that was found by its labels; `undefined` where it was erased, or is gone by now. */
export async function openRecord(
  shelf: Shelf,
  generation: string,
  record: ShelfRecord,
  options?: CallOptions,
): Promise<LogRecord | undefined> {
  const parts = await partsOfAll(shelf, generation, [record], options)
  return openWith(generation, record, parts) ?? (await openAgain(shelf, generation, record, options))
}

/** Parts are gone where a record was rewritten or erased since it was read. Else the server has lost them. */
async function openAgain(
  shelf: Shelf,
  generation: string,
  { id, text }: ShelfRecord,
  options?: CallOptions,
): Promise<LogRecord | undefined> {
  let before: string | undefined
  let now = text
  do {
    before = now
    const record = (await shelf.get([id], options)).get(id)
    if (!record || isErased(record)) return undefined
    const opened = openWith(generation, record, await partsOfAll(shelf, generation, [record], options))
    if (opened) return opened
    now = record.text
  } while (now !== before)
  throw damaged(id, 'parts of its text are missing, or not as they were written')
}

async function partsOfAll(
  shelf: Shelf,
  generation: string,
  records: readonly ShelfRecord[],
  options?: CallOptions,
): Promise<ReadonlyMap<string, ShelfRecord>> {
  const notes = records.flatMap((record) => partsOf(record) ?? [])
  const ids = notes.flatMap((note) => partIds(generation, note))
  return ids.length > 0 ? await shelf.get(ids, options) : new Map()
}

function openWith(
  generation: string,
  record: ShelfRecord,
  records: ReadonlyMap<string, ShelfRecord>,
): LogRecord | undefined {
  if (isErased(record)) return undefined
  const parts = partsOf(record)
  if (!parts) return logRecord(record)
  const bytes = joinParts(generation, parts, records)
  return bytes && logRecord(record, { parts, bytes })
}
