/** Rows against a plain table of what every entry has, through every order of writes, saves and losses. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BLOCK_ROWS, type Block, decodeBlock, encodeBlock, type Head } from './block.ts'
import { VectorRows } from './vector-rows.ts'

const SET = { model: 'm', scope: 'main' }
const HEAD: Head = { dimensions: 2, rows: 0, generation: 3, epoch: 'e', isOldPieces: false }

/** Each text has its own direction. */
function vectorOf(hash: string): Float32Array {
  const angle = Number.parseInt(hash, 36) / 10
  return Float32Array.of(Math.cos(angle), Math.sin(angle))
}

const hashes = fc.uniqueArray(fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7'), { minLength: 1, maxLength: 4 })
const puts = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c'), hashes, isGone: fc.boolean() }), {
  maxLength: 20,
})

function reloaded(rows: VectorRows, isLost: (row: number) => boolean = () => false): VectorRows {
  const bytes = encodeBlock(SET, HEAD, rows.block(0))
  const block = decodeBlock(SET, HEAD, bytes) as Block // of the same set
  const kept = block.rows.map((_, row) => row).filter((row) => !isLost(row))
  const other = new VectorRows(2)
  other.take({
    owners: block.owners,
    rows: kept.map((row) => block.rows[row] as Block['rows'][number]),
    vectors: Float32Array.from(kept.flatMap((row) => [...block.vectors.subarray(row * 2, row * 2 + 2)])),
  })
  return other
}

function played(steps: readonly { readonly id: string; readonly hashes: string[] }[]): {
  readonly rows: VectorRows
  readonly truth: Map<string, { readonly revision: string; readonly hashes: string[] }>
} {
  const rows = new VectorRows(2)
  const truth = new Map<string, { readonly revision: string; readonly hashes: string[] }>()
  for (const [n, step] of steps.entries()) {
    const fresh = new Map(step.hashes.filter((hash) => !rows.knows(hash)).map((hash) => [hash, vectorOf(hash)]))
    expect(rows.put(step.id, `r${n}`, new Set(step.hashes), fresh)).toBe(true)
    truth.set(step.id, { revision: `r${n}`, hashes: step.hashes })
  }
  return { rows, truth }
}

function bestOf(query: Float32Array, texts: readonly string[]): number {
  return Math.max(...texts.map((hash) => dot(query, vectorOf(hash))))
}

function dot([a = 0, b = 0]: Float32Array, [c = 0, d = 0]: Float32Array): number {
  return a * c + b * d
}

it('the mean of an entry points where its pieces do together, for as long as it is there', () => {
  fc.assert(
    fc.property(puts, (steps) => {
      const { rows, truth } = played(steps)
      for (const one of [rows, reloaded(rows)]) {
        for (const [id, { hashes: texts }] of truth) {
          one.setCurrent(id, true)
          const sum = texts.map(vectorOf).reduce(([a = 0, b = 0], [c = 0, d = 0]) => Float32Array.of(a + c, b + d))
          const [x = 0, y = 0] = one.mean(id) ?? []
          expect(Math.hypot(x, y)).toBeCloseTo(1, 5)
          expect(dot(sum, Float32Array.of(x, y))).toBeCloseTo(Math.hypot(...sum), 5)
          one.setCurrent(id, false)
          expect(one.mean(id)).toBeUndefined()
        }
      }
    }),
  )
})

it('an entry has the vectors of its pieces and no others, also after it was saved and read', () => {
  fc.assert(
    fc.property(puts, fc.constantFrom('0', '3', '5'), (steps, asked) => {
      const { rows, truth } = played(steps)
      const query = vectorOf(asked)
      const other = reloaded(rows)
      for (const [id, { revision, hashes: texts }] of truth) {
        expect(rows.cosines(query, [id]).get(id)).toBeCloseTo(bestOf(query, texts), 5)
        expect(other.cosines(query, [id]).get(id)).toBeUndefined() // until it is known to be there
        expect(other.revisionOf(id)).toBe(revision)
        other.setCurrent(id, true)
        expect(other.cosines(query, [id]).get(id)).toBeCloseTo(bestOf(query, texts), 5)
      }
      const best = other.best(query, 10, () => true)
      expect(new Set(best.map(({ id }) => id))).toEqual(new Set(truth.keys()))
      for (const { id, cosine } of best) expect(cosine).toBeCloseTo(bestOf(query, truth.get(id)?.hashes ?? []), 5)
    }),
  )
})

it('one that lost a row has none that count', () => {
  fc.assert(
    fc.property(puts, fc.nat(30), (steps, lost) => {
      const { rows, truth } = played(steps)
      const other = reloaded(rows, (row) => row === lost)
      for (const [id, { revision, hashes: texts }] of truth) {
        const found = other.revisionOf(id)
        expect([revision, undefined]).toContain(found)
        if (found === undefined) expect(other.cosines(vectorOf('0'), [id]).get(id)).toBeUndefined()
        // What is left of it is taken over.
        const fresh = new Map(texts.filter((hash) => !other.knows(hash)).map((hash) => [hash, vectorOf(hash)]))
        expect(fresh.size).toBeLessThanOrEqual(1)
        expect(other.put(id, revision, new Set(texts), fresh)).toBe(true)
      }
    }),
  )
})

it('what is retained is what is there, and nothing else', () => {
  fc.assert(
    fc.property(puts, (steps) => {
      const { rows, truth } = played(steps)
      const gone: string[] = steps.filter(({ isGone }) => isGone).map(({ id }) => id)
      for (const id of gone) rows.setCurrent(id, false)
      const kept = [...truth].filter(([id]) => !gone.includes(id))
      const other = rows.retained()
      const texts = new Set(kept.flatMap(([, one]) => one.hashes))
      expect(other.rows).toBe(kept.reduce((sum, [, one]) => sum + one.hashes.length, 0))
      for (const hash of '01234567') expect(other.knows(hash)).toBe(texts.has(hash))
      for (const id of gone) expect(other.revisionOf(id)).toBeUndefined()
    }),
  )
})

it('tells which blocks differ from what was saved', () => {
  const rows = new VectorRows(2)
  const texts = Array.from({ length: BLOCK_ROWS + 1 }, (_, n) => n.toString(36))
  for (const hash of texts) rows.put(`id ${hash}`, 'r', new Set([hash]), new Map([[hash, vectorOf(hash)]]))
  expect([...rows.changedBlocks]).toEqual([0, 1])
  for (const block of [0, 1]) rows.isSaved(block)
  rows.put('id 5', 'renamed', new Set(['5']), new Map())
  expect([...rows.changedBlocks]).toEqual([0])
})

it('a block of another model, scope or length is not read', () => {
  const rows = new VectorRows(2)
  rows.put('a', 'r', new Set(['0']), new Map([['0', vectorOf('0')]]))
  const bytes = encodeBlock(SET, HEAD, rows.block(0))
  expect(decodeBlock(SET, HEAD, bytes)?.rows).toEqual([{ hash: '0', owner: 0 }])
  expect(decodeBlock({ ...SET, model: 'n' }, HEAD, bytes)).toBeUndefined()
  expect(decodeBlock({ ...SET, scope: 'scout' }, HEAD, bytes)).toBeUndefined()
  expect(decodeBlock(SET, { ...HEAD, dimensions: 3 }, bytes)).toBeUndefined()
  expect(decodeBlock(SET, HEAD, new Uint8Array(0))).toBeUndefined()
})
