/**
 * Checks the options that a program passes. A JavaScript program may pass anything, so an unknown option is an error: a misspelled
 * one must not be ignored silently.
 */
import { InvalidError, KeepsakeError } from '../errors.ts'
import { nearest } from './nearest.ts'

/** The names of all options of a type. A table of this type fails to compile if it differs from the options. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>

export interface CallOptions {
  readonly signal?: AbortSignal
  /**
   * When the question was asked that this call is a part of, by `performance.now()`: what a store has looked at since then is as good
   * as a new look. Left out: this call is the question. Stores that look without a request do not mind it.
   */
  readonly askedAtMs?: number
}

export const CALL_OPTIONS: OptionNames<CallOptions> = { signal: true, askedAtMs: true }

/** Throws INVALID for an unknown option. `called`: the name of the function, for the error. */
export function requireOptions<T extends object>(options: T, called: string, known: OptionNames<NoInfer<T>>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const given = JSON.stringify(options) ?? String(options)
    throw new InvalidError('options', `${given} is not an object`, 'an object of options')
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const names = Object.keys(known)
  const near = nearest(unknown, names)
  throw new KeepsakeError('INVALID', `${called}: there is no option "${unknown}"`, {
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Allowed: ${names.join(', ')}.`,
    data: { field: unknown, near },
  })
}

export function requireList(value: unknown, field: string): void {
  if (value === undefined || Array.isArray(value)) return
  throw new InvalidError(field, `${JSON.stringify(value) ?? String(value)} is not a list`, 'a list')
}
