/**
 * What a server says of itself, of a place on it and of a collection, asked plainly: the client hides status and reason, and prints
 * to the console when it meets a collection of somebody else's. Reads only.
 */
import type { ServerPlace } from '../../../model/server-address.ts'
import { parsed } from '../parsed.ts'
import { badDatabase, otherVersion, refusedQuestion, unknownTenant, unreachable } from './server-errors.ts'

/** Asked once; the client would ask with every write. */
export interface ServerFacts {
  readonly max_batch_size: number
  readonly supports_base64_encoding: boolean
}

export interface CollectionFacts {
  readonly id: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** Of the vectors that were ever put into it. */
  readonly dimension: number | undefined
}

interface Answer {
  readonly status: number
  /** `undefined`: no JSON. */
  readonly json: unknown
}

const NOT_THERE = 404
/** How the server itself says so. What stands before it, and has lost it for a moment, may say 404 too, in its own words. */
const NOT_THERE_ERROR = 'NotFoundError'
const HEARTBEAT = 'nanosecond heartbeat'
const NANOSECONDS = 1_000_000
const BAD_NAME = 400

/** Servers behind a gateway mostly read the one, Chroma's own cloud the other. */
export function tokenHeaders({ token }: ServerPlace): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}`, 'x-chroma-token': token }
}

/** Throws what is wrong with the server, the token or the tenant. */
export async function serverFacts(place: ServerPlace, signal: AbortSignal): Promise<ServerFacts> {
  // At once, for somebody waits; what is wrong with the first is told first.
  const [version, tenant, limits] = await Promise.all([
    ask(place, 'version', signal),
    ask(place, `tenants/${encodeURIComponent(place.tenant)}`, signal),
    ask(place, 'pre-flight-checks', signal),
  ])
  checkVersion(place, version)
  if (isNotThere(tenant)) throw unknownTenant(place)
  expectFine(place, tenant)
  const { json } = expectFine(place, limits)
  const most = isObject(json) ? json['max_batch_size'] : undefined
  if (!isObject(json) || typeof most !== 'number') throw otherVersion(place, 'it does not say what it takes')
  return { max_batch_size: most, supports_base64_encoding: json['supports_base64_encoding'] === true }
}

/** Milliseconds since 1970, by the server's clock. */
export async function serverTime(place: ServerPlace, signal: AbortSignal): Promise<number> {
  const { json } = expectFine(place, await ask(place, 'heartbeat', signal))
  const nanoseconds = isObject(json) ? json[HEARTBEAT] : undefined
  if (typeof nanoseconds !== 'number') throw otherVersion(place, 'it does not tell the time')
  return Math.floor(nanoseconds / NANOSECONDS)
}

export async function hasDatabase(place: ServerPlace, signal: AbortSignal): Promise<boolean> {
  const answer = await ask(place, placePath(place), signal)
  if (isNotThere(answer)) return false
  if (answer.status === BAD_NAME) throw badDatabase(place, wordsIn(answer))
  expectFine(place, answer)
  return true
}

/** `undefined`: there is none, nor perhaps the database. */
export async function collectionFacts(
  place: ServerPlace,
  name: string,
  signal: AbortSignal,
): Promise<CollectionFacts | undefined> {
  const answer = await ask(place, `${placePath(place)}/collections/${name}`, signal)
  if (isNotThere(answer)) return undefined
  if (answer.status === BAD_NAME) throw badDatabase(place, wordsIn(answer))
  const { json } = expectFine(place, answer)
  const id = isObject(json) ? json['id'] : undefined
  if (!isObject(json) || typeof id !== 'string')
    throw otherVersion(place, 'it does not say what a collection is called')
  const { metadata, dimension } = json
  return {
    id,
    metadata: isObject(metadata) ? metadata : {},
    dimension: typeof dimension === 'number' ? dimension : undefined,
  }
}

function checkVersion(place: ServerPlace, { status, json }: Answer): void {
  if (status === 401 || status === 403 || status === 429 || status >= 500) expectFine(place, { status, json })
  if (status !== 200) throw otherVersion(place, `it answers with status ${status}`)
  if (typeof json !== 'string') throw otherVersion(place, 'it does not tell its version')
  if (!/^[1-9]\d*\./.test(json)) throw otherVersion(place, `it has version ${JSON.stringify(json.slice(0, 40))}`)
}

function placePath({ tenant, database }: ServerPlace): string {
  return `tenants/${encodeURIComponent(tenant)}/databases/${encodeURIComponent(database)}`
}

function expectFine(place: ServerPlace, answer: Answer): Answer {
  if (answer.status === 200) return answer
  throw refusedQuestion(place, answer.status, wordsIn(answer))
}

function isNotThere({ status, json }: Answer): boolean {
  return status === NOT_THERE && isObject(json) && json['error'] === NOT_THERE_ERROR
}

function wordsIn({ status, json }: Answer): string {
  const words = isObject(json) ? (json['message'] ?? json['error']) : undefined
  return typeof words === 'string' ? words : `status ${status}, in words that are not a Chroma server's`
}

async function ask(place: ServerPlace, path: string, signal: AbortSignal): Promise<Answer> {
  try {
    // A redirection would take the token to somebody else.
    const init = { headers: tokenHeaders(place), redirect: 'manual', signal } as const
    const response = await fetch(`${place.url}/api/v2/${path}`, init)
    return { status: response.status, json: parsed(await response.text()) }
  } catch (error) {
    signal.throwIfAborted()
    throw unreachable({ place, isWrite: false }, reasonIn(error), error)
  }
}

/** The reason of a failed fetch is in its cause, and without words where several addresses were tried. */
function reasonIn(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return String(error)
  const code = 'code' in cause ? String(cause.code) : undefined
  if (code?.startsWith('ERR_SSL_')) return `it does not take TLS (${code})`
  return cause.message || (code ?? String(error))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
