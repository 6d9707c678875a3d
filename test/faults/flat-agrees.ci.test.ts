// Random batches on a flat workspace and on the store in RAM: the same answers and the same state, after a restart and from the
// files alone. The other layout is in test/filesystem/stores-agree.test.ts.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import type { Entry } from '../../src/model/entry.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { Store } from '../../src/ports/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type RandomBatch, randomOperations, stateDifference } from '../../src/testing/index.ts'
import { entriesOf, scratchFolder } from './workspace.mjs'

const BATCHES = 250

/** A flat folder holds one agent: all that the others do, it does. */
function ofOneAgent({ batch, ...rest }: RandomBatch): RandomBatch {
  const operations = batch.operations.map((operation): Operation => {
    if (operation.op !== 'add' || operation.scope === 'world') return operation
    return { ...operation, scope: 'main' }
  })
  return { ...rest, batch: { ...batch, operations } }
}

async function outcome(store: Store, { batch, expect: expected }: RandomBatch): Promise<readonly Entry[] | string> {
  try {
    return (await store.apply(batch, expected ? { expect: expected } : {})).entries
  } catch (error) {
    if (isKeepsakeError(error)) return error.code
    throw error
  }
}

function countedIds(): (ms: number) => string {
  let count = 0
  return (ms) => {
    const time = Math.floor(ms).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${(++count).toString(16).padStart(12, '0')}`
  }
}

describe.each([1, 2, 3])('a flat workspace, seed %i,', (seed) => {
  it(`agrees with the store in RAM on ${BATCHES} random batches`, async () => {
    const folder = scratchFolder('flat')
    let ms = Date.parse('2026-10-25T00:30:00.000Z')
    const clock = (): number => ms
    const newId = countedIds()
    const open = (): Store =>
      filesystemStore({ root: join(folder, 'ws'), layout: 'flat', timezone: 'UTC', clock, newId })
    const oracle = memoryStore({ clock, newId: countedIds(), settings: { timezone: 'UTC' } })
    let store = open()
    const batches = randomOperations(seed, BATCHES)
    let told: readonly Entry[] | undefined
    for (let n = 1; ; n++) {
      const next = batches.next(told)
      if (next.done) break
      ms += 7919
      const asked = ofOneAgent(next.value)
      const [ours, theirs] = [await outcome(store, asked), await outcome(oracle, asked)]
      expect(withoutPaths(ours), JSON.stringify(asked)).toEqual(withoutPaths(theirs))
      told = typeof theirs === 'string' ? undefined : theirs
      if (n % 25 !== 0) continue
      if (n % 50 === 0) {
        await store.close()
        store = open()
      }
      expect(stateDifference(await entriesOf(store), await entriesOf(oracle))).toBeUndefined()
    }
    await store.close()
    rmSync(join(folder, 'ws/.state'), { recursive: true })
    store = open()
    const alone = stateDifference(await entriesOf(store), await entriesOf(oracle), { withoutState: true })
    expect(alone).toBeUndefined()
    await store.close()
    rmSync(folder, { recursive: true })
  })
})

it('a flat workspace has no place for a second agent', async () => {
  const folder = scratchFolder('flat')
  const store = filesystemStore({ root: folder, layout: 'flat', agent: 'main' })
  const operation = { op: 'add', scope: 'other', kind: 'note', name: 'x', content: 'x' } as const
  const batch = { operations: [operation], origin: { by: 'agent' } } as const
  await expect(store.apply(batch)).rejects.toMatchObject({ code: 'INVALID', hint: expect.stringContaining('main') })
  expect(await entriesOf(store)).toEqual([])
  await store.close()
  rmSync(folder, { recursive: true })
})

function withoutPaths(outcome: readonly Entry[] | string): unknown {
  return typeof outcome === 'string' ? outcome : outcome.map(({ path: _, ...entry }) => entry)
}
