import { expect, it } from 'vitest'
import { KnownVectors } from './known-vectors.ts'

const QUERY = Float32Array.of(1, 0)

function read(isCurrent = true) {
  return async () => new Map([['a', { pieces: [{ hash: 'h', vector: QUERY }], isCurrent }]])
}

it('has what was read, until it changes', async () => {
  const known = new KnownVectors(2)
  await known.load(['a', 'b'], read())
  expect([known.has('a'), known.has('b'), known.cosines(QUERY, ['a', 'b'])]).toEqual([true, false, new Map([['a', 1]])])
  known.forget(new Set(['a']))
  expect([known.has('a'), known.cosines(QUERY, ['a']).size]).toEqual([false, 0])
})

it('ignores vectors of an earlier revision', async () => {
  const known = new KnownVectors(2)
  await known.load(['a'], read(false))
  expect(known.has('a')).toBe(false)
})

it.each([
  ['forgets an entry that changed while it was read', new Set(['a']), false],
  ['forgets an entry if any may have changed while it was read', undefined, false],
  ['keeps an entry if another one changed while it was read', new Set(['b']), true],
])('%s', async (_, changed, isKnown) => {
  const known = new KnownVectors(2)
  const loading = known.load(['a'], async () => {
    known.forget(changed)
    return read()()
  })
  await loading
  expect(known.has('a')).toBe(isKnown)
})
