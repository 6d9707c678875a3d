/** Entries in the plane where a server keeps the vectors: they are read from there, once, and only what counts is placed. */
import { expect, it } from 'vitest'
import { type Memory, openMemory } from '../../src/memory.ts'
import { storeOn } from '../../src/stores/chroma/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Letters } from '../faults/letters.mjs'
import { ramConnection } from './ram-connection.ts'
import { RamShelf } from './ram-shelf.ts'
import { RamVectors } from './ram-vectors.ts'

interface Opened {
  readonly memory: Memory
  readonly vectors: RamVectors
}

/** Another process of the same server each time. */
function server(): (letters?: Letters) => Promise<Opened> {
  const [log, shelf] = [new RamShelf(), new RamVectors()]
  return async (letters = new Letters()) => {
    const vectors = shelf.another()
    const store = storeOn(ramConnection(log.another({}), vectors))
    return { vectors, memory: await openMemory({ store, embed: letters }) }
  }
}

async function filled(memory: Memory): Promise<void> {
  for (const [name, content] of Object.entries({ A: 'aaaa', B: 'bbbb', C: 'cccc' }))
    await memory.remember(content, { name })
  await memory.embed()
}

it('are the same as in any other store', async () => {
  const { memory } = await server()()
  const kept = await openMemory({ store: memoryStore(), embed: new Letters() })
  await filled(memory)
  await filled(kept)
  const { entries, missing } = await memory.places()
  const expected = (await kept.places()).entries.map(({ entry, x, y }) => [entry.name, x, y])
  expect(entries.map(({ entry, x, y }) => [entry.name, x, y])).toEqual(expected)
  expect([expected.length, missing]).toEqual([3, 0])
})

it('reads the vectors once', async () => {
  const open = server()
  await filled((await open()).memory)
  const { memory, vectors } = await open()
  let reads = 0
  vectors.before = (name) => {
    if (name === 'get') reads++
  }
  const first = await memory.places()
  const afterFirst = reads
  expect(afterFirst).toBeGreaterThan(0)
  expect((await memory.places()).entries).toEqual(first.entries)
  expect(reads).toBe(afterFirst)
})

it('leaves out what was written since, and says so where the vectors are of another model', async () => {
  const open = server()
  const { memory } = await open()
  await filled(memory)
  await memory.remember('bbbc', { name: 'B' })
  expect(await memory.places()).toMatchObject({
    entries: [{ entry: { name: 'A' } }, { entry: { name: 'C' } }],
    missing: 1,
  })
  const { memory: other } = await open(new Letters('other letters'))
  await expect(other.places()).rejects.toMatchObject({ code: 'CONFLICT' })
})
