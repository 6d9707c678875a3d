/** PostgreSQL: the driver (the optional package `pg`), how it connects, and a transaction whose writes share a round trip. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { KeepsakeError, StorageError } from '../../errors.ts'
import { type PostgresPlace, postgresAddress } from '../../model/postgres-address.ts'
import type { JobTransaction } from './jobs.ts'
import { isServerError, postgresError } from './postgres-errors.ts'
import { parseCounters } from './schema.ts'
import { type Row, refuseNul, type Sql, type SqlValue } from './sql.ts'
import { installCommand } from './sqlite.ts'

const PACKAGE = 'pg'
const PACKAGE_VERSION = '8.23.1'

/** The part of the package that we use. */
export interface PostgresModule {
  readonly Pool: new (config: object) => Pool
  readonly Client: new (config: object) => Client
}

export interface Pool {
  connect(): Promise<PooledClient>
  end(): Promise<void>
  on(event: 'error' | 'connect', listener: (client: Client) => void): void
}

export interface Client {
  connect(): Promise<unknown>
  end(): Promise<void>
  readonly connection: {
    on(event: 'error', listener: () => void): void
    readonly stream: { cork(): void; uncork(): void; destroy(): void }
  }
  query(query: { text: string; values?: readonly unknown[]; name?: string }): Promise<Result>
  on(event: ClientEvent, listener: (message: ClientMessage) => void): void
  off(event: ClientEvent, listener: (message: ClientMessage) => void): void
}

type ClientEvent = 'error' | 'end' | 'notification' | 'notice'

interface ClientMessage {
  readonly payload?: string
  readonly severity?: string
}

export interface PooledClient extends Client {
  /** With `true`, the connection is closed. */
  release(isBroken?: boolean): void
}

interface Result {
  readonly command: string
  readonly rows: Row[]
}

/** Throws UNSUPPORTED if the package is not installed. */
export async function loadPostgres(): Promise<PostgresModule> {
  try {
    const name: string = PACKAGE
    const { default: module } = (await import(name)) as { default: PostgresModule }
    return { Pool: module.Pool, Client: closeOnLoginError(module.Client) }
  } catch (cause) {
    throw new KeepsakeError('UNSUPPORTED', `a memory on PostgreSQL needs the package ${PACKAGE}`, {
      hint: `Run: ${installCommand(import.meta.url, `${PACKAGE}@${PACKAGE_VERSION}`)}`,
      cause,
    })
  }
}

/** Closes the socket if login fails on our side, as it does without a password: else the server keeps it, and this process, for a minute. */
function closeOnLoginError(Client: PostgresModule['Client']): PostgresModule['Client'] {
  return class extends Client {
    constructor(config: object) {
      super(config)
      this.connection.on('error', () => this.connection.stream.destroy())
    }
  }
}

export interface Limits {
  /** How long to wait for a lock. */
  readonly lockMs: number
  /** How long connecting, or one statement, may take. */
  readonly requestMs: number
}

/** Types by their OIDs. Numbers and bytes are parsed; all others stay text, which `pg` would turn into dates and objects. */
const NUMBER_TYPES = new Set([20, 21, 23, 26, 700, 701, 1700])
const BYTES_TYPE = 17

/** Hexadecimal, after `\x`. */
function parseBytes(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex')
}

export function clientConfig(place: PostgresPlace, { lockMs, requestMs }: Limits): object {
  const { host, port, user, database, schema } = place
  return {
    host,
    port,
    ...(user === undefined ? {} : { user }),
    database,
    password: place.password ?? ((connection: object) => findPassword(place, connection)),
    ssl: tlsOptions(place),
    options: `-c search_path=${schema}`,
    application_name: 'keepsake',
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: requestMs,
    lock_timeout: lockMs,
    statement_timeout: lockMs + requestMs,
    // A process that hangs, or a machine that is gone, must not keep the lock.
    idle_in_transaction_session_timeout: lockMs + requestMs,
    // For a server that does not answer at all.
    query_timeout: lockMs + 2 * requestMs,
    types: {
      getTypeParser: (type: number) => (NUMBER_TYPES.has(type) ? Number : type === BYTES_TYPE ? parseBytes : String),
    },
  }
}

/** Called if the server asks for a password. By itself, `pg` would send PGPASSWORD even to a server that was only found. */
async function findPassword(place: PostgresPlace, connection: object): Promise<string> {
  if (place.isFound) {
    throw new KeepsakeError('UNSUPPORTED', `your password is not sent to ${postgresAddress(place)}`, {
      hint: 'That server was only found in an agent.yaml. If it is yours, name that file, or name the server as the workspace.',
    })
  }
  const found = process.env['PGPASSWORD'] || (await findInPgpass(connection))
  if (found) return found
  throw new KeepsakeError('INVALID', `${postgresAddress(place)} asks for a password, and there is none`, {
    hint: 'Set PGPASSWORD, or add a line to ~/.pgpass.',
  })
}

/** Uses the module that `pg` itself uses, until its next version. */
function findInPgpass(connection: object): Promise<string | undefined> {
  const require = createRequire(createRequire(import.meta.url).resolve(PACKAGE))
  const pgpass = require('pgpass') as (connection: object, done: (password?: string) => void) => void
  return new Promise((resolve) => pgpass(connection, resolve))
}

function tlsOptions({ tls, tlsAuthority, host }: PostgresPlace): object | false {
  if (tls === 'disable') return false
  const ca = tlsAuthority === undefined ? {} : { ca: readAuthority(tlsAuthority) }
  const checks = { require: { rejectUnauthorized: false }, 'verify-ca': { checkServerIdentity: () => undefined } }
  return { ...ca, ...(isIP(host) ? {} : { servername: host }), ...(tls === 'verify-full' ? {} : checks[tls]) }
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new StorageError('reading', path, cause, 'Check the file that sslrootcert names.')
  }
}

/** `SELECT … FOR UPDATE` needs the right to write, so that a role that may only read can't block others. */
const LOCK = "SELECT value FROM settings WHERE key = 'last' FOR UPDATE"

/** How many statements may be unanswered before a write waits for the server. */
const MAX_IN_FLIGHT = 200
const MAX_IN_FLIGHT_BYTES = 1024 * 1024
/** How many statements are prepared, once per connection. Lists of values can produce any number of others. */
const MAX_PREPARED = 200

/** How each statement is sent, by its text with `?`. */
const preparedStatements = new Map<string, { readonly text: string; readonly name?: string }>()

/** A write of one row, which neither reads nor changes another table: several of these may be one statement. */
const ROW_WRITE = /^(?:INSERT INTO|DELETE FROM) (\w+) (?:\(|WHERE id = \?$)/

/** Reads no table. */
const NOTIFY = 'SELECT pg_notify('

interface Write {
  readonly statement: string
  readonly values: readonly SqlValue[]
}

/**
 * One transaction. Writes are sent without waiting for the answer, so that they take one round trip together; and writes to different
 * tables as one statement, because each statement costs both sides more than the row does.
 */
export class PostgresTransaction implements JobTransaction {
  readonly positionFunction = 'strpos'
  readonly #client: Client
  readonly #place: PostgresPlace
  readonly #writes = new Map<string, Write>()
  #isCorked = false
  #inFlight = 0
  #inFlightBytes = 0
  #last: Promise<unknown> = Promise.resolve()
  failure: unknown
  counters: Sql['counters'] = undefined
  writeCount = 0
  /** The connection lost an answer, so it can't be used again. */
  isBroken = false

  constructor(client: Client, place: PostgresPlace) {
    this.#client = client
    this.#place = place
  }

  async all(statement: string, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return (await this.#send(statement, values)).rows
  }

  async run(statement: string, values: readonly SqlValue[] = []): Promise<void> {
    for (const value of values) refuseNul(value)
    this.writeCount++
    const table = ROW_WRITE.exec(statement)?.[1]
    const isNotify = statement.startsWith(NOTIFY)
    // Other statements must see the rows.
    if (table === undefined ? !isNotify : this.#writes.has(table)) this.#sendWrites()
    this.#writes.set(table ?? '', { statement, values })
    if (table === undefined) this.#sendWrites()
    if (this.#inFlight >= MAX_IN_FLIGHT || this.#inFlightBytes >= MAX_IN_FLIGHT_BYTES) await this.#last
  }

  exec(statement: string): void {
    this.#send(statement).catch(() => undefined) // kept as `failure`
  }

  /** Waits for the lock of the writers later, when the counters are read. */
  lock(): void {
    const counters = this.all(LOCK).then(([row]) => parseCounters(row?.['value']))
    counters.catch(() => undefined) // as above
    this.counters = counters
  }

  async clockMs(): Promise<number> {
    const [row] = await this.all('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS ms')
    return Number(row?.['ms'])
  }

  async hidesRows(): Promise<boolean> {
    const statement = `SELECT count(*) AS count FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relrowsecurity AND row_security_active(oid)`
    const [row] = await this.all(statement)
    return row?.['count'] !== 0
  }

  /** Throws if anything before it failed. */
  async commit(): Promise<void> {
    const { command } = await this.#send('COMMIT')
    if (command !== 'COMMIT') throw this.failure ?? new Error(`COMMIT was answered with ${command}`)
  }

  /** Waits until every statement has its answer. */
  async waitForAnswers(): Promise<void> {
    this.#sendWrites()
    await this.#last.catch(() => undefined)
  }

  /** Statements sent before anything is waited for go out in one packet: a system call costs more than a statement. */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    const { stream } = this.#client.connection
    stream.cork()
    // After all that promises have left to do.
    process.nextTick(() => {
      this.#isCorked = false
      stream.uncork()
    })
  }

  /** What the writes since the last statement come to. None of them sees what another one does. */
  #sendWrites(): void {
    const writes = [...this.#writes.values()]
    this.#writes.clear()
    const last = writes.pop()
    if (!last) return
    const others = writes.map(({ statement }, n) => `w${n} AS (${statement})`).join(', ')
    const values = [...writes.flatMap((write) => write.values), ...last.values]
    const bytes = values.reduce<number>((sum, value) => sum + (typeof value === 'number' ? 8 : (value?.length ?? 0)), 0)
    this.#inFlight++
    this.#inFlightBytes += bytes
    const sent = this.#sendNow(others === '' ? last.statement : `WITH ${others} ${last.statement}`, values)
    const settle = (): void => {
      this.#inFlight--
      this.#inFlightBytes -= bytes
    }
    sent.then(settle, settle) // a failure is kept
  }

  #send(statement: string, values: readonly SqlValue[] = []): Promise<Result> {
    for (const value of values) refuseNul(value)
    this.#sendWrites()
    return this.#sendNow(statement, values)
  }

  #sendNow(statement: string, values: readonly SqlValue[]): Promise<Result> {
    this.#cork()
    const answer = this.#client.query({ ...numberPlaceholders(statement), ...(values.length === 0 ? {} : { values }) })
    const checked = answer.catch((error) => {
      if (!isServerError(error)) this.isBroken = true
      // Later statements only fail because the transaction can't continue.
      this.failure ??= postgresError(this.#place, error)
      throw this.failure
    })
    this.#last = checked
    return checked
  }
}

/** Replaces each `?` with `$1`, `$2` and so on. */
function numberPlaceholders(statement: string): { readonly text: string; readonly name?: string } {
  const known = preparedStatements.get(statement)
  if (known) return known
  let count = 0
  const text = statement.replace(/\?/g, () => `$${++count}`)
  if (count === 0 || preparedStatements.size >= MAX_PREPARED) return { text }
  const sent = { text, name: `k${preparedStatements.size}` }
  preparedStatements.set(statement, sent)
  return sent
}
