/** One table from the code of an error to the status of an answer, and the error as a client of the API reads it. */
import { type ErrorCode, isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { Refusal } from '../http/part.ts'
import type { Store } from '../ports/store.ts'
import type { Failure } from './contract.ts'

const STATUS: Readonly<Record<ErrorCode, number>> = {
  INVALID: 400,
  NOT_FOUND: 404,
  NAME_TAKEN: 409,
  CONFLICT: 409,
  LOCKED: 503,
  READ_ONLY: 403,
  IO: 500,
  DAMAGED: 500,
  FOREIGN: 409,
  NEWER: 500,
  UNSUPPORTED: 501,
  CLOSED: 503,
  NO_MODEL: 400,
  NO_EMBEDDINGS: 400,
  MODEL: 502,
  TIMEOUT: 504,
}

/** A message may quote what was sent. */
const MOST_CHARACTERS = 1000

/** `undefined`: it is no error of ours, and what it says is nobody's business. */
export async function failureOf(
  error: unknown,
  store: Store,
): Promise<{ readonly status: number; readonly failure: Failure } | undefined> {
  if (!isKeepsakeError(error)) return undefined
  const { code, message, hint, data } = error
  const { id, later } = data
  const current = code === 'CONFLICT' && typeof id === 'string' ? await store.get(id).catch(() => undefined) : undefined
  return {
    status: STATUS[code],
    failure: {
      error: {
        code,
        message: message.length <= MOST_CHARACTERS ? message : `${message.slice(0, MOST_CHARACTERS)}…`,
        ...(hint === undefined ? {} : { hint }),
        ...(current === undefined ? {} : { current }),
        ...(Array.isArray(later) ? { later } : {}),
      },
    },
  }
}

/** Of what the guard refused: it has no code of the library's. */
const CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  500: 'INTERNAL',
}

export function refusalText({ status, message }: Refusal): string {
  const failure: Failure = { error: { code: CODES[status] ?? 'INVALID', message } }
  return JSON.stringify(failure)
}

export class NoSampleError extends KeepsakeError {
  constructor() {
    super('UNSUPPORTED', 'this workspace is not the sample, and is not removed from here', {
      hint: 'It is a folder or a file of yours: remove it yourself, if you mean it.',
    })
  }
}
