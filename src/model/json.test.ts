import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidError } from '../errors.ts'
import { canonicalJson, normalizeMetadata, normalizeRecord } from './json.ts'

describe('normalizeMetadata', () => {
  it('takes nothing for an empty object', () => {
    expect(normalizeMetadata(undefined)).toEqual({})
    expect(normalizeMetadata(null)).toEqual({})
  })

  it('copies, so that the caller can go on using its own', () => {
    const given = { list: [1, { a: 1 }], object: { b: 2 } }
    const copy = normalizeMetadata(given)
    expect(copy).toEqual(given)
    given.list.push(3)
    given.object.b = 3
    expect(copy).toEqual({ list: [1, { a: 1 }], object: { b: 2 } })
  })

  it('keeps a key "__proto__" as a key, and pollutes nothing', () => {
    const copy = normalizeMetadata(JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":1}}'))
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true},"a":{"__proto__":1}}')
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })

  it('keeps keys that our own fields have', () => {
    const given = { type: 'mine', created_at: 1, id: null, kind: [], constructor: 'x', hasOwnProperty: 1 }
    expect(normalizeMetadata(given)).toEqual(given)
  })

  it('leaves out what is undefined and turns -0 to 0', () => {
    const copy = normalizeMetadata({ a: undefined, b: -0 })
    expect(Object.keys(copy)).toEqual(['b'])
    expect(Object.is(Object.values(copy)[0], 0)).toBe(true)
  })

  it('takes objects without a prototype', () => {
    expect(normalizeMetadata(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
  })

  it.each<[string, unknown]>([
    ['text', 'x'],
    ['a number', 1],
    ['a list', [1]],
    ['a Date', new Date(0)],
    ['a Map', new Map([['a', 1]])],
    ['a function', () => 1],
    ['an instance', new (class A {})()],
  ])('refuses %s in place of an object', (_, given) => {
    expect(() => normalizeMetadata(given)).toThrow(InvalidError)
  })

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a Date', new Date(0)],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a bigint', 1n],
    ['a Map', new Map()],
    ['bytes', new Uint8Array(1)],
    ['an instance', new (class A {})()],
    ['a lone surrogate', '\ud800'],
    ['undefined in a list', [undefined]],
    ['a hole in a list', new Array(1)],
    ['a lone surrogate as a key', { '\ud800': 1 }],
    ['NUL', 'a\0'],
    ['NUL in a key', { 'a\0': 1 }],
  ])('refuses %s, naming where it is', (_, value) => {
    expect(() => normalizeMetadata({ a: [{ b: value }] })).toThrow(/^metadata\.a\[0\]\.b/)
  })

  it('refuses a circle, and what is nested too deeply, without falling over', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = { list: [circle] }
    expect(() => normalizeMetadata(circle)).toThrow(/nested too deeply/)
    expect(() => normalizeMetadata(nested(100_000))).toThrow(/nested too deeply/)
    expect(() => normalizeMetadata(nested(33))).toThrow(/nested too deeply/)
    expect(normalizeMetadata(nested(32))).toEqual(nested(32))
  })

  it('allows NUL in a session record, and refuses everything else', () => {
    expect(normalizeRecord({ text: 'a\0', 'k\0': 1 })).toEqual({ text: 'a\0', 'k\0': 1 })
    expect(() => normalizeRecord({ a: Number.NaN })).toThrow(InvalidError)
  })

  it('keeps any JSON object as JSON would', () => {
    const json = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 5 }))
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(normalizeRecord(JSON.parse(text)))).toBe(text)
      }),
      { numRuns: 300, seed: 1 },
    )
  })
})

describe('canonicalJson', () => {
  it('sorts keys at every level, and leaves lists as they are', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 3, 1], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},3,1]}')
  })

  it('sorts by code unit, so that every machine agrees', () => {
    expect(canonicalJson({ ä: 1, z: 1, Z: 1, '\ufffd': 1, '🎉': 1, 10: 1, 9: 1 })).toBe(
      '{"10":1,"9":1,"Z":1,"z":1,"ä":1,"🎉":1,"\ufffd":1}',
    )
  })

  it('holds a key "__proto__"', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"y":1,"x":2}}'))).toBe('{"__proto__":{"x":2,"y":1},"b":1}')
  })

  it('is one text for one value, in whatever order the keys come, and reads back as it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value))
        const text = canonicalJson(plain)
        expect(canonicalJson(reversed(plain))).toBe(text)
        expect(JSON.parse(text)).toEqual(plain)
      }),
      { numRuns: 300, seed: 1 },
    )
  })
})

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {}
  for (let n = 0; n < levels; n++) value = { n: value }
  return value
}

/** The same JSON with the keys of every object in the opposite order. */
function reversed(value: unknown): never {
  if (Array.isArray(value)) return value.map(reversed) as never
  if (typeof value !== 'object' || value === null) return value as never
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  ) as never // the shape is the caller's own
}
