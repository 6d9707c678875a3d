/** Errors of PostgreSQL and of the connection to it, mapped to ours. A message names the address without its password. */
import { DamagedError, type ErrorCode, isKeepsakeError, KeepsakeError } from '../../errors.ts'
import { type PostgresPlace, postgresAddress } from '../../model/postgres-address.ts'

/** Whether the server reported it over a connection that still works: such errors have a five-character code (SQLSTATE). */
export function isServerError(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) && 'severity' in Object(error) && !SERVER_GONE.test(codeOf(error))
}

/** Whether it is one of these server errors, mapped or not. */
export function hasSqlState(error: unknown, ...states: readonly string[]): boolean {
  return states.includes(codeOf(isKeepsakeError(error) ? error.cause : error))
}

/** Whether the server refused the values of a statement, or this role: other statements may succeed. */
export function isRefusedStatement(error: unknown): boolean {
  return /^(22...|23...|54...|42501)$/.test(codeOf(isKeepsakeError(error) ? error.cause : error))
}

/** Whether the server could not be reached, or the connection was cut. */
export function isConnectionLost(error: unknown): boolean {
  if (isKeepsakeError(error)) return error.data['isReached'] === false
  return NO_CONNECTION.test(codeOf(error)) || SERVER_GONE.test(codeOf(error)) || CUT.test(messageOf(error))
}

/** The server is shutting down, has crashed, or is starting. */
const SERVER_GONE = /^(57P0[1-5]|08...)$/
const NO_CONNECTION = /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOENT)$/
const CUT =
  /^(Connection terminated|Client has encountered|Client was closed|timeout |Query read timeout|write after end)/

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null | undefined)?.code ?? '')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Our own errors pass through. */
export function postgresError(place: PostgresPlace, error: unknown): unknown {
  if (isKeepsakeError(error)) return error
  const [address, code, message] = [postgresAddress(place), codeOf(error), messageOf(error)]
  if (isConnectionLost(error)) return unreachableError(address, message || code, error)
  const known = KNOWN.find(([pattern]) => pattern.test(code) || pattern.test(message))
  if (known) {
    const [, ourCode, problem, hint] = known
    return new KeepsakeError(ourCode, `${address}: ${problem ?? message}`, { hint, data: { address }, cause: error })
  }
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) {
    return new DamagedError(address, `a row can't be read: ${message}`, RESTORE_HINT, error)
  }
  if (!isServerError(error)) return error
  return new KeepsakeError('IO', `${address}: ${message}`, {
    hint: "Nothing was saved. The server's log may say more.",
    data: { address },
    cause: error,
  })
}

/** For a failed attempt to connect: what answered may not be PostgreSQL. */
export function connectError(place: PostgresPlace, error: unknown): unknown {
  const mapped = postgresError(place, error)
  return isKeepsakeError(mapped) ? mapped : unreachableError(postgresAddress(place), messageOf(error), error)
}

function unreachableError(address: string, reason: string, cause: unknown): KeepsakeError {
  return new KeepsakeError('IO', `${address} can't be reached: ${reason}`, {
    hint: 'Check the address, and that the server is running. What was acknowledged is kept there.',
    data: { isReached: false },
    cause,
  })
}

const RESTORE_HINT = 'Nothing was changed. Restore a backup into another schema.'

/** Matched by code or message; the first match counts. Without a problem, the server's own message is shown. */
const KNOWN: readonly (readonly [RegExp, ErrorCode, string | undefined, string])[] = [
  [/no encryption/, 'INVALID', undefined, 'Add sslmode=verify-full or sslmode=require to the address.'],
  [
    /does not support SSL/,
    'INVALID',
    'the server does not support TLS',
    'Turn on TLS there. On a network that you trust, add sslmode=disable to the address.',
  ],
  [
    /altnames/,
    'INVALID',
    undefined,
    "Use a host name that its certificate has. sslmode=verify-ca doesn't check the name.",
  ],
  [
    /self-signed|certificate|unable to (verify|get)|SSL routines/i,
    'INVALID',
    undefined,
    "Name the certificate of its authority with sslrootcert=FILE. sslmode=require encrypts, but doesn't check who answers.",
  ],
  [
    /^28P01$|^28000$|^SASL|password must be a string/,
    'INVALID',
    undefined,
    'Set PGPASSWORD, or add a line to ~/.pgpass. Check the user name.',
  ],
  [/^3D000$/, 'NOT_FOUND', undefined, 'Check the database name, or create it with createdb.'],
  [
    /^25006$/,
    'READ_ONLY',
    'this server accepts no writes: it is a replica, or set to read-only',
    'Reading works. To write, use the address of the primary server.',
  ],
  [
    /permission denied for database/,
    'NOT_FOUND',
    undefined,
    'Check the database name, or ask its owner to run: GRANT CONNECT ON DATABASE … TO …',
  ],
  [
    /violates row-level security policy/,
    'READ_ONLY',
    "this role may not write to that agent's memory (row-level security)",
    'Nothing was saved. Use an agent that the role may see, or ask the owner of the schema; docs/postgres.md says what to grant.',
  ],
  [
    /^42501$/,
    'READ_ONLY',
    undefined,
    'Nothing was saved. Reading works if the role may SELECT. The owner of the schema can grant more; docs/postgres.md says what.',
  ],
  [
    /^54000$/,
    'INVALID',
    'a name or the key of a session is too long for an index',
    'Nothing was saved. Use one of at most 2,000 bytes.',
  ],
  [
    /^55P03$|^40P01$|^40001$/,
    'LOCKED',
    'another process is writing and did not finish in time',
    'Nothing was saved. Try again when that process has finished its work.',
  ],
  [
    /^57014$/,
    'TIMEOUT',
    'the server did not answer in time',
    'Nothing was saved. Try again when it is less busy, or give it more time with server_timeout.',
  ],
  [/^53100$/, 'IO', "the server's disk is full", 'Nothing was saved. Free some space there, then try again.'],
  [
    /^53[34]00$/,
    'IO',
    undefined,
    'Nothing was saved. Close other connections, or raise max_connections on the server. A process uses up to 4 connections.',
  ],
  [
    /^42P01$|^42703$|^42804$/,
    'FOREIGN',
    undefined,
    'The tables in this schema are not those of a memory. Nothing was changed. Name another schema: ?schema=NAME',
  ],
]
