/** Errors of a Chroma server: each names the address and the cause, and never the token. */
import { type ErrorCode, type ErrorFacts, KeepsakeError } from '../../errors.ts'
import { addressOf, type ServerPlace } from '../../model/server-address.ts'

const SAFE = 'What was acknowledged is kept there.'
const MAX_MESSAGE_LENGTH = 300
const ADVICE: Readonly<Record<number, string>> = {
  413: 'Write less at once, or let the server accept larger requests.',
  429: 'Wait a little, or ask for a higher limit on this server.',
}

/** `problem`: with `%s` for the address. */
export function serverError(place: ServerPlace, code: ErrorCode, problem: string, facts: ErrorFacts): KeepsakeError {
  const address = addressOf(place)
  const message = problem.replace('%s', () => address)
  return new KeepsakeError(code, message, { ...facts, data: { address, ...facts.data } })
}

/** `isWrite`: the server may have done the write or not. */
export function unreachableError(place: ServerPlace, cause: unknown, isWrite: boolean): KeepsakeError {
  const hint = `Is the server running, and is the address right? ${SAFE}`
  const data = { isReached: false, ...(isWrite ? { unknown: true } : {}) }
  return serverError(place, 'IO', `%s can't be reached: ${readReason(cause)}`, { hint, data, cause })
}

export function timeoutError(place: ServerPlace, timeoutMs: number, isWrite: boolean): KeepsakeError {
  const check = isWrite ? 'It may have been written: read before you write it again. ' : ''
  const hint = `${check}Try again later, or allow more time with server_timeout. ${SAFE}`
  const data = { timeoutMs, ...(isWrite ? { unknown: true } : {}) }
  return serverError(place, 'TIMEOUT', `%s did not answer within ${timeoutMs} ms`, { hint, data })
}

export function tenantError(place: ServerPlace): KeepsakeError {
  const hint = `Use a tenant that exists, or create this one on the server. Nothing was changed.`
  const problem = `tenant: %s has no tenant "${place.tenant}"`
  return serverError(place, 'INVALID', problem, { hint, data: { field: 'tenant' } })
}

export function notChromaError(place: ServerPlace, problem: string): KeepsakeError {
  const hint = `Is the address right? Keepsake needs a server with the API v2 of Chroma 1. Nothing was changed.`
  return serverError(place, 'UNSUPPORTED', `%s is not a Chroma 1 server: ${problem}`, { hint })
}

export function partialError(error: unknown, written: number, all: number): unknown {
  if (!(error instanceof KeepsakeError)) return error
  const hint = 'A Chroma server has no transactions: the first records were written. Write the rest again.'
  const message = `${error.message}; ${written} of ${all} records were written`
  return new KeepsakeError(error.code, message, { hint, data: { ...error.data, written }, cause: error })
}

export function refusedError(place: ServerPlace, status: number, message: string): KeepsakeError {
  if (status === 401 || status === 403) {
    const refusal = place.token === undefined ? 'requires a token, and none is set' : 'does not accept the token'
    const problem = status === 401 ? refusal : `does not allow this in the database "${place.database}"`
    const hint = `Set the token of the tenant "${place.tenant}". Nothing was changed.`
    return serverError(place, 'INVALID', `token: %s ${problem}`, { hint, data: { field: 'token' } })
  }
  const hint = `${ADVICE[status] ?? "See the server's log, and try again."} ${SAFE}`
  const short = message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message
  return serverError(place, 'IO', `%s failed: ${short}`, { hint, data: { status } })
}

/** fetch hides the reason in `cause`. */
function readReason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause ? String(cause.code) : undefined
  return code?.startsWith('ERR_SSL_') ? `it does not use TLS (${code})` : cause.message || (code ?? cause.name)
}
