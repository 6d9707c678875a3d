/** One SQLite file shared by processes: waiting jobs share a transaction, and are acknowledged after COMMIT. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LockedError, StorageError } from '../../errors.ts'
import { type Pause, pauses } from '../disk/pauses.ts'
import { JobQueue, type QueuedJob, runJobs } from './jobs.ts'
import { markWritten } from './schema.ts'
import { closedError, type Database, type Job, type OnCommit, type SnapshotWork, type Sql } from './sql.ts'
import { Connection, collectStatements, hasCode, SCHEMA, sqliteError } from './sqlite.ts'
import { buildFile, hasWal, isUnchanged, type OpenedFile, openFile } from './sqlite-file.ts'

const WATCH_MS = 250
const UNCERTAIN_HINT = 'It may have been saved or not. Look before you repeat it.'
const MAX_RECLOSE_DELAY_MS = 5
/** After a commit under contention, a process pauses for about as long as it recently waited itself, so that others get a turn. */
const YIELD_MS = { min: 3, max: 60 }

export interface SqliteOptions {
  readonly lockWaitMs: number
  readonly initialize: (sql: Sql) => Promise<void>
  readonly onCreated?: () => void
  /** Called with each new connection before it is used. */
  readonly onOpened?: (sql: Connection) => void
}

export class SqliteDatabase implements Database {
  readonly path: string
  readonly #options: SqliteOptions
  readonly #queue = new JobQueue(() => this.#turn())
  readonly #snapshots = new Set<Connection>()
  #open: OpenedFile | undefined
  /** Read while there is no file. */
  #empty: Connection | undefined
  /** Serializes work on the connection. */
  #lastWork: Promise<unknown> = Promise.resolve()
  /** `PRAGMA data_version` at our last transaction; it changes when another connection commits. */
  #dataVersion: unknown
  #hasContention = false
  #averageWaitMs = 0
  /** The earliest start of the next turn, by `performance.now()`. */
  #nextTurnAt = 0
  #isClosed = false

  constructor(path: string, options: SqliteOptions) {
    this.path = path
    this.#options = options
  }

  async exists(signal?: AbortSignal): Promise<boolean> {
    const pause = this.#startCall(signal)
    return (await this.#exclusively(() => this.#connection(pause))) !== undefined
  }

  async read<T>(work: (sql: Sql) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const pause = this.#startCall(signal)
    for (;;) {
      const outcome = await this.#exclusively(() => this.#tryToRead(work, pause))
      if (outcome !== 'busy') return outcome.result
      await pause()
      if (this.#isClosed) throw closedError(this.path)
    }
  }

  async #tryToRead<T>(work: (sql: Sql) => Promise<T>, pause: Pause): Promise<{ result: T } | 'busy'> {
    const connection = (await this.#connection(pause)) ?? this.#openEmpty()
    try {
      connection.exec('BEGIN')
      const result = await work(connection)
      connection.exec('COMMIT')
      return { result }
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK')
      if (hasCode(error, 'BUSY', 'LOCKED')) return 'busy'
      throw sqliteError(this.path, error)
    }
  }

  enqueue(job: Job): void {
    if (this.#isClosed) job.reject(closedError(this.path))
    else this.#queue.add(job)
  }

  async vacuum(signal?: AbortSignal): Promise<readonly string[]> {
    const pause = this.#createPause(signal)
    let isVacuumed = false
    const tryOnce = async (): Promise<boolean> => {
      const connection = this.#isClosed ? undefined : await this.#connection(pause)
      if (!connection) return true
      isVacuumed ||= connection.execUnlessBusy('VACUUM')
      return isVacuumed && connection.allNow('PRAGMA wal_checkpoint(TRUNCATE)')[0]?.['busy'] === 0
    }
    try {
      while (!(await this.#exclusively(tryOnce))) await pause()
      return []
    } catch (error) {
      if (!(error instanceof LockedError)) throw error
      return [`${this.path}: deleted text remains until a later write: another process is reading an older state`]
    }
  }

  async snapshot<T>(work: SnapshotWork<T>, signal?: AbortSignal): Promise<T> {
    const connection = (await this.#openNow(this.#startCall(signal)))?.connection ?? createEmpty()
    this.#snapshots.add(connection)
    const close = async (): Promise<void> => {
      if (!this.#snapshots.delete(connection)) return
      connection.close()
      await collectStatements()
    }
    try {
      connection.exec('BEGIN')
      return await work(connection, close)
    } catch (error) {
      await close()
      throw error
    }
  }

  async watch(changed: () => void): Promise<() => void> {
    let last: string | undefined
    const poll = async (): Promise<void> => {
      if (this.#isClosed) clearInterval(timer)
      try {
        // Changes with every commit of another connection.
        const [row] = await this.read((sql) => sql.all('PRAGMA data_version'))
        const now = `${this.#open?.file.ino} ${row?.['data_version']}`
        if (last !== undefined && now !== last) changed()
        last = now
      } catch {
        // temporarily unreadable
      }
    }
    const timer = setInterval(poll, WATCH_MS).unref()
    await poll()
    return () => clearInterval(timer)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#queue.waitUntilEmpty()
    await this.#lastWork
    for (const connection of [...this.#snapshots, this.#open?.connection, this.#empty]) connection?.close()
    this.#snapshots.clear()
    const wasOpen = this.#open !== undefined
    this.#open = undefined
    await collectStatements()
    if (wasOpen) await this.#removeLeftoverWal()
  }

  /** Two processes that close at once may each see the other as still open and leave the `-wal`; closing once more checkpoints it. */
  async #removeLeftoverWal(): Promise<void> {
    if (!hasWal(this.path)) return
    await sleep(Math.random() * MAX_RECLOSE_DELAY_MS)
    try {
      const opened = await openFile(this.path, this.#createPause())
      opened?.connection.close()
      await collectStatements()
    } catch {
      // the next process that opens the memory reads the `-wal`
    }
  }

  async #turn(): Promise<void> {
    if (this.#hasContention) await sleep(Math.max(0, this.#nextTurnAt - performance.now()))
    const started = performance.now()
    const pause = this.#createPause()
    let jobs: Job[] = []
    const tryOnce = async (): Promise<boolean> => {
      this.#queue.rejectIf(({ signal }) => signal?.aborted)
      if (this.#queue.isEmpty) return true
      const connection = await this.#tryToBegin(pause)
      if (!connection) return false
      // Jobs that arrived during the wait join this transaction.
      jobs = this.#queue.dequeue()
      this.#averageWaitMs = (this.#averageWaitMs + performance.now() - started) / 2
      const callbacks = await this.#runAll(connection, jobs)
      this.#nextTurnAt = performance.now() + Math.min(Math.max(this.#averageWaitMs, YIELD_MS.min), YIELD_MS.max)
      for (const notify of callbacks) notify()
      return true
    }
    try {
      // Reads may run between attempts.
      while (!(await this.#exclusively(tryOnce))) await pause()
    } catch (error) {
      for (const job of jobs) job.reject(error)
      // A job that came during the wait has not waited long enough itself.
      const isLate = ({ queuedAt }: QueuedJob): boolean => queuedAt <= started || !(error instanceof LockedError)
      if (jobs.length === 0) this.#queue.rejectIf(isLate, error)
    }
  }

  /** All jobs commit, or none; a job that fails by itself doesn't count. */
  async #runAll(connection: Connection, jobs: readonly Job[]): Promise<readonly OnCommit[]> {
    let isCommitting = false
    connection.failure = undefined
    try {
      const callbacks = await runJobs(connection, jobs, {
        toError: (error) => sqliteError(this.path, error),
        hasSavepoints: true,
      })
      isCommitting = true
      if (connection.isTransaction) connection.exec('COMMIT')
      return callbacks
    } catch (error) {
      if (connection.isTransaction) connection.execUnlessBusy('ROLLBACK')
      if (isCommitting && hasCode(error, 'IOERR') && !(await overwriteCommit(connection)))
        throw new StorageError('saving to', this.path, error, UNCERTAIN_HINT)
      throw sqliteError(this.path, error)
    }
  }

  /** Creates the file if it is missing. `undefined`: another process is writing, or the file was replaced. */
  async #tryToBegin(pause: Pause): Promise<Connection | undefined> {
    const { lockWaitMs, initialize, onCreated } = this.#options
    if (this.#open?.refusal) await this.#closeFile()
    // Whether it is still the file at the path is checked under the lock.
    const connection = this.#open?.connection ?? (await this.#connection(pause))
    if (!connection) {
      if (await buildFile(this.path, initialize, { lockWaitMs })) onCreated?.()
      return undefined
    }
    if (this.#open?.refusal) throw this.#open.refusal
    const hasBegun = connection.execUnlessBusy('BEGIN IMMEDIATE')
    if (!this.#open || !isUnchanged(this.path, this.#open)) {
      if (hasBegun) connection.exec('ROLLBACK')
      await this.#closeFile()
      return undefined
    }
    if (!hasBegun) return undefined
    const version = connection.allNow('PRAGMA data_version')[0]?.['data_version']
    this.#hasContention = this.#dataVersion !== undefined && version !== this.#dataVersion
    this.#dataVersion = version
    return connection
  }

  #openEmpty(): Connection {
    this.#empty ??= createEmpty()
    return this.#empty
  }

  /** The connection to the file that is at the path now, if any. */
  async #connection(pause: Pause): Promise<Connection | undefined> {
    if (this.#open && isUnchanged(this.path, this.#open)) return this.#open.connection
    await this.#closeFile()
    this.#open = await this.#openNow(pause)
    return this.#open?.connection
  }

  async #closeFile(): Promise<void> {
    if (!this.#open) return
    this.#open.connection.close()
    this.#open = undefined
    this.#dataVersion = undefined
    // Before the next one is opened: until then the old connection keeps its `-wal` at this path.
    await collectStatements()
  }

  async #openNow(pause: Pause): Promise<OpenedFile | undefined> {
    const opened = await openFile(this.path, pause)
    try {
      if (opened) this.#options.onOpened?.(opened.connection)
      return opened
    } catch (error) {
      opened?.connection.close()
      throw sqliteError(this.path, error)
    }
  }

  /** The pauses of a call, which is refused if the store is closed or the signal aborted. */
  #startCall(signal: AbortSignal | undefined): Pause {
    if (this.#isClosed) throw closedError(this.path)
    signal?.throwIfAborted()
    return this.#createPause(signal)
  }

  #createPause(signal?: AbortSignal): Pause {
    return pauses(this.path, this.#options.lockWaitMs, signal)
  }

  /** Runs after earlier work, alone on the connection. */
  #exclusively<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#lastWork.then(run)
    this.#lastWork = result.catch(() => undefined)
    return result
  }
}

/** The frames of a COMMIT that failed may be complete, and would count after a crash. Another transaction overwrites them. */
async function overwriteCommit(connection: Connection): Promise<boolean> {
  try {
    connection.exec('BEGIN IMMEDIATE')
    await markWritten(connection)
    connection.exec('COMMIT')
    return true
  } catch {
    if (connection.isTransaction) connection.execUnlessBusy('ROLLBACK')
    return false
  }
}

/** What is read while there is no file. */
function createEmpty(): Connection {
  const connection = new Connection(':memory:')
  for (const statement of SCHEMA) connection.exec(statement)
  return connection
}
