/**
 * Errors after which nobody knows whether a write was done, or still will be: they say `unknown: true` in their data. Every other error of a
 * write is certain that nothing was done.
 */
import { isKeepsakeError, KeepsakeError } from '../../../errors.ts'

export function isUnknown(error: unknown): error is KeepsakeError {
  return isKeepsakeError(error) && error.data['unknown'] === true
}

/** The same error, by who knows better. */
export function withOutcome(error: KeepsakeError, { unknown }: { readonly unknown: boolean }): KeepsakeError {
  const { code, message, hint, data } = error
  return new KeepsakeError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    data: { ...data, unknown },
    cause: error,
  })
}

/** `cause`: what kept from reading it back; `undefined` where the server took it and has it not. */
export function unknownOutcome(id: string, cause: unknown): KeepsakeError {
  const { code, message, data } = isKeepsakeError(cause)
    ? cause
    : { code: 'IO' as const, message: 'the server took it and did not give it back', data: {} }
  return new KeepsakeError(code, `whether record ${id} was written is not known: ${message}`, {
    hint: 'It is there whole or not at all. Read before you write it again, once the server answers.',
    data: { ...data, unknown: true },
    ...(cause === undefined ? {} : { cause }),
  })
}
