import { expect, it } from 'vitest'
import { KnownVectors } from './known-vectors.ts'

const QUERY = Float32Array.of(1, 0)

function read(isCurrent = true) {
  return async () => new Map([['a', { pieces: [{ hash: 'h', vector: QUERY }], isCurrent }]])
}

it('knows what was read, until it changes', async () => {
  const known = new KnownVectors(2)
  await known.load(['a', 'b'], read())
  expect([known.has('a'), known.has('b'), known.cosines(QUERY, ['a', 'b'])]).toEqual([true, false, new Map([['a', 1]])])
  known.forget(new Set(['a']))
  expect([known.has('a'), known.cosines(QUERY, ['a']).size]).toEqual([false, 0])
})

it('knows nothing of vectors of an earlier revision', async () => {
  const known = new KnownVectors(2)
  await known.load(['a'], read(false))
  expect(known.has('a')).toBe(false)
})

it.each([
  ['it', new Set(['a']), false],
  ['any entry', undefined, false],
  ['another one', new Set(['b']), true],
])('knows nothing of an entry if %s changed while it was read', async (_, changed, isKnown) => {
  const known = new KnownVectors(2)
  const loading = known.load(['a'], async () => {
    known.forget(changed)
    return read()()
  })
  await loading
  expect(known.has('a')).toBe(isKnown)
})
