/** The database interface of the engine: SQL that SQLite and PostgreSQL both accept, `?` for values, a checksum in every row. */
import { crc32 } from 'node:zlib'
import { InvalidError, KeepsakeError } from '../../errors.ts'

export type SqlValue = string | number | null | Uint8Array
export type Row = { readonly [column: string]: SqlValue }

/** The number of the last change, and the next unused seq. */
export interface Counters {
  readonly number: number
  readonly nextSeq: number
}

/** A connection inside a transaction. */
export interface Sql {
  all(statement: string, values?: readonly SqlValue[]): Promise<readonly Row[]>
  /** May return before the statement was executed. If it fails, a later statement or COMMIT fails. */
  run(statement: string, values?: readonly SqlValue[]): Promise<void>
  /** What `readCounters` gives, in a transaction that keeps it: reading them again would cost a round trip. */
  counters?: Counters | Promise<Counters> | undefined
  /** Finds a text in another: 0, or its position. */
  readonly positionFunction: 'instr' | 'strpos'
  /** The clock of the database, if several machines share it. */
  clockMs?(): Promise<number>
  /** Whether row-level security hides rows from this role. */
  hidesRows?(): Promise<boolean>
}

/** Delivers the result of a job. Called only after COMMIT. */
export type OnCommit = () => void

/** A write that may share a transaction with others; it has its own outcome. */
export interface Job {
  /** About how many bytes it writes. */
  readonly bytes: number
  /** An error rejects only this job, but a failed statement rejects the whole transaction. */
  run(sql: Sql): Promise<OnCommit>
  /** Called when the job or its transaction failed. */
  reject(error: unknown): void
  /** Whether its rows are there, asked under the lock if the answer to COMMIT was lost. `undefined`: it wrote none. */
  isCommitted?(sql: Sql): Promise<boolean | undefined>
  readonly signal?: AbortSignal | undefined
}

export interface Database {
  readonly path: string
  exists(signal?: AbortSignal): Promise<boolean>
  /** Runs in one read transaction. While there is no memory, all tables are empty. */
  read<T>(work: (sql: Sql) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Jobs run in order, several in one transaction. The first one creates the memory. */
  enqueue(job: Job): void
  /** Removes all bytes of deleted rows. Returns, as sentences, what it could not remove. */
  vacuum(signal?: AbortSignal): Promise<readonly string[]>
  /** Gives `work` a connection that sees the database as of its first statement, until `close`. An error closes it. */
  snapshot<T>(work: SnapshotWork<T>, signal?: AbortSignal): Promise<T>
  /** Calls back shortly after other processes commit, once for commits that come close together. Every commit after it resolves counts. */
  watch(changed: () => void): Promise<() => void>
  close(): Promise<void>
}

export type SnapshotWork<T> = (sql: Sql, close: () => Promise<void>) => Promise<T>

/** PostgreSQL refuses a NUL, and the SQLite package truncates text there. */
export function refuseNul(value: SqlValue): void {
  if (typeof value === 'string' && value.includes('\0'))
    throw new InvalidError('text', 'holds a NUL character', 'text without NUL')
}

/** For work that must see every row. */
export async function refuseHiddenRows(sql: Sql, path: string, work: string): Promise<void> {
  if (!(await sql.hidesRows?.())) return
  throw new KeepsakeError('UNSUPPORTED', `${path}: row-level security hides part of this memory from your role`, {
    hint: `${work} must see all of it. Nothing was changed. Connect as the owner of the schema.`,
    data: { path },
  })
}

export function closedError(path: string): KeepsakeError {
  return new KeepsakeError('CLOSED', `the store at ${path} is closed`, { hint: 'Open it again.' })
}

/** Runs `work` in a write transaction, which it may share. */
export function write<T>(
  database: Database,
  work: (sql: Sql) => Promise<T>,
  { bytes = 0, ...options }: Partial<Pick<Job, 'bytes' | 'signal' | 'isCommitted'>> = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const run = async (sql: Sql): Promise<OnCommit> => {
      const result = await work(sql)
      return () => resolve(result)
    }
    database.enqueue({ ...options, bytes, run, reject })
  })
}

/** Both databases accept more, but each count is one more statement to prepare. */
const MAX_PLACEHOLDERS = 64

/** Runs `SELECT … IN (list)` for many values, in batches: `list` is the placeholders of one batch. */
export async function queryIn(
  sql: Sql,
  values: Iterable<string | number>,
  statement: (list: string) => string,
  more: readonly SqlValue[] = [],
): Promise<Row[]> {
  const [all, batches] = [[...values], [] as Promise<readonly Row[]>[]]
  for (let from = 0; from < all.length; from += MAX_PLACEHOLDERS) {
    const some = all.slice(from, from + MAX_PLACEHOLDERS)
    batches.push(sql.all(statement(placeholders(some.length)), [...some, ...more]))
  }
  return (await Promise.all(batches)).flat()
}

/** For 0, a NULL, which matches nothing: PostgreSQL refuses an empty list. */
export function placeholders(count: number): string {
  return count === 0 ? 'NULL' : Array(count).fill('?').join(', ')
}

export async function queryOne(sql: Sql, statement: string, values?: readonly SqlValue[]): Promise<Row | undefined> {
  return (await sql.all(statement, values))[0]
}

/** CRC-32 of a row's values. Each value is terminated, and NULL differs from ''. Adjacent texts are hashed in one call, for speed. */
export function rowChecksum(values: readonly SqlValue[]): number {
  let [sum, text] = [0, '']
  for (const value of values) {
    if (value instanceof Uint8Array) {
      sum = crc32(`${text}${value.length}\0`, sum)
      // In Node 22, crc32 of no bytes ignores the start value.
      if (value.length > 0) sum = crc32(value, sum)
      text = ''
    } else text += value === null ? '-\0' : `=${value}\0`
  }
  return text === '' ? sum : crc32(text, sum)
}
