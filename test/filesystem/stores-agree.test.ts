/** Random batches on the store in files and on the oracle in RAM: the same answers, the same state, also after a restart. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import type { Entry } from '../../src/model/entry.ts'
import { newId } from '../../src/model/id.ts'
import type { Store } from '../../src/ports/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type RandomBatch, randomOperations, stateDifference } from '../../src/testing/index.ts'
import { isNightly } from '../tier.ts'

const SEEDS = isNightly ? [1, 2, 3, 4, 5, 6] : [1]
const BATCHES = 200
const LOOK_EVERY = 20

async function stateOf(store: Store): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of store.scan()) entries.push(entry)
  return entries
}

/** What a batch gave: the entries, or the code of the refusal. */
async function outcome(store: Store, { batch, expect: expected }: RandomBatch): Promise<readonly Entry[] | string> {
  try {
    return (await store.apply(batch, expected ? { expect: expected } : {})).entries
  } catch (error) {
    if (isKeepsakeError(error)) return error.code
    throw error
  }
}

describe.each(SEEDS)('random batches, seed %i:', (seed) => {
  it('give the store in files and the oracle the same state, after a restart and without .state/ too', async () => {
    const base = mkdtempSync(join(tmpdir(), 'keepsake-agree-'))
    const root = join(base, 'ws')
    // Both get the same ids in the same order, so that their states can be compared to the letter.
    let ms = Date.parse('2026-03-29T00:30:00.000Z')
    const shared: string[] = []
    const idsFor = (): ((at: number) => string) => {
      let next = 0
      return (at) => {
        while (shared.length <= next) shared.push(newId(at))
        return shared[next++] ?? ''
      }
    }
    const clock = (): number => ms
    const timezone = seed % 2 === 0 ? 'Europe/Berlin' : 'UTC'
    const fileIds = idsFor()
    const open = (): Store => filesystemStore({ root, clock, newId: fileIds, timezone })
    const oracle = memoryStore({ clock, newId: idsFor(), settings: { timezone } })
    let files = open()
    try {
      const batches = randomOperations(seed, BATCHES)
      let told: readonly Entry[] | undefined
      for (let n = 0; ; n++) {
        const next = batches.next(told)
        if (next.done) break
        ms += (n % 7) * 61_000 - (n % 11 === 0 ? 100_000 : 0) // on the whole forward, and now and then back
        const [ours, theirs] = [await outcome(files, next.value), await outcome(oracle, next.value)]
        expect(strip(ours), JSON.stringify(next.value)).toEqual(strip(theirs))
        told = typeof theirs === 'string' ? undefined : theirs
        if (n % LOOK_EVERY !== 0) continue
        if (n % (LOOK_EVERY * 2) === 0) {
          await files.close()
          files = open()
        }
        expect(stateDifference(await stateOf(files), await stateOf(oracle))).toBeUndefined()
      }
      await files.close()
      rmSync(join(root, '.state'), { recursive: true })
      files = open()
      expect(stateDifference(await stateOf(files), await stateOf(oracle), { withoutState: true })).toBeUndefined()
    } finally {
      await files.close()
      rmSync(base, { recursive: true, force: true })
    }
  })
})

function strip(outcome: readonly Entry[] | string): unknown {
  return typeof outcome === 'string' ? outcome : outcome.map(({ path: _, ...entry }) => entry)
}
