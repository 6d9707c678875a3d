/**
 * The same memory in a folder and on PostgreSQL gives equal hits: entries, order and scores, by words, by meaning and by both. 500 questions
 * to the chats of five agents and to abstracts; the vectors are of letters, made once for both. The data is not ours to ship: without it,
 * this is skipped.
 */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseDataset } from '../../src/eval/dataset.ts'
import { docEntries } from '../../src/eval/doc-entries.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { AddOperation } from '../../src/model/operation.ts'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import type { Store } from '../../src/ports/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { afterThisFile } from '../clean-up.ts'
import { Letters } from '../faults/letters.mjs'
import { needPublicData, PUBLIC_DATA } from '../tier.ts'
import { describeOnPostgres } from './server.ts'

/** Of each scope of a set: five chats, and one collection of abstracts. Together 500 questions. */
const SETS = [
  { name: 'locomo', docs: 150, questions: 55 },
  { name: 'cranfield', docs: 300, questions: 225 },
] as const
const QUESTIONS = 500
const NOW = Date.parse('2026-11-15T12:00:00Z')
const clock = (): number => NOW

interface Asked {
  readonly agent: string
  readonly operations: readonly AddOperation[]
  readonly questions: readonly string[]
}

function readSets(): Asked[] {
  return SETS.flatMap(({ name, docs, questions }, set) => {
    const file = join(PUBLIC_DATA, `${name}.json`)
    return parseDataset(readFileSync(file, 'utf8'), file).scopes.map((scope, n) => {
      const agent = `${name}-${n}`
      const { operations } = docEntries(scope.docs.slice(0, docs), agent, NOW - 60_000)
      // Each scope counts its ids from the beginning.
      const apart = operations.map((one) => ({ ...one, id: one.id?.replace('-0000-', `-00${set}${n}-`) ?? '' }))
      return { agent, operations: apart, questions: scope.queries.slice(0, questions).map(({ text }) => text) }
    })
  })
}

describeOnPostgres('hits on PostgreSQL', (server) => {
  needPublicData()

  it('are those in a folder', async () => {
    const root = mkdtempSync(join(tmpdir(), 'keepsake-same-hits-'))
    const stores: readonly Store[] = [
      filesystemStore({ root, clock, timezone: 'UTC' }),
      postgresStore({ place: parsePostgresAddress(server.freshUrl()), clock, timezone: 'UTC' }),
    ]
    for (const store of stores) afterThisFile(() => store.close())
    const sets = readSets()
    const embed = new Letters()
    const asked = { lexical: 0, hybrid: 0, semantic: 0 }
    for (const { agent, operations, questions } of sets) {
      const memories = await Promise.all(stores.map((store) => openMemory({ store, agent, clock, embed })))
      for (const memory of memories) {
        await memory.apply(operations)
        await memory.embed()
      }
      for (const mode of ['lexical', 'hybrid', 'semantic'] as const) {
        for (const question of questions) {
          const find = async (memory: Memory) =>
            (await memory.search(question, { mode, limit: 10 })).hits.map(({ entry, score }) => [entry.id, score])
          const [inFolder = [], onServer] = await Promise.all(memories.map(find))
          expect([mode, question, onServer]).toEqual([mode, question, inFolder])
          expect(inFolder.length).toBeGreaterThan(0)
          asked[mode]++
        }
      }
    }
    expect(asked).toEqual({ lexical: QUESTIONS, hybrid: QUESTIONS, semantic: QUESTIONS })
  }, 180_000)
})
