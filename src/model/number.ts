/** Numbers from outside. Models send "3" where they mean 3, so text that is a number is taken; nothing else is. */
import { InvalidError } from '../errors.ts'

export function wholeNumber(value: unknown, field: string, least: number, most: number): number {
  const allowed = `a whole number from ${least} to ${most}`
  const number = typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || number < least || number > most) {
    throw new InvalidError(field, `${JSON.stringify(value) ?? 'undefined'} is not allowed`, allowed)
  }
  return number
}
