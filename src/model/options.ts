/** Options as they are given: a program in JavaScript may give anything, and what is not understood must not look as if it were. */
import { InvalidError } from '../errors.ts'

export function requireOptions(options: unknown): void {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return
  throw new InvalidError(
    'options',
    `${JSON.stringify(options) ?? String(options)} is no object`,
    'an object of options',
  )
}

export function requireList(value: unknown, field: string): void {
  if (value === undefined || Array.isArray(value)) return
  throw new InvalidError(field, `${JSON.stringify(value) ?? String(value)} is not a list`, 'a list')
}
