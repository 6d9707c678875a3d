/** One schema of a PostgreSQL database, shared by machines: waiting jobs share a transaction, and are acknowledged after COMMIT. */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageError } from '../../errors.ts'
import { abortable } from '../../model/abortable.ts'
import { type PostgresPlace, postgresAddress } from '../../model/postgres-address.ts'
import { JobQueue, MissingSavepointError, type QueuedJob, runJobs } from './jobs.ts'
import {
  type Client,
  clientConfig,
  type Limits,
  loadPostgres,
  type Pool,
  type PooledClient,
  type PostgresModule,
  PostgresTransaction,
} from './postgres.ts'
import { connectError, hasSqlState, isConnectionLost, isRefusedStatement, postgresError } from './postgres-errors.ts'
import { createMemory, findMemory, migrate } from './postgres-schema.ts'
import { TABLE_NAMES } from './schema.ts'
import { closedError, type Database, type Job, type OnCommit, type SnapshotWork, type Sql } from './sql.ts'

/** Connections for reads and writes together. `watch` and `snapshot` use one more each. */
const MAX_CONNECTIONS = 4
const IDLE_MS = 30_000
const RETRY_MS = 100
const WATCH_RETRY_MS = 1000
/** Commits that come close together are reported once. */
const WATCH_DEBOUNCE_MS = 50
const READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
/** After the lock is granted, a statement must see what the writer before has committed. */
const WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED'
const VACUUM_SKIPPED =
  'pages of the tables, which keep deleted text until their owner next writes to this memory, or PostgreSQL vacuums them: this role may not VACUUM'
const UNCERTAIN_HINT =
  'The connection was cut during COMMIT, so the write may have been saved or not. Check before you repeat it.'

export interface PostgresOptions extends Limits {
  readonly place: PostgresPlace
  /** Fills the tables of a new memory. */
  readonly initialize: (sql: Sql) => Promise<void>
  readonly onCreated?: () => void
  /** Called with the settings of the memory before it is first used. */
  readonly onOpened?: (settings: string) => void
}

type ReadWork<T> = (sql: Sql, hasMemory: boolean) => Promise<T>

interface SharedRead {
  readonly run: ReadWork<void>
  readonly fail: (error: unknown) => void
}

export class PostgresDatabase implements Database {
  readonly path: string
  readonly #options: PostgresOptions
  readonly #queue = new JobQueue(() => this.#turn())
  /** Sent with our notifications, so that we can ignore them. */
  readonly #id = crypto.randomUUID()
  readonly #reads: SharedRead[] = []
  #pool: Promise<Pool> | undefined
  #isReady = false
  #wasReached = false
  #isClosed = false
  readonly #unpooled = new Set<Client>()
  readonly #watches = new Set<() => void>()

  constructor(options: PostgresOptions) {
    this.#options = options
    this.path = postgresAddress(options.place)
  }

  async exists(signal?: AbortSignal): Promise<boolean> {
    if (this.#isReady && !this.#isClosed) return true
    return this.#readWithRetry(async (_, hasMemory) => hasMemory, signal)
  }

  read<T>(work: (sql: Sql) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#readWithRetry((sql, hasMemory) => work(hasMemory ? sql : EMPTY), signal)
  }

  enqueue(job: Job): void {
    if (this.#isClosed) job.reject(closedError(this.path))
    else this.#queue.add(job)
  }

  /** The pages of deleted rows are reused; their bytes are not overwritten at once. */
  async vacuum(): Promise<readonly string[]> {
    let isSkipped = false
    // The server sends a warning for each table that this role may not vacuum.
    const onNotice = ({ severity }: { severity?: string }): void => {
      if (severity === 'WARNING') isSkipped = true
    }
    await this.#withClient(async (client) => {
      client.on('notice', onNotice)
      try {
        await client.query({ text: 'SET statement_timeout = 0' })
        await client.query({ text: `VACUUM ${TABLE_NAMES.join(', ')}, vectors` })
        await client.query({ text: 'RESET statement_timeout' })
      } finally {
        client.off('notice', onNotice)
      }
    })
    return isSkipped ? [VACUUM_SKIPPED] : []
  }

  async snapshot<T>(work: SnapshotWork<T>, signal?: AbortSignal): Promise<T> {
    const hasMemory = await this.exists(signal)
    const client = await this.#connectUnpooled()
    const close = (): Promise<void> => this.#endClient(client)
    const sql = new PostgresTransaction(client, this.#options.place)
    try {
      sql.exec('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
      sql.exec(READ)
      return await work(hasMemory ? sql : EMPTY, close)
    } catch (error) {
      await close()
      throw error
    }
  }

  async watch(changed: () => void): Promise<() => void> {
    if (this.#isClosed) throw closedError(this.path)
    let timer: NodeJS.Timeout | undefined
    let client: Client | undefined
    let isStopped = false
    const report = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        if (!isStopped) changed()
      }, WATCH_DEBOUNCE_MS).unref()
    }
    /** Resolves when it listens. `ended`: when the connection is gone. */
    const listen = async (): Promise<{ readonly ended: Promise<void> }> => {
      const connected = await this.#connectUnpooled()
      client = connected
      if (isStopped) return { ended: Promise.resolve() }
      const ended = new Promise<void>((resolve) => connected.on('end', () => resolve()))
      connected.on('notification', ({ payload }) => payload !== this.#id && report())
      const { lockMs, requestMs } = this.#options
      const late = sleep(lockMs + requestMs, undefined, { ref: false }).then(() =>
        Promise.reject(new Error('no answer')),
      )
      late.catch(() => undefined)
      await Promise.race([connected.query({ text: `LISTEN ${this.#channel}` }), late])
      return { ended }
    }
    const listenForEver = async (first: ReturnType<typeof listen>): Promise<void> => {
      for (let listening = first; ; ) {
        await listening.then(({ ended }) => ended).catch(() => undefined)
        if (client) await this.#endClient(client)
        client = undefined
        if (isStopped || this.#isClosed) return
        await sleep(WATCH_RETRY_MS, undefined, { ref: false })
        if (isStopped) return
        listening = listen()
        // What was committed while nothing listened.
        void listening.then(report, () => undefined)
      }
    }
    const stop = (): void => {
      isStopped = true
      this.#watches.delete(stop)
      clearTimeout(timer)
      if (client) void this.#endClient(client)
    }
    this.#watches.add(stop)
    const first = listen()
    void listenForEver(first)
    // A server that can't be reached now may come back.
    await first.catch(() => undefined)
    return stop
  }

  /** Creates the memory with what `fill` writes, in one transaction; `false` if it exists already. */
  async build(fill: (sql: Sql) => Promise<void>, signal?: AbortSignal): Promise<boolean> {
    return this.#withClient(async (client) => {
      const sql = new PostgresTransaction(client, this.#options.place)
      try {
        sql.exec(WRITE)
        sql.exec('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0')
        const isNew = await abortable(() => createMemory(sql, this.#options.place, fill), signal)
        await sql.commit()
        return isNew
      } catch (error) {
        sql.exec('ROLLBACK')
        await sql.waitForAnswers()
        throw error
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#queue.waitUntilEmpty()
    for (const stop of [...this.#watches]) stop()
    for (const client of [...this.#unpooled]) await this.#endClient(client)
    const pool = this.#pool
    this.#pool = undefined
    await (await pool?.catch(() => undefined))?.end()
  }

  get #channel(): string {
    return `keepsake_${this.#options.place.schema}`.slice(0, 63)
  }

  #readWithRetry<T>(work: ReadWork<T>, signal?: AbortSignal): Promise<T> {
    if (this.#isClosed) return Promise.reject(closedError(this.path))
    // Many reads of one call may wait at once: that is no leak, so Node must not warn of one.
    if (signal) setMaxListeners(0, signal)
    return abortable(() => this.#retryWhileUnreachable(() => this.#shareSnapshot(work)), signal)
  }

  /** Reads that start in the same tick share a connection and a snapshot, and so their round trips. */
  #shareSnapshot<T>(work: ReadWork<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(postgresError(this.#options.place, error))
      const run = (sql: Sql, hasMemory: boolean): Promise<void> => work(sql, hasMemory).then(resolve)
      this.#reads.push({ run, fail })
      if (this.#reads.length === 1) setImmediate(() => this.#runReads(this.#reads.splice(0)))
    })
  }

  /** Sends BEGIN with the first statements, and does not wait for COMMIT: one statement takes one round trip. */
  async #runReads(reads: readonly SharedRead[]): Promise<void> {
    const failed: SharedRead[] = []
    try {
      await this.#withClient(async (client) => {
        const hasMemory = this.#isReady || (await this.#open(client))
        const sql = new PostgresTransaction(client, this.#options.place)
        const runOne = async (read: SharedRead): Promise<void> => {
          try {
            await read.run(sql, hasMemory)
          } catch (error) {
            // The statement that failed may be another's. Those that waited for the same time are not made to wait again.
            const isAlone = reads.length === 1 || sql.failure === undefined
            const isLate = isConnectionLost(sql.failure) || hasSqlState(sql.failure, '57014', '55P03')
            if (isAlone || isLate) read.fail(error)
            else failed.push(read)
          }
        }
        sql.exec(READ)
        await Promise.all(reads.map(runOne))
        sql.exec('COMMIT')
        if (sql.isBroken) throw sql.failure
      })
    } catch (error) {
      for (const { fail } of reads) fail(error)
    }
    await Promise.all(failed.map((read) => this.#runReads([read])))
  }

  /** Whether there is a memory. Checks it before its first use. */
  async #open(client: Client): Promise<boolean> {
    const { place, onOpened } = this.#options
    const found = await findMemory(new PostgresTransaction(client, place), place)
    if (!found) return false
    if (found.isOlder) await this.#inTransaction(client, migrate)
    onOpened?.(found.settings)
    this.#isReady = true
    return true
  }

  async #turn(): Promise<void> {
    this.#queue.rejectIf(({ signal }) => signal?.aborted)
    if (this.#queue.isEmpty) return
    await this.#save(this.#queue.dequeue())
  }

  async #save(jobs: readonly QueuedJob[]): Promise<void> {
    try {
      const callbacks = await this.#retryWhileUnreachable(() =>
        this.#withClient((client) => this.#transact(client, jobs)),
      )
      for (const notify of callbacks) notify()
    } catch (error) {
      // A statement that the server refuses aborts the transaction, and with it the other jobs.
      if (jobs.length > 1 && isRefusedStatement(error)) for (const job of jobs) await this.#save([job])
      else for (const job of jobs) job.reject(error)
    }
  }

  /** All jobs commit, or none; a job that fails by itself doesn't count. */
  async #transact(client: Client, jobs: readonly QueuedJob[], hasSavepoints = false): Promise<readonly OnCommit[]> {
    const { place, initialize, onCreated } = this.#options
    if (!this.#isReady && !(await this.#open(client))) {
      if (await this.#inTransaction(client, (sql) => createMemory(sql, place, initialize))) onCreated?.()
      await this.#open(client)
    }
    let callbacks: readonly OnCommit[] = []
    let isCommitting = false
    try {
      await this.#inTransaction(client, async (sql) => {
        sql.lock()
        callbacks = await runJobs(sql, jobs, { toError: (error) => postgresError(place, error), hasSavepoints })
        // A write that was refused, or changed nothing, is of no interest to others, and its COMMIT may get lost.
        if (sql.writeCount === 0) return
        await sql.run('SELECT pg_notify(?, ?)', [this.#channel, this.#id])
        isCommitting = true
      })
    } catch (error) {
      // Savepoints take two statements a job, and jobs hardly ever fail after they have written.
      if (error instanceof MissingSavepointError) return this.#transact(client, jobs, true)
      if (!isCommitting || !isConnectionLost(error)) throw error
      if (await this.#isCommitted(jobs)) return callbacks
      throw error
    }
    return callbacks
  }

  /** For a lost answer to COMMIT. Takes the lock first, so that the transaction has ended either way. Throws if there is no way to tell. */
  async #isCommitted(jobs: readonly Job[]): Promise<boolean> {
    const uncertainError = (cause: unknown): StorageError =>
      new StorageError('saving to', this.path, cause, UNCERTAIN_HINT)
    const find = (client: Client): Promise<boolean> =>
      this.#inTransaction(client, async (sql) => {
        sql.lock()
        for (const job of jobs) {
          const isCommitted = await job.isCommitted?.(sql)
          if (isCommitted !== undefined) return isCommitted
        }
        throw new Error('the connection was cut, and no write left a trace that could be looked for')
      })
    try {
      return await this.#retryWhileUnreachable(() => this.#withClient(find))
    } catch (cause) {
      throw uncertainError(cause)
    }
  }

  async #inTransaction<T>(client: Client, work: (sql: PostgresTransaction) => Promise<T>): Promise<T> {
    const sql = new PostgresTransaction(client, this.#options.place)
    try {
      sql.exec(WRITE)
      const result = await work(sql)
      await sql.commit()
      return result
    } catch (error) {
      sql.exec('ROLLBACK')
      await sql.waitForAnswers()
      throw error
    }
  }

  /** Retries while the server restarts, up to the limit. Fails at once if it was never reached: the address may be wrong. */
  async #retryWhileUnreachable<T>(attempt: () => Promise<T>): Promise<T> {
    const started = performance.now()
    let wasGone = false
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        // The schema was dropped or replaced: the next attempt checks it again. If a table is missing, it fails again.
        const isGone: boolean = !wasGone && this.#isReady && hasSqlState(error, '42P01', '3F000')
        if (isGone) this.#isReady = false
        wasGone ||= isGone
        const isStarting = hasSqlState(error, '57P03')
        const mayRetry = isGone || isStarting || (this.#wasReached && isConnectionLost(error))
        if (!mayRetry || this.#isClosed || performance.now() - started > this.#options.lockMs) throw error
        if (!isGone) await sleep(RETRY_MS)
      }
    }
  }

  /** Closes a connection that failed; returns any other to the pool. */
  async #withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    let client: PooledClient | undefined
    try {
      this.#pool ??= this.#openPool()
      client = await (await this.#pool).connect().catch((error) => {
        throw connectError(this.#options.place, error)
      })
      this.#wasReached = true
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      const mapped = postgresError(this.#options.place, error)
      client?.release(isConnectionLost(mapped))
      throw mapped
    }
  }

  async #openPool(): Promise<Pool> {
    const { Pool, Client } = await this.#load()
    const config = clientConfig(this.#options.place, this.#options)
    const pool = new Pool({
      ...config,
      Client,
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
    })
    // If an idle connection is cut, the next call connects again; if a busy one is cut, its statements fail.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => client.on('error', () => undefined))
    return pool
  }

  async #load(): Promise<PostgresModule> {
    try {
      return await loadPostgres()
    } catch (error) {
      this.#pool = undefined
      throw error
    }
  }

  /** Opens a connection outside the pool. */
  async #connectUnpooled(): Promise<Client> {
    const { Client } = await loadPostgres()
    const client = new Client({ ...clientConfig(this.#options.place, this.#options), query_timeout: 0 })
    client.on('error', () => undefined) // the next query fails
    try {
      await client.connect()
    } catch (error) {
      throw connectError(this.#options.place, error)
    }
    this.#unpooled.add(client)
    if (this.#isClosed) {
      await this.#endClient(client)
      throw closedError(this.path)
    }
    return client
  }

  async #endClient(client: Client): Promise<void> {
    if (this.#unpooled.delete(client)) await client.end().catch(() => undefined)
  }
}

/** Read while there is no memory. */
const EMPTY: Sql = { positionFunction: 'strpos', all: async () => [], run: async () => undefined }
