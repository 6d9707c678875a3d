/**
 * The same memory in a folder and on a server gives the same hits, by meaning and by both: of real questions the same first ten in
 * 99 of 100 at least, in the same order. In the nightly run 500 questions with the real model on a real server; else the
 * beginning of them, with vectors by letters and a server in RAM. The data is not ours to ship: without it, this is skipped.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMiniLm } from '../../src/embed/minilm/open-minilm.ts'
import { parseDataset } from '../../src/eval/dataset.ts'
import { docEntries } from '../../src/eval/doc-entries.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { AddOperation } from '../../src/model/operation.ts'
import type { Embed } from '../../src/ports/embed.ts'
import type { Store } from '../../src/ports/store.ts'
import { chromaStore, storeOn } from '../../src/stores/chroma/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { Letters } from '../faults/letters.mjs'
import { isNightly, needPublicData, PUBLIC_DATA } from '../tier.ts'
import { ramConnection } from './ram-connection.ts'
import { describeOnServer } from './server.ts'

/** Chats of five agents in one memory, and a collection of abstracts: together 500 questions. */
const SETS: readonly (readonly [file: string, docs: number, questions: number])[] = isNightly
  ? [
      ['locomo', Number.POSITIVE_INFINITY, 55],
      ['cranfield', Number.POSITIVE_INFINITY, 225],
    ]
  : [['locomo', 30, 2]]
const MODES = ['hybrid', 'semantic'] as const
const FIRST = 10
const LEAST = 0.99
const NOW = Date.parse('2026-11-15T12:00:00Z')
const clock = (): number => NOW
const TIMEOUT_MS = 1_800_000

interface Asked {
  readonly agent: string
  readonly operations: readonly AddOperation[]
  readonly questions: readonly string[]
}

function readSet(name: string, docs: number, questions: number): Asked[] {
  const file = join(PUBLIC_DATA, `${name}.json`)
  return parseDataset(readFileSync(file, 'utf8'), file).scopes.map((scope, n) => {
    const agent = `agent-${n}`
    const { operations } = docEntries(scope.docs.slice(0, docs), agent, NOW - 60_000)
    // Each begins to count anew.
    const apart = operations.map((one) => ({ ...one, id: one.id?.replace('-0000-', `-000${n}-`) ?? '' }))
    return { agent, operations: apart, questions: scope.queries.slice(0, questions).map(({ text }) => text) }
  })
}

/** What two stores want is made once. */
function remembering(embed: Embed): Embed {
  const known = new Map<string, Float32Array>()
  return {
    model: embed.model,
    close: async () => undefined,
    async embed(texts, options) {
      const fresh = [...new Set(texts.filter((text) => !known.has(text)))]
      const made = fresh.length === 0 ? [] : await embed.embed(fresh, options)
      for (const [n, text] of fresh.entries()) known.set(text, made[n] as Float32Array)
      return texts.map((text) => known.get(text) as Float32Array)
    },
  }
}

async function filled(store: Store, sets: readonly Asked[], embed: Embed): Promise<ReadonlyMap<string, Memory>> {
  const memories = new Map<string, Memory>()
  for (const { agent, operations } of sets) {
    const memory = await openMemory({ store, agent, clock, embed })
    await memory.apply(operations)
    memories.set(agent, memory)
  }
  for (const memory of memories.values()) await memory.embed()
  return memories
}

/** Questions whose first ten differ. */
async function differing(one: Store, other: Store, sets: readonly Asked[], embed: Embed): Promise<number[]> {
  const [ones, others] = [await filled(one, sets, embed), await filled(other, sets, embed)]
  const counts: number[] = []
  for (const mode of MODES) {
    let different = 0
    for (const { agent, questions } of sets) {
      for (const question of questions) {
        const first = async (memory: Memory | undefined): Promise<string[]> =>
          (await memory?.search(question, { mode, limit: FIRST }))?.hits.map(({ entry }) => entry.id) ?? []
        const expected = await first(ones.get(agent))
        expect(expected.length).toBeGreaterThan(0)
        if (expected.join() !== (await first(others.get(agent))).join()) different++
      }
    }
    counts.push(different)
  }
  return counts
}

async function expectSame(open: () => Promise<Store>, embed: Embed): Promise<void> {
  const asked = [0, 0]
  const different = [0, 0]
  for (const [name, docs, questions] of SETS) {
    const sets = readSet(name, docs, questions)
    const folder = mkdtempSync(join(tmpdir(), 'keepsake-same-hits-'))
    const [one, other] = [filesystemStore({ root: folder, clock, timezone: 'UTC' }), await open()]
    try {
      for (const [n, count] of (await differing(one, other, sets, embed)).entries()) {
        different[n] = (different[n] ?? 0) + count
        asked[n] = (asked[n] ?? 0) + sets.reduce((sum, set) => sum + set.questions.length, 0)
      }
    } finally {
      await one.close()
      await other.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  for (const [n, mode] of MODES.entries()) {
    const share = 1 - (different[n] ?? 0) / (asked[n] ?? 1)
    console.info(
      `the same first ${FIRST} of ${mode}: ${(asked[n] ?? 0) - (different[n] ?? 0)} of ${asked[n]} questions`,
    )
    expect(share).toBeGreaterThanOrEqual(LEAST)
  }
}

describe.skipIf(isNightly)('hits on a server in RAM', () => {
  needPublicData()

  it('are those in a folder', async () => {
    await expectSame(async () => storeOn(ramConnection(), { clock, timezone: 'UTC' }), remembering(new Letters()))
  })
})

if (isNightly && existsSync(PUBLIC_DATA)) {
  describeOnServer('hits on a real server', (server) => {
    it('are those in a folder, with the real model', { timeout: TIMEOUT_MS }, async () => {
      const model = await openMiniLm({ threads: 2 })
      try {
        await expectSame(
          async () => chromaStore({ place: await server.place(), clock, timezone: 'UTC' }),
          remembering(model),
        )
      } finally {
        await model.close()
      }
    })
  })
}
