/**
 * The feed of changes: from what is held of it in RAM, and where that does not reach, read back from the server. Reading only. A cursor
 * carries the tag of the record that it stands behind, so that a server that was put back to an earlier state, and went on otherwise
 * from there, is noticed.
 */
import type { CallOptions, ChangeFeed, Cursor } from '../../ports/store.ts'
import { decodeLog, recordName } from './changes-log.ts'
import { changeOf, type FeedRow, type Followed, type FollowedMemory, withoutGone } from './followed-memory.ts'
import { beginningOfPast, cutMeanwhile, MOST_READINGS } from './history.ts'
import type { LogPoint } from './root.ts'
import type { Shelf } from './server/shelf.ts'

export type ReadChanges = Omit<ChangeFeed, 'edits' | 'problems'>

type Point = Pick<LogPoint, 'position' | 'number'>

/** Records in order without a gap, and where the first of them begins. */
interface Row {
  readonly rows: readonly FeedRow[]
  readonly before: Point
}

/** As much of a memory as the feed needs, as of one moment. */
type Held = Row & Pick<FollowedMemory, 'log' | 'generation' | 'at'>

/** Of a memory that nobody has written to yet. */
const NO_CURSOR: Cursor = { epoch: '', number: 0 }
/** So many records are read back at first; then four times as many, and so on. */
const FIRST_READ_BACK = 64
/** Of a purge without a change, until what stands before it is read. No cursor has it, so it is read. */
const NOT_KNOWN = Number.POSITIVE_INFINITY

export function cursorOf(followed: Followed | undefined): Cursor {
  if (!followed) return NO_CURSOR
  const { epoch, number, tag } = followed
  return { epoch, number, ...(tag === undefined ? {} : { tag }) }
}

export async function readFeed(
  shelf: Shelf,
  memory: FollowedMemory | undefined,
  since: Cursor | 'now' | undefined,
  options?: CallOptions,
): Promise<ReadChanges> {
  const cursor = cursorOf(memory)
  if (since === 'now') return { changes: [], cursor, restarted: false }
  if (!memory) return { changes: [], cursor, restarted: since !== undefined && !isBeforeAll(since) }
  const { log, generation, at, rows, beforeRows } = memory
  // The memory moves on while the server is asked, and this does not.
  const held: Held = { log, generation, at, rows, before: beforeRows }
  const known = since && (isBeforeAll(since) || since.epoch === cursor.epoch) ? since : undefined
  const followed = known && (rowsBehind(held, known) ?? rowsBehind(await readBack(shelf, held, known, options), known))
  const told = followed ?? (await readBack(shelf, held, undefined, options)).rows
  const changes = told.flatMap((row) => row.changes)
  return { changes, cursor, restarted: since !== undefined && followed === undefined }
}

/** Ids that what was told after a change tells of, purged ones too; each once. `undefined`: it is not known any more. */
export async function touchedSince(
  shelf: Shelf,
  memory: FollowedMemory,
  number: number,
  options?: CallOptions,
): Promise<readonly string[] | undefined> {
  const { log, generation, at, rows, beforeRows, epoch } = memory
  const held: Held = { log, generation, at, rows, before: beforeRows }
  const since = { epoch, number }
  const told = rowsFrom(held, number) ?? rowsFrom(await readBack(shelf, held, since, options), number)
  return told && [...new Set(told.flatMap(touchedBy))]
}

/** As `rowsBehind`, with purges right behind the change: these have no number of their own where nothing was there any more. */
function rowsFrom({ rows, before }: Row, number: number): readonly FeedRow[] | undefined {
  if (before.number === number) return rows
  const first = rows.findIndex((row) => row.number === number)
  return first === -1 ? undefined : rows.slice(first + 1)
}

function touchedBy({ changes, gone }: FeedRow): readonly string[] {
  const touched = changes.flatMap(({ operations }) => operations.flatMap(({ id }) => id ?? []))
  return [...touched, ...gone]
}

function isBeforeAll({ epoch, number }: Cursor): boolean {
  return epoch === NO_CURSOR.epoch && number === NO_CURSOR.number
}

/** `undefined`: the cursor does not stand among these. */
function rowsBehind({ rows, before }: Row, { number, tag }: Cursor): readonly FeedRow[] | undefined {
  const last = rows.findLastIndex((row) => row.number === number && (tag === undefined || row.tag === tag))
  if (last !== -1) return rows.slice(last + 1)
  return before.number === number ? rows : undefined
}

/** As far back as the cursor, or without one to the beginning of what is kept. */
async function readBack(shelf: Shelf, held: Held, known: Cursor | undefined, options?: CallOptions): Promise<Row> {
  for (let readings = 0; readings < MOST_READINGS; readings++) {
    const first = await beginningOfPast(shelf, held, options)
    if (first.position >= held.before.position) return held
    const rows = await rowsDownTo(held, first, known?.number ?? -1, options)
    if (rows) return { rows: withoutGone([...rows, ...held.rows]), before: first }
  }
  throw cutMeanwhile(held.generation)
}

/** Those before the held ones. `undefined`: they are cut off since. */
async function rowsDownTo(
  { before, ...held }: Held,
  first: Point,
  number: number,
  options?: CallOptions,
): Promise<readonly FeedRow[] | undefined> {
  let rows: readonly FeedRow[] = []
  let to = before.position
  for (let most = FIRST_READ_BACK; to > first.position && !isReached(rows, number); most *= 4) {
    const from = Math.max(first.position, to - most)
    const numberBefore = from === first.position ? first.number : NOT_KNOWN
    const some = await readRows(held, { position: from, number: numberBefore }, to, options)
    if (!some) return undefined
    rows = [...some, ...numberedFrom(some.at(-1)?.number ?? NOT_KNOWN, rows)]
    to = from
  }
  return rows
}

/** `number`: of what stands right before these. */
function numberedFrom(number: number, rows: readonly FeedRow[]): readonly FeedRow[] {
  return rows.map((row) => (row.number === NOT_KNOWN ? { ...row, number } : row))
}

function isReached(rows: readonly FeedRow[], number: number): boolean {
  const [first] = rows
  return first !== undefined && first.number <= number
}

async function readRows(
  { log, generation }: Pick<Held, 'log' | 'generation'>,
  from: Point,
  to: number,
  { signal }: CallOptions = {},
): Promise<readonly FeedRow[] | undefined> {
  const most = to - from.position
  const records = await log.read(from.position, { most, ...(signal ? { signal } : {}) })
  if (!records || records.length < most) return undefined
  let { number } = from
  return records.map(({ position, tag, text }): FeedRow => {
    const { changes, gone = [] } = decodeLog(text, recordName(generation, position))
    number = changes.at(-1)?.number ?? number
    return { position, tag, number, changes: changes.map(changeOf), gone }
  })
}
