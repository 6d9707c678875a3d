/** `store_memory` with facts: the same one is one entry, however many store it at once and however many others there are. */
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { createMemoryTools } from '../../src/tools/index.ts'
import { itOn } from '../one-row.ts'
import { Bench, type Data, newFolder, STORES } from './bench.ts'

const STORE = 'reachy.store_memory'
const ALIKE = 'The deploy of the staging racks on Fridays needs'

function times<Value>(count: number, make: (n: number) => Value): Value[] {
  return Array.from({ length: count }, (_, n) => make(n))
}

describe.each(STORES)('facts on the %s store', (store) => {
  const it = itOn(store, 'stored by several calls at once are one entry per metadata')
  it('stored by several calls at once are one entry per metadata', async () => {
    const bench = await Bench.open(store)
    const metadata = [
      undefined,
      { who: 'Ann' },
      { who: 'Bob', sure: true },
      { sure: true, who: 'Bob' },
      { who: ['Bob'] },
    ]
    const fact = (n: number): object => ({ content: 'Likes tea.', metadata: metadata[n % 5] })
    const stored = await Promise.all(times(15, (n) => bench.done(STORE, fact(n))))
    expect(new Set(stored.map(({ id }) => id)).size).toBe(4)
    const facts = await bench.memory.list()
    expect(facts.map((one) => JSON.stringify(one.metadata)).sort()).toHaveLength(4)
    expect(new Set(facts.map(({ content }) => content))).toEqual(new Set(['Likes tea.']))
    // Also when the one that has the plain name is gone, and the plain name is free.
    await bench.memory.forget('Likes tea')
    const left = await bench.memory.list()
    for (const { metadata: known } of left) await bench.done(STORE, { content: 'Likes tea.', metadata: known })
    expect((await bench.memory.list()).map(({ id }) => id)).toEqual(left.map(({ id }) => id))
  })

  it('with the same first words stay two, each of them one', async () => {
    const bench = await Bench.open(store)
    const contents = [`${ALIKE} two people.`, `${ALIKE} a key.`]
    const stored = await Promise.all(times(8, (n) => bench.done(STORE, { content: contents[n % 2] })))
    expect(new Set(stored.map(({ id }) => id)).size).toBe(2)
    expect((await bench.memory.list()).map(({ content }) => content).sort()).toEqual(contents.toSorted())
    // Also when the one that has the plain name is gone, and the plain name is free.
    const [plain] = (await bench.memory.list()).filter(({ name }) => !name?.endsWith(')'))
    await bench.memory.forget(plain?.id ?? '')
    const [left] = await bench.memory.list()
    expect((await bench.done(STORE, { content: left?.content })).id).toBe(left?.id)
    expect(await bench.memory.list()).toHaveLength(1)
  })

  it('leave alone what else has such a name, and are known again when renamed', async () => {
    const bench = await Bench.open(store)
    await bench.done('default.remember', { name: 'Likes tea', content: 'A note.' })
    await bench.done('default.remember', { name: 'Passing', content: 'Passing', kind: 'fact', ttl: '1h' })
    const tea = await bench.done(STORE, { content: 'Likes tea.' })
    expect((await bench.done(STORE, { content: 'Likes tea.' })).id).toBe(tea.id)
    const rain = await bench.done(STORE, { content: 'Likes rain.' })
    await bench.memory.rename(rain.id, 'Weather')
    expect((await bench.done(STORE, { content: 'Likes rain.' })).id).toBe(rain.id)
    bench.at('2026-11-15T16:00:00.000Z')
    const passing = await Promise.all(times(3, () => bench.done(STORE, { content: 'Passing' })))
    expect(new Set(passing.map(({ id }) => id)).size).toBe(1)
    const contents = (await bench.memory.list()).map(({ content }) => content)
    expect(contents).toEqual(['A note.', 'Likes tea.', 'Likes rain.', 'Passing'])
  })

  it.each(['01a1e37a-3740-7265-a787-136dc1548ac5', 'MEMORY', '…', '# \n\n- x', 'x'.repeat(500)])(
    'are one when stored twice, whatever they say: %j',
    async (content) => {
      const bench = await Bench.open(store)
      const first = await bench.done(STORE, { content })
      expect((await bench.done(STORE, { content })).id).toBe(first.id)
      expect(await bench.memory.list()).toHaveLength(1)
    },
  )
})

describe('facts', () => {
  it('stored through two open stores of one workspace at once are one entry', async () => {
    const workspace = newFolder()
    const memories = [await openMemory({ workspace }), await openMemory({ workspace })]
    const tools = memories.map((memory) => createMemoryTools(memory, 'main', { preset: 'reachy' })[1])
    const results = await Promise.all(times(8, (n) => tools[n % 2]?.run({ content: 'Likes tea.' })))
    const ids = results.map((result) => (result ? (result.structured as Data).id : undefined))
    expect([new Set(ids).size, ids[0]]).toEqual([1, expect.any(String)])
    expect(await memories[0]?.list()).toHaveLength(1)
    for (const memory of memories) await memory.close()
  })

  it('are found without a look at all the others', async () => {
    const inner = memoryStore()
    let looks = 0
    const store: Store = {
      ...inner,
      heads: (...given) => {
        looks++
        return inner.heads(...given)
      },
    }
    const bench = await Bench.open('memory', { store })
    const metadata = { category: 'user_profile', field: 'name' }
    await bench.done(STORE, { content: 'Called Alex.', metadata })
    looks = 0
    await bench.done(STORE, { content: 'Called Sam.', metadata })
    for (const content of [`${ALIKE} a key.`, `${ALIKE} a key.`, `${ALIKE} two people.`]) {
      await bench.done(STORE, { content })
    }
    expect([looks, (await bench.memory.list()).length]).toEqual([0, 3])
  })
})
