/** A write that came too late, told in the words of who wrote: what it is called, not its id, and how to read it again. */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'

/** Any other error as it is. */
export function inWords(error: unknown, label: string): unknown {
  if (!isKeepsakeError(error) || error.code !== 'CONFLICT') return error
  const { expected = null, actual = null } = error.data
  if (actual === null) {
    return conflict(error, `${label} is not there; revision ${String(expected)} was expected`, GONE)
  }
  const message =
    expected === null
      ? `${label} exists already, at revision ${String(actual)}`
      : `${label} is at revision ${String(actual)}, not ${String(expected)}`
  return conflict(error, message, CHANGED)
}

const CHANGED =
  'Read it again: the same call without content and expect gives its text and revision. Merge, and write with that revision.'
const GONE = 'To write it anew: the same call with expect "new".'

function conflict(cause: KeepsakeError, message: string, hint: string): KeepsakeError {
  return new KeepsakeError('CONFLICT', message, { hint, data: cause.data, cause })
}
