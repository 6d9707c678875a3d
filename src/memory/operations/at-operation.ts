/** An error of one operation among several, with the place of it: in the message for people, in `data` for programs. */
import { isKeepsakeError, KeepsakeError } from '../../errors.ts'

/** `data.operation`: counted from 0, as in the list. The error as it was is its cause. */
export function atOperation(error: unknown, index: number, of: number): unknown {
  if (!isKeepsakeError(error) || of === 1) return error
  return placed(error, `operation ${index + 1}`, index)
}

export function placed(error: KeepsakeError, place: string, index: number): KeepsakeError {
  const { code, message, hint, data } = error
  return new KeepsakeError(code, `${place}: ${message}`, {
    ...(hint === undefined ? {} : { hint }),
    data: { ...data, operation: index },
    cause: error,
  })
}
