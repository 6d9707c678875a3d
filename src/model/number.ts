/** Numbers from outside. Models send "3" where they mean 3, so text that is a number is taken; nothing else is. */
import { InvalidError } from '../errors.ts'

/** What a timer of the system can wait: longer ones end at once. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** What `max_memory_size` may be at most: more than any model reads. */
export const LARGEST_MEMORY_BYTES = 16_777_216

export function wholeNumber(value: unknown, field: string, least: number, most: number): number {
  const allowed = `a whole number from ${least} to ${most}`
  const number = typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || number < least || number > most) {
    throw new InvalidError(field, `${JSON.stringify(value) ?? 'undefined'} is not allowed`, allowed)
  }
  return number
}
