/** The error that a server tells in JSON, in whichever of the usual forms; also inside an answer that began as a success. */
import { isKeepable, isRecord, type JsonRecord, textOf } from './json-parts.ts'

export interface SaidError {
  readonly message: string
  /** `insufficient_quota`, `overloaded_error`, `503`. */
  readonly code?: string | undefined
}

/** `undefined`: it tells none. */
export function saidBy(value: unknown): SaidError | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (!isRecord(first)) return undefined
  // Some send an empty one with every answer.
  const error = first['error'] || (first['object'] === 'error' ? first : undefined)
  if (typeof error === 'string') return { message: error }
  if (isRecord(error)) {
    const code = [error['code'], error['type'], error['status']].find((each) => each !== null && each !== undefined)
    return { message: messageOf(error), code: codeText(code) }
  }
  const message = textOf(first['message']) ?? textOf(first['detail'])
  return message === undefined || 'choices' in first || 'content' in first ? undefined : { message }
}

function messageOf(error: JsonRecord): string {
  return textOf(error['message']) ?? (isKeepable(error) ? JSON.stringify(error) : "an error that can't be shown")
}

function codeText(code: unknown): string | undefined {
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined
}

const PASSING = /^(?:408|429|50[0234]|529)$|overloaded|rate_limit|server_error|api_error|unavailable|timeout/i

/** Whether trying again may help, by what is said alone. */
export function isPassingError({ code = '' }: SaidError): boolean {
  return PASSING.test(code)
}
