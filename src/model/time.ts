/**
 * Instants and calendar days. An instant is an ISO-8601 string in UTC with milliseconds and `Z`; a day, a month and a
 * time of day are taken in one zone. Nothing here reads a clock.
 */
import { InvalidError } from '../errors.ts'

export interface LocalTime {
  /** `2026-11-15` */
  readonly day: string
  /** `14:03` */
  readonly time: string
}

const FIRST_MS = Date.parse('1000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

const DAY_MS = 86_400_000

const WHOLE_MINUTE_ZONES_MS = Date.UTC(1973, 0)

let lastLocal: { readonly minute: number; readonly zone: string; readonly local: LocalTime } | undefined
const formatters = new Map<string, Intl.DateTimeFormat>()

export function instant(ms: number): string {
  return new Date(ms).toISOString()
}

/**
 * Reads an ISO time; `undefined` when it is none. A time without a zone is refused: it has no one meaning. So is a year
 * that is not from 1000 to 9999: its text would not sort as times do, and its days would have other names.
 */
export function parseInstant(text: unknown): string | undefined {
  if (text instanceof Date) return inFourDigits(text.getTime())
  if (typeof text !== 'string') return undefined
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/i.test(text)) return undefined
  const at = inFourDigits(Date.parse(text.replace(' ', 'T')))
  // Date.parse takes 30 February for 2 March.
  return at === text || isDay(text.slice(0, 10)) ? at : undefined
}

function inFourDigits(ms: number): string | undefined {
  return ms >= FIRST_MS && ms <= LAST_MS ? instant(ms) : undefined
}

const ZONE_HINT = 'an IANA name such as Europe/Berlin, or UTC'

/** A zone that exists. Asking Intl for the first time costs more than most commands, so files are checked by shape alone. */
export function parseZone(zone: unknown): string {
  if (!isZoneShaped(zone)) throw new InvalidError('timezone', `"${String(zone)}" is not a time zone`, ZONE_HINT)
  formatter(zone)
  return zone
}

export function isZoneShaped(zone: unknown): zone is string {
  return typeof zone === 'string' && /^[A-Za-z0-9+][\w+:-]*(\/[\w+-]+)*$/.test(zone)
}

export function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

export function localTime(at: string, zone: string): LocalTime {
  const ms = Date.parse(at)
  const minute = Math.floor(ms / 60_000)
  if (lastLocal?.minute === minute && lastLocal.zone === zone) return lastLocal.local
  const parts = fields(ms, zone)
  const local = { day: `${parts.year}-${parts.month}-${parts.day}`, time: `${parts.hour}:${parts.minute}` }
  // Writes come in runs, and asking Intl is the dearest step of one. Until 1972 some zones were off by odd seconds.
  if (ms > WHOLE_MINUTE_ZONES_MS) lastLocal = { minute, zone, local }
  return local
}

export function isDay(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (!match) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** The day `count` days after `day` (before, when negative), by the calendar alone. */
export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** The first instant of a day in a zone, also where a clock change skips midnight. */
export function startOfDay(day: string, zone: string): string {
  return instantOfLocal(day, '00:00', zone)
}

/** The instant at which a zone's clocks show this; the earlier one of two, the next one of none. */
export function instantOfLocal(day: string, time: string, zone: string): string {
  const wanted = Date.parse(`${day}T${time}:00Z`)
  // A zone is at most 14 hours from UTC: try the offsets in force around that moment, the earliest instant first.
  const offsets = [wanted - DAY_MS, wanted, wanted + DAY_MS].map((ms) => offsetMs(ms, zone))
  const candidates = [...new Set(offsets.map((offset) => wanted - offset))].sort((a, b) => a - b)
  for (const ms of candidates) if (ms + offsetMs(ms, zone) === wanted) return instant(ms)
  // The clocks skip it (spring): the first instant after the gap, found by bisection between before and after.
  let [before, after] = [Math.min(...candidates), Math.max(...candidates)]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (middle + offsetMs(middle, zone) < wanted) before = middle
    else after = middle
  }
  return instant(after)
}

/** After `at`, also where the clocks go back over midnight and a day begins twice. */
export function startOfNextDay(at: string, zone: string): string {
  const start = startOfDay(addDays(localTime(at, zone).day, 1), zone)
  if (start > at) return start
  let [before, after] = [Date.parse(at), Date.parse(at) + DAY_MS]
  const { day } = localTime(at, zone)
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (localTime(instant(middle), zone).day === day) before = middle
    else after = middle
  }
  return instant(after)
}

function offsetMs(ms: number, zone: string): number {
  const parts = fields(ms, zone)
  const local = Date.UTC(
    Number(parts.year),
    Number(parts.month) - 1,
    Number(parts.day),
    Number(parts.hour),
    Number(parts.minute),
    Number(parts.second),
  )
  return local - Math.floor(ms / 1000) * 1000
}

interface Fields {
  year: string
  month: string
  day: string
  hour: string
  minute: string
  second: string
}

function fields(ms: number, zone: string): Fields {
  if (zone === 'UTC') return fieldsOfUtc(ms)
  const out: Fields = { year: '', month: '', day: '', hour: '', minute: '', second: '' }
  for (const part of formatter(zone).formatToParts(ms)) {
    if (part.type in out) out[part.type as keyof Fields] = part.value // `in` has just proved the key
  }
  return out
}

/** Many servers run on UTC, and making a formatter takes longer than all else that a command does. */
function fieldsOfUtc(ms: number): Fields {
  const [day = '', time = ''] = new Date(ms).toISOString().split('T')
  const year = day.slice(0, -6)
  return {
    year,
    month: day.slice(-5, -3),
    day: day.slice(-2),
    hour: time.slice(0, 2),
    minute: time.slice(3, 5),
    second: time.slice(6, 8),
  }
}

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone)
  if (known) return known
  const made = newFormatter(zone)
  formatters.set(zone, made)
  return made
}

function newFormatter(zone: string): Intl.DateTimeFormat {
  const twoDigits = '2-digit' as const
  try {
    return new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: twoDigits,
      day: twoDigits,
      hour: twoDigits,
      minute: twoDigits,
      second: twoDigits,
    })
  } catch {
    throw new InvalidError('timezone', `"${zone}" is not a time zone`, ZONE_HINT)
  }
}

/** An instant that someone gave; an error that names the field when it is none. */
export function requireInstant(value: unknown, field: string): string {
  const at = parseInstant(value)
  if (at === undefined) throw new InvalidError(field, `"${String(value)}" is not a time`, 'ISO-8601 with a zone')
  return at
}
