/** Times as other programs write them: ISO with a zone, without one, a bare day, or seconds since 1970. What is none is absent. */
import { addDays, instant, instantOfLocal, isDay, parseInstant, startOfDay } from '../model/time.ts'

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?$/
/** Seconds reach this in the year 5138, milliseconds did in 1973. */
const FIRST_MILLISECONDS = 1e11

export function foreignTime(value: unknown, zone: string): string | undefined {
  if (typeof value === 'number') return ofNumber(value)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const whole = parseInstant(text)
  if (whole !== undefined) return whole
  const [, day = text, hour = '00', minute = '00', second = '0', fraction = ''] = LOCAL_TIME.exec(text) ?? []
  if (!isDay(day)) return undefined
  const ms = Number(second) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
  return parseInstant(instant(Date.parse(instantOfLocal(day, `${hour}:${minute}`, zone)) + ms))
}

/** When something ends: what is good until a day is so until the end of it. */
export function foreignEnd(value: unknown, zone: string): string | undefined {
  if (typeof value !== 'string' || !isDay(value.trim())) return foreignTime(value, zone)
  return parseInstant(startOfDay(addDays(value.trim(), 1), zone))
}

/** `createdAt` and `updatedAt`, as far as they are known; nothing is updated before it was made. */
export function times(
  created: string | undefined,
  updated: string | undefined,
): { readonly createdAt?: string; readonly updatedAt?: string } {
  const createdAt = created ?? updated
  if (createdAt === undefined) return {}
  return { createdAt, updatedAt: updated !== undefined && updated > createdAt ? updated : createdAt }
}

function ofNumber(value: number): string | undefined {
  const ms = Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? parseInstant(instant(ms)) : undefined
}
