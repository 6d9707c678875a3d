import { describe, expect, it } from 'vitest'
import { InvalidError } from '../errors.ts'
import { SeqCounter } from './seq.ts'

const HELD: Readonly<Record<number, string>> = { 3: 'a', 5: 'b' }

describe('SeqCounter', () => {
  it('counts up from the next one', () => {
    const seqs = counter()
    expect([seqs.take('x', undefined), seqs.take('y', undefined)]).toEqual([6, 7])
  })

  it('takes a given one that is still to come, or that the same entry has', () => {
    const seqs = counter()
    seqs.reserve(9)
    expect(seqs.take('x', 9)).toBe(9)
    expect(seqs.take('y', 7)).toBe(7)
    expect(seqs.take('a', 3)).toBe(3)
    expect(seqs.take('z', undefined)).toBe(10)
  })

  it('refuses one that an entry which is gone may have had, but for an undo', () => {
    const seqs = counter()
    expect(() => seqs.take('x', 4)).toThrow(expect.objectContaining({ code: 'INVALID', data: { field: 'seq' } }))
    expect(seqs.take('x', 4, { isUndo: true })).toBe(4)
    expect(() => seqs.take('x', 5, { isUndo: true })).toThrow(InvalidError)
  })

  it('goes past one that was given, and past one that will be', () => {
    const seqs = counter()
    seqs.take('x', 20)
    expect(seqs.take('y', undefined)).toBe(21)
    seqs.reserve(30)
    seqs.reserve(undefined)
    seqs.reserve(25)
    expect(seqs.take('z', undefined)).toBe(31)
  })

  it('refuses one that another has, in the state or since', () => {
    const seqs = counter()
    expect(() => seqs.take('x', 5)).toThrow(
      expect.objectContaining({ code: 'INVALID', data: { field: 'seq', holder: 'b' } }),
    )
    seqs.take('x', 8)
    expect(() => seqs.take('y', 8)).toThrow(InvalidError)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %d', (seq) => {
    expect(() => counter().take('x', seq)).toThrow(InvalidError)
  })

  it('is not led astray by reserving what is no seq', () => {
    const seqs = counter()
    for (const seq of [Number.NaN, Number.POSITIVE_INFINITY, 99.5, -1]) seqs.reserve(seq)
    expect(seqs.take('x', undefined)).toBe(6)
  })
})

function counter(): SeqCounter {
  return new SeqCounter(6, (seq) => HELD[seq])
}
