import { describe, expect, it } from 'vitest'
import { KeepsakeError } from '../errors.ts'
import { difference, equal, ok, present, rejects, rejectsWith } from './assert.ts'

describe('difference', () => {
  it.each<[unknown, unknown]>([
    [1, 1],
    [Number.NaN, Number.NaN],
    ['a', 'a'],
    [undefined, undefined],
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
  ])('is none between %j and %j', (a, b) => {
    expect(difference(a, b)).toBeUndefined()
    expect(difference(b, a)).toBeUndefined()
  })

  it.each<[unknown, unknown, string]>([
    [1, 2, 'value is 1, not 2'],
    [1, '1', 'value is 1, not "1"'],
    [0, -0, 'value is 0, not 0'],
    [null, undefined, 'value is null, not undefined'],
    [{}, [], 'value is {}, not []'],
    [[1], [1, 2], 'value has 1 items, not 2: [1], not [1,2]'],
    [[1, 3], [1, 2], 'value[1] is 3, not 2'],
    [{ a: 1 }, {}, 'value.a is 1, not missing'],
    [{}, { a: undefined }, 'value.a is missing, not undefined'],
    [{ a: { b: [1] } }, { a: { b: [2] } }, 'value.a.b[0] is 1, not 2'],
    [JSON.parse('{"__proto__":1}'), {}, 'value.__proto__ is 1, not missing'],
    [new Uint8Array([1]), new Uint8Array([2]), 'value[0] is 1, not 2'],
    ['x'.repeat(500), '', `value is "${'x'.repeat(299)}…, not ""`],
  ])('between %j and %j is told', (a, b, told) => {
    expect(difference(a, b)).toBe(told)
  })
})

describe('the assertions', () => {
  it('throw plain errors that say what', () => {
    expect(() => equal(1, 2, 'number')).toThrow('number: value is 1, not 2')
    expect(() => ok(false, 'not so')).toThrow('not so')
    expect(() => present(undefined, 'the entry')).toThrow('the entry: there is none')
    equal({ a: 1 }, { a: 1 }, 'same')
    ok(true, 'so')
    expect(present(0, 'number')).toBe(0)
  })

  it('know a rejection by its code', async () => {
    const error = new KeepsakeError('CLOSED', 'the store is closed')
    expect(await rejects(Promise.reject(error), 'CLOSED', 'call')).toBe(error)
    await expect(rejects(Promise.reject(error), 'INVALID', 'call')).rejects.toThrow(
      'call: expected INVALID, but it was',
    )
    await expect(rejects(Promise.reject(new Error('x')), 'INVALID', 'call')).rejects.toThrow('failed with Error: x')
    await expect(rejects(Promise.resolve(7), 'INVALID', 'call')).rejects.toThrow(
      'call: expected a failure, but it gave 7',
    )
  })

  it('know a rejection by its reason', async () => {
    const reason = new Error('called off')
    await rejectsWith(Promise.reject(reason), reason, 'call')
    await expect(rejectsWith(Promise.reject(new Error('x')), reason, 'call')).rejects.toThrow("signal's own reason")
  })
})
