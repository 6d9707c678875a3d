/** When entries end: one predicate for every reader, and the lives that kinds and people give them. */
import { InvalidError } from '../errors.ts'
import type { EntryHead } from './entry.ts'
import { KINDS, type Kind } from './kinds.ts'
import { instant, startOfNextDay } from './time.ts'

// A thousand years: beyond the year 9999 times would no longer sort as text.
const MAX_TTL_DAYS = 365_000
const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const

export function isExpired(entry: Pick<EntryHead, 'expiresAt'>, now: string): boolean {
  return entry.expiresAt !== null && now >= entry.expiresAt
}

/** The same for who keeps times as numbers: `endMs` of an entry, and the moment it is looked at. */
export function hasEnded(ends: number, nowMs: number): boolean {
  return nowMs >= ends
}

export function endMs({ expiresAt }: Pick<EntryHead, 'expiresAt'>): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt)
}

export function defaultExpiry(kind: Kind, createdAt: string, zone: string): string | null {
  const rule = KINDS[kind].expires
  if (rule === 'never') return null
  if (rule === 'day-end') return startOfNextDay(createdAt, zone)
  return instant(Date.parse(createdAt) + rule.days * UNIT_MS.d)
}

/** `30d`, `12h`, `90m`, `45s` as milliseconds. */
export function parseTtl(value: unknown): number {
  const match = typeof value === 'string' ? /^([1-9]\d{0,8})([dhms])$/.exec(value.trim()) : null
  if (!match) throw new InvalidError('ttl', `"${String(value)}" is not a duration`, '30d, 12h, 90m or 45s')
  const ms = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] // the pattern allows just these letters
  if (ms > MAX_TTL_DAYS * UNIT_MS.d) throw new InvalidError('ttl', 'is too long', `at most ${MAX_TTL_DAYS}d`)
  return ms
}
