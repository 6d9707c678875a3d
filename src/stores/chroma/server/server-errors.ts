/**
 * Every failure of a server as an error that says what and where, and what to do. A message names the address and holds what the server
 * said; never the token. A write that may have been done all the same carries `unknown: true` in its data.
 */
import { isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import { addressOf, type ServerPlace } from '../../../model/server-address.ts'

export interface Asked {
  readonly place: ServerPlace
  /** Whether it changes what is on the server. */
  readonly isWrite: boolean
}

const KEPT = 'What was acknowledged is kept there.'
const WORDS = 300
const TOO_MANY = 429
const TOO_LONG = 413

/** `reason`: as the system or the client says it. */
export function unreachable({ place, isWrite }: Asked, reason: string | undefined, cause: unknown): KeepsakeError {
  return new KeepsakeError('IO', `${addressOf(place)} can't be reached${reason ? `: ${reason}` : ''}`, {
    hint: `Is the server running, and the address right? ${KEPT}`,
    data: { ...factsOf(place), isReached: false, ...(isWrite ? { unknown: true } : {}) },
    cause,
  })
}

export function isUnreachable(error: unknown): boolean {
  return isKeepsakeError(error) && error.data['isReached'] === false
}

export function tooSlow({ place, isWrite }: Asked, requestMs: number): KeepsakeError {
  return new KeepsakeError('TIMEOUT', `${addressOf(place)} did not answer within ${requestMs} ms`, {
    hint: `Try again when the server is less busy, or give it more time with server_timeout. ${KEPT}`,
    data: { ...factsOf(place), timeoutMs: requestMs, ...(isWrite ? { unknown: true } : {}) },
  })
}

function refused(place: ServerPlace, status: 401 | 403, cause?: unknown): KeepsakeError {
  const given = place.token === undefined ? 'wants a token, and none is set' : 'does not take the token'
  const problem = status === 401 ? given : `does not allow this in the database "${place.database}"`
  return new KeepsakeError('INVALID', `token: ${addressOf(place)} ${problem}`, {
    hint: `Set the token that this server takes for the tenant "${place.tenant}". Nothing was changed.`,
    data: { field: 'token', ...factsOf(place) },
    cause,
  })
}

export function unknownTenant(place: ServerPlace): KeepsakeError {
  return new KeepsakeError('INVALID', `tenant: ${addressOf(place)} knows no tenant "${place.tenant}"`, {
    hint: 'Name one that is there, or make this one on the server. Nothing was changed.',
    data: { field: 'tenant', ...factsOf(place) },
  })
}

/** One that is not there and can't be made, or can't be. `words`: what the server says to it. */
export function badDatabase(place: ServerPlace, words: string, cause?: unknown): KeepsakeError {
  return new KeepsakeError('INVALID', `database: ${addressOf(place)} has no "${place.database}": ${words}`, {
    hint: 'Name one that is there, or make this one on the server. Nothing was changed.',
    data: { field: 'database', ...factsOf(place) },
    cause,
  })
}

export function otherVersion(place: ServerPlace, found: string): KeepsakeError {
  return new KeepsakeError('UNSUPPORTED', `${addressOf(place)} is no Chroma server of version 1: ${found}`, {
    hint: 'Is the address right? Keepsake needs a server with the API v2 of Chroma 1. Nothing was changed.',
    data: factsOf(place),
  })
}

export function noClient(cause: unknown): KeepsakeError {
  return new KeepsakeError('UNSUPPORTED', "a memory on a server needs the package chromadb, which can't be loaded", {
    hint: 'Install it beside keepsake: npm install chromadb',
    cause,
  })
}

export function foreignCollection(address: string, name: string): KeepsakeError {
  return new KeepsakeError('FOREIGN', `${address}: the collection "${name}" is there and is not Keepsake's`, {
    hint: 'It was left as it is. Name another database (chroma://HOST/DATABASE), or remove that collection if nobody needs it.',
    data: { address, collection: name },
  })
}

export function missingCollection(place: ServerPlace, name: string): KeepsakeError {
  return new KeepsakeError('IO', `${addressOf(place)}: the collection "${name}" is not there any more`, {
    hint: 'Somebody removed it, and nothing was written. Bring it back from a copy, or open the memory anew.',
    data: { ...factsOf(place), collection: name },
  })
}

/** What a server answered to a plain question, other than what was asked for. */
export function refusedQuestion(place: ServerPlace, status: number, words: string): KeepsakeError {
  if (status === 401 || status === 403) return refused(place, status)
  return failed(place, words, { isUnknown: false, status })
}

/** What the client threw. It tells its errors apart by their names, and keeps neither the status nor the system's reason. */
export function clientError(error: unknown, asked: Asked): KeepsakeError {
  if (isKeepsakeError(error)) return error
  const { place, isWrite } = asked
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) }
  const known = { isUnknown: false, cause: error }
  if (name === 'ChromaConnectionError') return unreachable(asked, undefined, error)
  if (name === 'TypeError' && message === 'terminated') return unreachable(asked, 'its answer broke off', error)
  if (name === 'ChromaAuthError') return refused(place, 401, error)
  if (name === 'ChromaForbiddenError') return refused(place, 403, error)
  if (name === 'ChromaNotFoundError') return gone(place, error)
  if (name === 'ChromaRateLimitError') return failed(place, message, { ...known, status: TOO_MANY })
  if (name === 'ChromaQuotaExceededError' || name === 'ChromaUniqueError') return failed(place, message, known)
  if (name === 'ChromaClientError') return badRequest(place, message.replace(/^.* with status: /s, ''), error)
  if (name === 'ChromaServerError' && message.startsWith(`${TOO_LONG}`)) {
    return failed(place, message, { ...known, status: TOO_LONG })
  }
  if (name === 'ChromaServerError') return failed(place, message, { isUnknown: isWrite, cause: error })
  // An answer that is none: the request had been sent.
  return failed(place, `its answer can't be read (${message})`, { isUnknown: isWrite, cause: error })
}

/** A collection that was there once, or is of another client's making. */
function gone(place: ServerPlace, cause: unknown): KeepsakeError {
  return new KeepsakeError('NOT_FOUND', `${addressOf(place)}: what was asked for is not there any more`, {
    hint: 'Somebody may have removed the collections of this memory.',
    data: factsOf(place),
    cause,
  })
}

function badRequest(place: ServerPlace, words: string, cause: unknown): KeepsakeError {
  const [, there, given] = /dimension of (\d+), got (\d+)/.exec(words) ?? []
  if (there === undefined || given === undefined) return failed(place, words, { isUnknown: false, cause })
  const message = `vector: has ${given} dimensions, and those at ${addressOf(place)} have ${there}`
  return new KeepsakeError('INVALID', message, {
    hint: 'They are of different models: set embedding_model as it was, or make them anew with: keepsake embed --anew',
    data: { field: 'vector', ...factsOf(place), dimensions: Number(given), there: Number(there) },
    cause,
  })
}

interface Failure {
  readonly isUnknown: boolean
  readonly status?: number
  readonly cause?: unknown
}

function failed(place: ServerPlace, words: string, { isUnknown, status, cause }: Failure): KeepsakeError {
  const said = words.length > WORDS ? `${words.slice(0, WORDS)}…` : words
  return new KeepsakeError('IO', `${addressOf(place)} failed: ${said}`, {
    hint: `${adviceFor(status)} ${KEPT}`,
    data: { ...factsOf(place), ...(status === undefined ? {} : { status }), ...(isUnknown ? { unknown: true } : {}) },
    cause,
  })
}

function adviceFor(status: number | undefined): string {
  if (status === TOO_MANY) return 'Wait a little, or ask for a higher limit on this server.'
  if (status === TOO_LONG)
    return 'Write less at once, or let the server (or what stands before it) take 8 MB in one request.'
  return 'See what the server says in its log, and try again.'
}

function factsOf(place: ServerPlace): { readonly address: string } {
  return { address: addressOf(place) }
}
