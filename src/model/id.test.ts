import { describe, expect, it } from 'vitest'
import { derivedId, isId, newId, timeOfId } from './id.ts'

/** Past every real clock, so that this file's ids follow on each other whatever made ids before. */
const FAR = Date.parse('2100-01-01T00:00:00Z')
const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('newId', () => {
  it('is a UUIDv7 of the given millisecond', () => {
    const id = newId(FAR)
    expect(id).toMatch(V7)
    expect(timeOfId(id)).toBe(FAR)
  })

  it('sorts after all ids before it: within a millisecond, over one, and when the clock goes back', () => {
    const times = [FAR + 1, FAR + 1, FAR + 2, FAR - 1_000_000, 0, FAR + 2, FAR + 3]
    let last = newId(FAR + 1)
    for (const time of times) {
      const id = newId(time)
      expect(id > last).toBe(true)
      last = id
    }
    expect(timeOfId(last)).toBe(FAR + 3)
  })

  it('stays in order and different for more ids than a millisecond has room for', () => {
    const ids = Array.from({ length: 20_000 }, () => newId(FAR + 10))
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !V7.test(id))).toEqual([])
    // It borrowed from the milliseconds to come, which it gives back when the clock is past them.
    expect(timeOfId(ids.at(-1) ?? '')).toBeLessThan(FAR + 20)
    expect(timeOfId(newId(FAR + 1000))).toBe(FAR + 1000)
  })

  it('takes a clock with fractions of a millisecond', () => {
    expect(timeOfId(newId(FAR + 2000.75))).toBe(FAR + 2000)
    const ids = Array.from({ length: 50 }, (_, n) => newId(FAR + 3000 + n / 100))
    expect([...ids].sort()).toEqual(ids)
  })
})

describe('derivedId', () => {
  it('is the same everywhere and for ever', () => {
    expect(derivedId('main', 'MEMORY.md')).toBe('b44603ec-c476-8410-9edd-da4bb866ab25')
  })

  it('differs by scope and by path, and does not confuse where one ends', () => {
    const ids = [
      derivedId('a', 'b'),
      derivedId('a', 'c'),
      derivedId('b', 'a'),
      derivedId('ab', ''),
      derivedId('', 'ab'),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is an id, but never one of those that carry a time', () => {
    for (let n = 0; n < 200; n++) {
      const id = derivedId('world', `world/${n}.md`)
      expect(isId(id)).toBe(true)
      expect(id).toMatch(/^.{14}8.{4}[89ab]/)
      expect(timeOfId(id)).toBeUndefined()
    }
  })
})

describe('isId and timeOfId', () => {
  it('know the lower-case form only', () => {
    expect(isId('01930000-0000-7000-8000-000000000001')).toBe(true)
    for (const text of [
      '',
      'x',
      '01930000-0000-7000-8000-00000000000',
      '01930000-0000-7000-8000-00000000000A',
      7,
      null,
    ]) {
      expect(isId(text)).toBe(false)
    }
    expect(isId('01930000-0000-7000-8000-000000000001\n')).toBe(false)
  })

  it('read the time of a UUIDv7 alone', () => {
    expect(timeOfId('01930000-0000-7000-8000-000000000001')).toBe(0x019300000000)
    expect(timeOfId('01930000-0000-4000-8000-000000000001')).toBeUndefined()
    expect(timeOfId('no id')).toBeUndefined()
  })
})
