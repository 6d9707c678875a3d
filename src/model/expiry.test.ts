import { describe, expect, it } from 'vitest'
import { InvalidError } from '../errors.ts'
import { defaultExpiry, isExpired, parseTtl } from './expiry.ts'
import { KIND_NAMES } from './kinds.ts'
import { instant } from './time.ts'

const AT = '2026-11-15T14:03:00.000Z'

describe('isExpired', () => {
  it('begins at the very instant, not before', () => {
    expect(isExpired({ expiresAt: AT }, '2026-11-15T14:02:59.999Z')).toBe(false)
    expect(isExpired({ expiresAt: AT }, AT)).toBe(true)
    expect(isExpired({ expiresAt: AT }, '2026-11-15T14:03:00.001Z')).toBe(true)
  })

  it('never begins for what has no expiry', () => {
    expect(isExpired({ expiresAt: null }, '9999-12-31T23:59:59.999Z')).toBe(false)
  })
})

describe('defaultExpiry', () => {
  it('gives a conversation 30 days to the millisecond, also over a clock change', () => {
    expect(defaultExpiry('conversation', AT, 'Europe/Berlin')).toBe('2026-12-15T14:03:00.000Z')
    expect(defaultExpiry('conversation', '2026-03-01T12:00:00.001Z', 'Europe/Berlin')).toBe('2026-03-31T12:00:00.001Z')
  })

  it.each([
    ['UTC', '2026-11-16T00:00:00.000Z'],
    ['Europe/Berlin', '2026-11-15T23:00:00.000Z'],
    ['America/Los_Angeles', '2026-11-16T08:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-11-16T10:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-15T18:30:00.000Z'],
  ])('ends a context with the day in %s', (zone, end) => {
    expect(defaultExpiry('context', AT, zone)).toBe(end)
  })

  it('gives a context that is made at midnight the whole day', () => {
    expect(defaultExpiry('context', '2026-11-14T23:00:00.000Z', 'Europe/Berlin')).toBe('2026-11-15T23:00:00.000Z')
  })

  it('lets every other kind live for ever', () => {
    const mortal = KIND_NAMES.filter((kind) => defaultExpiry(kind, AT, 'UTC') !== null)
    expect(mortal).toEqual(['conversation', 'context'])
  })
})

describe('parseTtl', () => {
  it.each([
    ['30d', 2_592_000_000],
    ['12h', 43_200_000],
    ['90m', 5_400_000],
    ['45s', 45_000],
    [' 1d ', 86_400_000],
  ])('reads %j', (given, ms) => {
    expect(parseTtl(given)).toBe(ms)
  })

  it.each(['', '0d', '-1d', '1.5h', '30', 'd', '1w', '1D', '30 d', '1h30m', '1e3s', '９d', 30, null, undefined])(
    'refuses %j',
    (given) => {
      expect(() => parseTtl(given)).toThrow(InvalidError)
    },
  )

  it('refuses a life so long that its end could not be written as a time', () => {
    for (const ttl of ['999999999d', '999999999h', '9999999d']) expect(() => parseTtl(ttl)).toThrow(InvalidError)
    const end = instant(Date.parse(AT) + parseTtl('365000d'))
    expect(isExpired({ expiresAt: end }, AT)).toBe(false)
  })
})
