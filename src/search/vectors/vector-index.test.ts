import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isNightly } from '../../../test/tier.ts'
import type { Nearest } from './best-owners.ts'
import { PlainRows } from './plain-rows.ts'
import { VectorIndex } from './vector-index.ts'
import { WasmRows } from './wasm-rows.ts'

/** What rows.ts says about the order of sums, once more and as plainly as can be. */
function naiveDot(a: Float32Array, b: Float32Array): number {
  let sums: number[] = new Array(16).fill(0)
  for (let i = 0; i < a.length; i++) {
    const product = Math.fround((a[i] as number) * (b[i] as number))
    sums[i % 16] = Math.fround((sums[i % 16] as number) + product)
  }
  while (sums.length > 1) {
    const half = sums.length / 2
    const both: readonly number[] = sums
    sums = both.slice(0, half).map((sum, j) => Math.fround(sum + (both[j + half] as number)))
  }
  return (sums[0] as number) + 0
}

interface Row {
  readonly vector: Float32Array
  readonly owner: number
  live: boolean
}

function naiveTop(rows: readonly Row[], query: Float32Array, most: number, accepts: (owner: number) => boolean) {
  const scored = rows.map(({ vector, owner, live }, row) => ({ owner, row, score: naiveDot(vector, query), live }))
  const ranked = scored
    .filter(({ live, owner }) => live && accepts(owner))
    .sort((a, b) => b.score - a.score || a.row - b.row)
  const owners = new Set<number>()
  const best: Nearest[] = []
  for (const { owner, row, score } of ranked) {
    if (owners.has(owner)) continue
    owners.add(owner)
    best.push({ owner, row, score })
  }
  const last = best[most - 1]
  return last ? best.filter(({ score }) => score >= last.score) : best
}

/** Negative zero is a score like zero. */
function plain(found: readonly Nearest[]): readonly Nearest[] {
  return found.map(({ owner, row, score }) => ({ owner, row, score: score + 0 }))
}

/** Numbers of every size, and few enough of some kinds that whole vectors, and scores, are equal. */
const NUMBERS: Readonly<Record<string, (random: () => number) => number>> = {
  'like embeddings': (random) => (random() + random() + random() - 1.5) / 10,
  'of few values': (random) => Math.floor(random() * 3) - 1,
  'of every size': (random) => (random() - 0.5) * 10 ** (random() * 50 - 40),
  'too small for squares': (random) => (random() - 0.5) * 1e-25,
  'too small for products': (random) => (random() - 0.5) * 1e-21,
  'as large as may be': (random) => (random() - 0.5) * 2e15,
  'whole in one byte': (random) => Math.floor(random() * 255) - 127,
  'all one': () => 1,
  'with one that towers': (random) => (random() < 0.01 ? 1 : 1e-5 * random()),
  'all zero': () => 0,
}

function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function vectorOf(dimensions: number, kind: string, random: () => number): Float32Array {
  const draw = NUMBERS[kind] as (random: () => number) => number
  return Float32Array.from({ length: dimensions }, () => draw(random))
}

const CASE = fc.record({
  seed: fc.integer({ min: 0 }),
  dimensions: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(383, 384, 768, 1536)),
  kind: fc.constantFrom(...Object.keys(NUMBERS)),
  owners: fc.constantFrom(1, 7, 200, 100_000),
  copies: fc.constantFrom(0, 0.3),
  removed: fc.constantFrom(0, 0.2, 0.9),
  accepted: fc.constantFrom(0, 0.02, 0.5, 1),
  most: fc.constantFrom(1, 2, 10, 100),
})

/** Rows added one by one and many at once, some of them copies, some removed, to an index and to a plain list. */
function filled(
  index: VectorIndex,
  of: { seed: number; kind: string; owners: number; copies: number; removed: number; count: number },
) {
  const random = randomNumbers(of.seed)
  const rows: Row[] = []
  while (rows.length < of.count) {
    const many = random() < 0.5 ? 1 : Math.ceil(random() * Math.min(700, of.count - rows.length))
    const added: Row[] = []
    for (let i = 0; i < many; i++) {
      const copied = random() < of.copies ? rows[Math.floor(random() * rows.length)] : undefined
      const vector = copied?.vector ?? vectorOf(index.dimensions, of.kind, random)
      added.push({ vector, owner: Math.floor(random() * of.owners), live: true })
    }
    const flat = new Float32Array(many * index.dimensions)
    added.forEach(({ vector }, i) => {
      flat.set(vector, i * index.dimensions)
    })
    const first =
      many === 1
        ? index.add(flat, added[0]?.owner as number)
        : index.addAll(
            flat,
            added.map(({ owner }) => owner),
          )
    expect(first).toBe(rows.length)
    rows.push(...added)
    const gone = Math.floor(random() * rows.length)
    if (random() < of.removed) {
      index.remove(gone)
      ;(rows[gone] as Row).live = false
    }
  }
  rows.forEach((row, i) => {
    if (random() >= of.removed) return
    index.remove(i)
    row.live = false
  })
  return { rows, random }
}

describe('the nearest vectors', () => {
  test.each(['wasm', 'plain'])('are those of a naive scan, to the bit (%s)', (make) => {
    fc.assert(
      fc.property(CASE, (drawn) => {
        const { dimensions, kind, accepted, most } = drawn
        const index = new VectorIndex(
          dimensions,
          make === 'plain' ? new PlainRows(dimensions) : WasmRows.open(dimensions),
        )
        const count = dimensions > 100 ? 60 : 300 + (drawn.seed % 2000)
        const { rows, random } = filled(index, { ...drawn, count })
        const chosen = new Set(rows.map(({ owner }) => owner).filter(() => random() < accepted))
        const accepts = (owner: number) => accepted === 1 || chosen.has(owner)
        for (const query of [vectorOf(dimensions, kind, random), rows[rows.length >> 1]?.vector as Float32Array]) {
          expect(plain(index.top(query, most, accepts))).toEqual(naiveTop(rows, query, most, accepts))
          const all = [
            ...index.scores(
              query,
              rows.map((_, row) => row),
            ),
          ]
          expect(all.map((score) => score + 0)).toEqual(rows.map(({ vector }) => naiveDot(vector, query)))
        }
      }),
      { numRuns: (make === 'plain' ? 1 : 3) * (isNightly ? 10 : 4) },
    )
  })
})

describe('the first pass', () => {
  const kinds = fc.constantFrom(...Object.keys(NUMBERS))

  /** What one byte loses of a vector: along it, the estimate is as wrong as it can be. */
  function lost(vector: Float32Array): Float32Array {
    const scale = Math.max(...vector.map(Math.abs)) / 127
    return vector.map((number) => (scale === 0 ? 0 : number - scale * Math.round(number / scale)))
  }

  test('never leaves out a row that reaches the floor', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0 }),
        fc.constantFrom(1, 2, 3, 20, 384, 1536),
        kinds,
        kinds,
        (seed, dimensions, kind, asked) => {
          const random = randomNumbers(seed)
          const rows = WasmRows.open(dimensions) as WasmRows
          const vectors = Array.from({ length: 40 }, () => vectorOf(dimensions, kind, random))
          for (const vector of vectors) rows.add(vector)
          for (const [row, vector] of vectors.entries()) {
            for (const query of [
              vectorOf(dimensions, asked, random),
              lost(vector),
              lost(vector).map((number) => -number),
            ]) {
              rows.ask(query)
              const listed = rows.listReaching(0, naiveDot(vector, query))
              expect([...rows.listed.subarray(0, listed)]).toContain(row)
            }
          }
        },
      ),
      // Sums of these are the largest that there are.
      { numRuns: isNightly ? 60 : 12, examples: [[1, 1536, 'all one', 'all one']] },
    )
  })

  test('leaves out nearly all others', () => {
    const random = randomNumbers(1)
    const index = new VectorIndex(384)
    const rows = WasmRows.open(384) as WasmRows
    const vectors = Array.from({ length: 1024 }, () => vectorOf(384, 'like embeddings', random))
    vectors.forEach((vector, row) => {
      rows.add(vector)
      index.add(vector, row)
    })
    const query = vectorOf(384, 'like embeddings', random)
    rows.ask(query)
    expect(rows.listReaching(0, Number.NEGATIVE_INFINITY)).toBe(1024)
    expect(rows.listReaching(0, index.top(query, 10)[9]?.score as number)).toBeLessThan(20)
  })
})

describe('an index of vectors', () => {
  const vector = (...numbers: number[]) => Float32Array.from(numbers)

  test('asks only about owners that may be among the best', () => {
    const index = new VectorIndex(2)
    for (let owner = 0; owner < 5000; owner++) index.add(vector(1 / (owner + 1), 1), owner)
    const asked: number[] = []
    const found = index.top(vector(1, 0), 3, (owner) => asked.push(owner) > 0 && owner % 2 === 1)
    expect(found.map(({ owner }) => owner)).toEqual([1, 3, 5])
    expect(asked).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('gives an owner its best row, and with the last one all of the same score, the lower row first', () => {
    const index = new VectorIndex(1)
    for (const [number, owner] of [
      [1, 7],
      [3, 8],
      [3, 7],
      [3, 9],
      [2, 8],
      [3, 9],
    ] as const)
      index.add(vector(number), owner)
    expect(index.top(vector(1), 2)).toEqual([
      { owner: 8, row: 1, score: 3 },
      { owner: 7, row: 2, score: 3 },
      { owner: 9, row: 3, score: 3 },
    ])
    index.remove(1)
    expect(index.top(vector(1), 9).map(({ row }) => row)).toEqual([2, 3, 4])
  })

  test.each([5, 16])('copies what it was given, removed rows too, across blocks (%i numbers)', (dimensions) => {
    const index = new VectorIndex(dimensions)
    const given = Float32Array.from({ length: 3000 * dimensions }, (_, i) => Math.sin(i))
    index.addAll(given, new Uint32Array(3000))
    index.remove(1500)
    expect(index.rows).toBe(3000)
    expect(index.copy(1000, 1100)).toEqual(given.slice(1000 * dimensions, 2100 * dimensions))
  })

  test('takes nothing of what it refuses', () => {
    const index = new VectorIndex(2)
    expect(() => index.add(vector(1), 0)).toThrow('vector: 1 numbers')
    expect(() => index.addAll(vector(1, 2, 3, Number.NaN), [0, 1])).toThrow('number 3 is NaN')
    expect(() => index.add(vector(1, 1e20), 0)).toThrow('number 1 is 1')
    expect(() => index.addAll(vector(1, 2, 3, 4), [0, -1])).toThrow('owner: -1')
    expect(() => index.remove(0)).toThrow('row: 0')
    expect(() => index.top(vector(1), 3)).toThrow('vector: 1 numbers')
    expect(() => new VectorIndex(0)).toThrow('dimensions: 0')
    expect(index.rows).toBe(0)
    expect(index.top(vector(1, 2), 3)).toEqual([])
  })
})

test('the compiled loops are those of kernels.wat', async () => {
  const compiled = readFileSync(new URL('kernels-wasm.ts', import.meta.url), 'utf8')
  const script = new URL('../../../scripts/build-wasm.mjs', import.meta.url)
  const { wasmModule } = (await import(script.href)) as { wasmModule(): Promise<string> }
  expect(compiled).toBe(await wasmModule())
})
