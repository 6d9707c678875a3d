/** Which change an undo reverts if none is named, and what it leaves alone. On the store in RAM. */
import { beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../memory.ts'
import type { Origin } from '../model/entry.ts'
import type { Store } from '../ports/store.ts'
import { memoryStore } from '../stores/memory.ts'

const EXTERNAL: Origin = { by: 'hand' }

let store: Store
let memory: Memory
beforeEach(() => {
  store = memoryStore()
  memory = new Memory(store, 'main', Date.now)
})

async function wrote(name: string, origin: Origin): Promise<void> {
  await store.apply({ operations: [{ op: 'add', scope: 'main', kind: 'note', name, content: name }], origin })
}

async function undone(options = {}): Promise<readonly number[]> {
  return (await memory.undo(options)).undone.map(({ change }) => change.number)
}

describe('an undo of the newest change', () => {
  it.each<Origin>([
    { by: 'agent', agent: 'main' },
    { by: 'agent', agent: 'other' },
    { by: 'user' },
    { by: 'import', agent: 'main' },
    { by: 'consolidation', agent: 'main' },
  ])('reverts one of %j', async (origin) => {
    await wrote('older', { by: 'agent', agent: 'main' })
    await wrote('newest', origin)
    expect(await undone()).toEqual([2])
  })

  it('leaves newer external edits alone, and says so', async () => {
    await memory.remember('x', { name: 'a' })
    await memory.remember('x', { name: 'b' })
    await wrote('c', EXTERNAL)
    const { undone: reverted, warnings } = await memory.undo()
    expect(reverted.map(({ change }) => change.number)).toEqual([2])
    expect(warnings).toEqual(['change 3 is an external edit and was not undone; undo it by its number'])
    await wrote('d', EXTERNAL)
    expect((await memory.undo({ last: 5 })).warnings).toEqual([
      '2 external edits, up to change 5, were not undone; undo them by number',
    ])
    await expect(memory.undo()).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hint: 'External edits are left alone unless you ask for one; the newest is change 5.',
    })
    expect(await undone({ changes: [5] })).toEqual([5])
    expect(await undone({ by: 'hand', last: 1 })).toEqual([3])
  })

  it('leaves external edits alone if a time chooses the changes, because they may be older than it', async () => {
    await memory.remember('x', { name: 'a' })
    await wrote('b', EXTERNAL)
    expect(await undone({ since: '1970-01-01T00:00:00.000Z' })).toEqual([1])
  })

  it('is a conflict if an external edit builds on it', async () => {
    const { entry } = await memory.remember('x', { name: 'a' })
    await store.apply({ operations: [{ op: 'write', id: entry.id, content: 'y' }], origin: EXTERNAL })
    await expect(memory.undo()).rejects.toMatchObject({ code: 'CONFLICT', data: { changes: [1], later: [2] } })
    const { undone: reverted, warnings } = await memory.undo({ withLater: true })
    expect(reverted.map(({ change }) => change.number)).toEqual([1, 2])
    expect(warnings).toEqual([])
  })

  it('skips undos, and undoing one by number is a redo', async () => {
    await memory.remember('x', { name: 'a' })
    await memory.remember('x', { name: 'b' })
    expect([await undone(), await undone()]).toEqual([[2], [1]])
    expect(await undone({ changes: [4] })).toEqual([4])
    expect((await memory.get('a'))?.content).toBe('x')
  })

  it('stops at a purge, and names the change before it', async () => {
    await memory.remember('x', { name: 'a' })
    await memory.remember('secret', { name: 's' })
    await memory.remember('x', { name: 'b' })
    await memory.purge('s')
    for (const options of [{}, { last: 2 }, { agent: 'main', last: 1 }]) {
      await expect(memory.undo(options)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: "change 4 is a purge and can't be undone",
        hint: 'The change before it is 3, which you can undo by its number.',
        data: { changes: [4], before: 3 },
      })
    }
    await memory.remember('x', { name: 'c' })
    expect(await undone()).toEqual([5])
    expect(await undone({ changes: [3] })).toEqual([3])
    await expect(memory.undo()).rejects.toMatchObject({ data: { changes: [4], before: 1 } })
    const refusals: [number, string][] = [
      [2, "change 2 can't be undone: what it did was purged"],
      [4, "change 4 is a purge and can't be undone"],
    ]
    for (const [number, message] of refusals) {
      await expect(memory.undo({ changes: [number] })).rejects.toMatchObject({ code: 'CONFLICT', message })
    }
    expect(await undone({ since: '2000-01-01T00:00:00Z' })).toEqual([1])
    await expect(memory.undo()).rejects.toMatchObject({ data: { changes: [4] }, hint: 'There is no change before it.' })
  })

  it('stops at the purge of a forgotten entry, but not at a purge by another agent', async () => {
    const other = memory.as('other')
    await memory.remember('x', { name: 'a' })
    await memory.remember('secret', { name: 's' })
    await memory.forget('s')
    await memory.purge('s')
    await expect(memory.undo()).rejects.toMatchObject({ code: 'CONFLICT', data: { changes: [4], before: 1 } })
    await memory.remember('x', { name: 'b' })
    await other.remember('secret', { name: 's' })
    await other.purge('s')
    expect(await undone()).toEqual([5])
  })

  it("stops at another agent's purge of a shared entry, unless only one agent's changes are asked for", async () => {
    await memory.remember('a shared text', { kind: 'topic', name: 'T' })
    await memory.remember('x', { name: 'a' })
    await memory.as('other').purge('T')
    await expect(memory.undo()).rejects.toMatchObject({ code: 'CONFLICT', data: { changes: [3], before: 2 } })
    expect(await undone({ agent: 'main', last: 1 })).toEqual([2])
    await expect(memory.undo({ agent: 'main', last: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('reverts the confirmation of a fact, including its time, and can be redone', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    store = memoryStore({ clock: () => now })
    memory = new Memory(store, 'main', () => now)
    const { entry } = await memory.remember('likes tea', { kind: 'fact' })
    await memory.remember('x', { name: 'unrelated' })
    now += 1000
    await memory.remember('likes tea', { kind: 'fact', session: 's1' })
    const confirmed = await memory.get(entry.id)
    expect(await undone()).toEqual([3])
    expect(await memory.get(entry.id)).toEqual(entry)
    expect(await undone({ changes: [4] })).toEqual([4])
    expect(await memory.get(entry.id)).toEqual(confirmed)
    expect([await undone(), await undone()]).toEqual([[3], [2]])
  })

  it('reverts a confirmation that did not change the time', async () => {
    const now = Date.now()
    memory = new Memory(memoryStore({ clock: () => now }), 'main', () => now)
    await memory.remember('likes tea', { kind: 'fact' })
    await memory.remember('x', { name: 'unrelated' })
    await memory.remember('likes tea', { kind: 'fact' })
    expect([await undone(), await undone()]).toEqual([[3], [2]])
  })
})

describe('the log', () => {
  it('lists a purge without what it removed, and no change that it emptied', async () => {
    await memory.remember('x', { name: 'a' })
    await memory.remember('secret', { name: 's' })
    await memory.purge('s')
    const [purge, ...older] = await memory.log()
    expect(purge).toMatchObject({
      change: { number: 3, origin: { by: 'agent', agent: 'main' }, operations: [], purged: ['main'] },
      touched: [],
    })
    expect(older.map(({ change }) => change.number)).toEqual([1])
  })

  it('lists a purge only for agents that could see what it removed', async () => {
    const other = memory.as('other')
    await memory.remember('a shared text', { kind: 'topic', name: 'T' })
    await other.remember('secret', { name: 's' })
    await other.purge('s')
    await other.purge('T')
    const numbers = async (whose: Memory): Promise<number[]> => (await whose.log()).map(({ change }) => change.number)
    expect([await numbers(memory), await numbers(other)]).toEqual([[4], [4, 3]])
  })
})

describe('a long history', () => {
  const CHANGES = 1000
  let read: number
  beforeEach(async () => {
    for (let n = 0; n < CHANGES; n++) await wrote(`note ${n}`, { by: 'agent', agent: 'main' })
    read = 0
    const counting: Store = {
      ...store,
      changes: async (query, options) => {
        const found = await store.changes(query, options)
        read += found.length
        return found
      },
    }
    memory = new Memory(counting, 'main', Date.now)
  })

  it.each<[string, () => Promise<unknown>, number]>([
    ['log', () => memory.log(), 64],
    ['log of a page', () => memory.log({ before: 500, limit: 100 }), 100],
    ['log of an entry', () => memory.log({ ref: 'note 7' }), 1],
    ['undo', () => memory.undo(), 64],
    ['undo of an old change', () => memory.undo({ changes: [7] }), 2],
    ['undo of a period', () => memory.undo({ since: '2999-01-01T00:00:00.000Z' }).catch(() => undefined), 0],
    ['blame', () => memory.blame('note 7'), 0],
  ])('is not read as a whole for %s', async (_, ask, most) => {
    await ask()
    expect(read).toBeLessThanOrEqual(most)
  })

  it('is paged through', async () => {
    const page = await memory.log({ before: 12, limit: 3 })
    expect(page.map(({ change }) => change.number)).toEqual([11, 10, 9])
  })

  it('is searched for an undo only as far as needed', async () => {
    for (let n = 0; n < 200; n++) await wrote(`edited ${n}`, EXTERNAL)
    read = 0
    expect(await undone()).toEqual([CHANGES])
    expect(read).toBeLessThan(600)
  })

  it('finds an entry by a former name', async () => {
    const { entry } = await memory.remember('x', { name: 'first name' })
    await memory.rename('first name', 'second name')
    await memory.rename('second name', 'third name')
    const { entry: renamed } = await memory.rename('third name', 'last name')
    for (const alias of renamed.aliases) await memory.alias('last name', alias, { mode: 'drop' })
    const changes = await memory.log({ ref: 'first name' })
    expect(changes.at(-1)?.touched.map(({ id }) => id)).toEqual([entry.id])
    await expect(memory.log({ ref: 'no such name' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
