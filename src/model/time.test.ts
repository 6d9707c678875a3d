import { describe, expect, it } from 'vitest'
import { InvalidError } from '../errors.ts'
import { seededRandom } from '../testing/random.ts'
import {
  addDays,
  instant,
  instantOfLocal,
  isDay,
  localTime,
  parseInstant,
  parseZone,
  startOfDay,
  startOfNextDay,
  systemZone,
} from './time.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
]
const MINUTE = 60_000

describe('parseInstant', () => {
  it.each([
    ['2026-11-15T14:03:00.123Z', '2026-11-15T14:03:00.123Z'],
    ['2026-11-15T14:03:00Z', '2026-11-15T14:03:00.000Z'],
    ['2026-11-15T14:03Z', '2026-11-15T14:03:00.000Z'],
    ['2026-11-15T14:03:00.1Z', '2026-11-15T14:03:00.100Z'],
    ['2026-11-15T14:03:00.123456789Z', '2026-11-15T14:03:00.123Z'],
    ['2026-11-15t14:03:00z', '2026-11-15T14:03:00.000Z'],
    ['2026-11-15 14:03:00Z', '2026-11-15T14:03:00.000Z'],
    ['2026-11-15 14:03:00.987654321+01:00', '2026-11-15T13:03:00.987Z'],
    ['2026-11-15T14:03:00+05:30', '2026-11-15T08:33:00.000Z'],
    ['2026-11-15T14:03:00+0530', '2026-11-15T08:33:00.000Z'],
    ['2026-11-15T14:03-0800', '2026-11-15T22:03:00.000Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
  ])('reads %j', (given, at) => {
    expect(parseInstant(given)).toBe(at)
  })

  it.each([
    ['a day alone', '2026-11-15'],
    ['a time without a zone', '2026-11-15T14:03:00'],
    ['a day that is not', '2026-02-30T00:00:00Z'],
    ['a leap day in a common year', '2026-02-29 10:00:00Z'],
    ['a day that is not, with an offset', '2026-04-31T10:00:00+02:00'],
    ['a thirteenth month', '2026-13-01T00:00:00Z'],
    ['an hour that is not', '2026-01-01T25:00:00Z'],
    ['a minute that is not', '2026-01-01T10:60:00Z'],
    ['an offset that is not', '2026-01-01T10:00:00+99:99'],
    ['words', 'tomorrow'],
    ['a date in words', 'Sun Nov 15 2026 14:03:00 GMT'],
    ['nothing', ''],
    ['blanks around', ' 2026-11-15T14:03:00Z'],
    ['a year that would not sort, late', '9999-12-31T23:59:59-14:00'],
    ['a year of fewer digits', '0001-01-01T00:00:00Z'],
    ['a year that is read as 1950', '0050-01-01 00:00:00Z'],
    ['an invalid Date', new Date(Number.NaN)],
    ['a Date beyond four digits', new Date(8.64e15)],
    ['a number', 0],
    ['null', null],
    ['undefined', undefined],
  ])('refuses %s', (_, given) => {
    expect(parseInstant(given)).toBeUndefined()
  })

  it('gives texts that sort as the times do', () => {
    const random = seededRandom(1)
    const times = Array.from({ length: 500 }, () => random.int(2 ** 31) * 100 * (random.chance(2) ? 1 : -1))
    const texts = times.map(instant)
    expect([...texts].sort()).toEqual([...times].sort((a, b) => a - b).map(instant))
    for (const text of texts) expect(parseInstant(text)).toBe(text)
  })
})

describe('parseZone', () => {
  it('takes IANA names and UTC', () => {
    for (const zone of ZONES) expect(parseZone(zone)).toBe(zone)
    expect(parseZone(systemZone())).toBe(systemZone())
  })

  it.each(['', 'Mars/Olympus', 'Berlin', ' ', '../UTC', null, undefined, 7])('refuses %j', (zone) => {
    expect(() => parseZone(zone)).toThrow(InvalidError)
  })
})

describe('localTime', () => {
  it.each([
    ['2026-11-15T00:00:00.000Z', 'UTC', '2026-11-15', '00:00'],
    ['2026-11-14T23:59:59.999Z', 'UTC', '2026-11-14', '23:59'],
    ['2026-11-14T23:00:00.000Z', 'Europe/Berlin', '2026-11-15', '00:00'],
    ['2026-11-14T22:59:59.999Z', 'Europe/Berlin', '2026-11-14', '23:59'],
    ['2026-03-29T00:59:59.999Z', 'Europe/Berlin', '2026-03-29', '01:59'],
    ['2026-03-29T01:00:00.000Z', 'Europe/Berlin', '2026-03-29', '03:00'],
    ['2026-10-25T00:30:00.000Z', 'Europe/Berlin', '2026-10-25', '02:30'],
    ['2026-10-25T01:30:00.000Z', 'Europe/Berlin', '2026-10-25', '02:30'],
    ['2026-01-01T04:59:00.000Z', 'America/New_York', '2025-12-31', '23:59'],
    ['2026-01-01T05:00:00.000Z', 'America/New_York', '2026-01-01', '00:00'],
    ['2025-12-31T10:00:00.000Z', 'Pacific/Kiritimati', '2026-01-01', '00:00'],
    ['2026-11-15T18:30:00.000Z', 'Asia/Kolkata', '2026-11-16', '00:00'],
    ['2011-12-30T09:59:59.999Z', 'Pacific/Apia', '2011-12-29', '23:59'],
    ['2011-12-30T10:00:00.000Z', 'Pacific/Apia', '2011-12-31', '00:00'],
  ])('shows %s in %s as %s %s', (at, zone, day, time) => {
    expect(localTime(at, zone)).toEqual({ day, time })
  })
})

describe('instantOfLocal', () => {
  it.each([
    ['a plain time', '2026-11-15', '14:03', 'Europe/Berlin', '2026-11-15T13:03:00.000Z'],
    [
      'a time that spring skips: the first after it',
      '2026-03-29',
      '02:30',
      'Europe/Berlin',
      '2026-03-29T01:00:00.000Z',
    ],
    ['the first minute skipped', '2026-03-29', '02:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['the first minute after', '2026-03-29', '03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['a time that autumn has twice: the earlier', '2026-10-25', '02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['spring in New York', '2026-03-08', '02:30', 'America/New_York', '2026-03-08T07:00:00.000Z'],
    ['autumn in New York', '2026-11-01', '01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['half an hour of spring', '2026-10-04', '02:15', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    ['half an hour of autumn', '2026-04-05', '01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
    ['half an hour off', '2026-11-15', '00:00', 'Asia/Kolkata', '2026-11-14T18:30:00.000Z'],
    ['the far east', '2026-01-01', '00:00', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z'],
    ['the day that Samoa skipped', '2011-12-30', '15:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('finds %s', (_, day, time, zone, at) => {
    expect(instantOfLocal(day, time, zone)).toBe(at)
  })

  it.each(ZONES)('finds back what localTime shows, the earlier of two, in %s', (zone) => {
    const random = seededRandom(7)
    for (let n = 0; n < 400; n++) {
      // Half of them within a day of a clock change in Europe or America, where it is hard.
      const near = random.pick(['2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-04-05', '2018-11-04'])
      const any = Date.parse('1972-01-01T00:00:00Z') + random.int(65 * 365) * 86_400_000
      const ms = (random.chance(2) ? Date.parse(near) : any) + random.int(2 * 86_400_000) - 43_200_000
      const shown = localTime(instant(ms), zone)
      const found = instantOfLocal(shown.day, shown.time, zone)
      expect(localTime(found, zone)).toEqual(shown)
      const earlier = ms - Date.parse(found)
      expect(earlier).toBeGreaterThanOrEqual(0)
      expect(earlier).toBeLessThan(61 * MINUTE)
    }
  })
})

describe('startOfDay', () => {
  it.each([
    ['2026-11-15', 'UTC', '2026-11-15T00:00:00.000Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('of %s in %s is %s', (day, zone, at) => {
    expect(startOfDay(day, zone)).toBe(at)
  })

  it('shows 01:00 where midnight is skipped', () => {
    expect(localTime(startOfDay('2018-11-04', 'America/Sao_Paulo'), 'America/Sao_Paulo').time).toBe('01:00')
  })

  it.each(ZONES)('is the first instant of each day in %s', (zone) => {
    for (let day = '2011-12-20'; day < '2012-01-10'; day = addDays(day, 1)) checkStart(day, zone)
    for (let day = '2018-10-25'; day < '2018-11-10'; day = addDays(day, 1)) checkStart(day, zone)
    for (let day = '2026-01-01'; day < '2027-01-02'; day = addDays(day, 3)) checkStart(day, zone)
  })

  function checkStart(day: string, zone: string): void {
    const start = Date.parse(startOfDay(day, zone))
    expect(localTime(instant(start - 1), zone).day < day).toBe(true)
    expect(localTime(instant(start), zone).day >= day).toBe(true)
  }
})

describe('startOfNextDay', () => {
  it.each([
    ['2026-11-15T22:59:59.999Z', 'Europe/Berlin', '2026-11-15T23:00:00.000Z'],
    ['2026-11-15T23:00:00.000Z', 'Europe/Berlin', '2026-11-16T23:00:00.000Z'],
    ['2026-12-31T12:00:00.000Z', 'UTC', '2027-01-01T00:00:00.000Z'],
    ['2018-11-03T15:00:00.000Z', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2011-12-30T09:00:00.000Z', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2026-11-15T20:00:00.000Z', 'America/New_York', '2026-11-16T05:00:00.000Z'],
  ])('after %s in %s is %s', (at, zone, next) => {
    expect(startOfNextDay(at, zone)).toBe(next)
  })
})

describe('isDay and addDays', () => {
  it('knows the days of the calendar', () => {
    for (const day of ['2026-11-15', '2024-02-29', '2000-02-29', '1999-12-31']) expect(isDay(day)).toBe(true)
    for (const day of [
      '2026-02-29',
      '1900-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-1-1',
      '2026-11-15 ',
      '',
      'today',
    ]) {
      expect(isDay(day)).toBe(false)
    }
  })

  it('counts over months, years and leap days, both ways', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
    expect(addDays('2024-03-01', -1)).toBe('2024-02-29')
    expect(addDays('2026-03-29', 0)).toBe('2026-03-29')
    expect(addDays(addDays('2026-11-15', -1000), 1000)).toBe('2026-11-15')
  })
})
