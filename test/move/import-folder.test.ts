// The rule by which entries of a folder find room in a memory; the folder is played by a store in RAM.
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import type { Entry } from '../../src/model/entry.ts'
import { importFolder } from '../../src/move/import-folder.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { collected } from '../../src/testing/images.ts'
import { apply, context, experience, note, scanned } from '../../src/testing/requests.ts'
import { sampleStore } from './sample.ts'

const LEFT = 'was left out: only an empty memory takes sessions and documents.'
const NOT_MERGED = [`session "chat" of ada ${LEFT}`, `session "chat" of main ${LEFT}`, `directives/memory.md ${LEFT}`]

describe('a folder', () => {
  it('is taken whole into a memory with nothing in it', async () => {
    const [folder, memory] = [await sampleStore(), memoryStore()]
    const would = await importFolder(folder, memory, { dryRun: true })
    expect(await memory.heads()).toEqual([])
    expect(await importFolder(folder, memory)).toEqual(would)
    expect(would).toEqual({ whole: true, added: 5, alreadyThere: 0, leftOut: [], changes: [], warnings: [] })
    expect(await collected(await memory.image())).toEqual(await collected(await folder.image()))
  })

  it('brings its entries into another memory in one change for each agent, with ids and times', async () => {
    const [folder, memory] = [await sampleStore(), memoryStore()]
    await apply(folder, [note('hers', { scope: 'ada' })])
    await apply(memory, [note('mine')])
    const would = await importFolder(folder, memory, { dryRun: true })
    expect(await memory.heads()).toHaveLength(1)
    const { changes, ...imported } = await importFolder(folder, memory)
    expect({ ...imported, changes: [] }).toEqual(would)
    expect(imported).toEqual({ whole: false, added: 6, alreadyThere: 0, leftOut: [], warnings: NOT_MERGED })
    expect(changes.map(({ change, agent }) => [change.number, change.origin, agent])).toEqual([
      [2, { by: 'import' }, 'main'],
      [3, { by: 'import' }, 'ada'],
    ])
    const [, ...came] = await scanned(memory)
    const byId = (a: Entry, b: Entry): number => (a.id < b.id ? -1 : 1)
    expect(came.map((entry) => ({ ...entry, seq: 0 })).sort(byId)).toEqual(
      (await scanned(folder)).map((entry) => ({ ...entry, seq: 0 })).sort(byId),
    )
    for (const { change, agent } of changes) {
      const own = await openMemory({ store: memory, agent: agent ?? 'main' })
      const { undone } = await own.undo({ changes: [change.number] })
      expect(undone).toHaveLength(1)
    }
    expect(await memory.heads()).toHaveLength(1)
  })

  it('says nothing of its settings, for a memory has its own', async () => {
    const [store, memory] = [await sampleStore(), memoryStore()]
    await apply(memory, [note('mine')])
    async function* files() {
      yield { path: 'keepsake.yaml', bytes: new Uint8Array(), entries: [] }
    }
    const folder = { ...store, image: async () => ({ ...(await store.image()), files }) }
    const { warnings } = await importFolder(folder, memory)
    expect(warnings).toEqual(NOT_MERGED.slice(0, 2))
  })

  it('adds nothing the second time', async () => {
    const [folder, memory] = [await sampleStore(), memoryStore()]
    await apply(memory, [note('mine')])
    await importFolder(folder, memory)
    const before = await collected(await memory.image())
    const again = await importFolder(folder, memory)
    expect([again.added, again.alreadyThere, again.leftOut, again.changes]).toEqual([0, 5, [], []])
    expect(await collected(await memory.image())).toEqual(before)
  })

  it('leaves out what has no room, and says why; what is there stays', async () => {
    const [folder, memory] = [await sampleStore(), memoryStore()]
    await apply(memory, [note('ship', { content: 'mine' }), context('city', 'Rome'), note('Other')])
    const changed = (await scanned(folder)).find(({ kind }) => kind === 'experience')
    if (!changed) throw new Error('the sample has one')
    await apply(memory, [experience('mine', { id: changed.id })])
    const before = await scanned(memory)
    const { added, leftOut } = await importFolder(folder, memory)
    expect(added).toBe(2)
    expect(leftOut).toEqual([
      { entry: 'the note "Deploys" of main', reason: '"ship" belongs to the note "ship" of main there' },
      { entry: `the experience "${changed.id}" of main`, reason: 'it is there with another text, which stays' },
      { entry: 'the context "city" of main', reason: '"city" belongs to the context "city" of main there' },
    ])
    expect((await scanned(memory)).slice(0, before.length)).toEqual(before)
  })

  it("brings no identity into a memory that exists: the folder may be someone else's", async () => {
    const [folder, memory] = [memoryStore(), memoryStore()]
    const identity = { op: 'add', scope: 'main', kind: 'identity', content: 'I am the attacker.' } as const
    await apply(folder, [identity, note('theirs')])
    await apply(memory, [note('mine')])
    const { added, leftOut } = await importFolder(folder, memory)
    expect([added, leftOut.map(({ entry }) => entry)]).toEqual([1, ['the identity "IDENTITY" of main']])
    expect((await scanned(memory)).map(({ kind }) => kind)).toEqual(['note', 'note'])
  })

  it('knows what is there under another id by its name and text, and log entries by their time', async () => {
    const [folder, memory] = [memoryStore({ clock: () => 0 }), memoryStore({ clock: () => 0 })]
    for (const store of [folder, memory]) await apply(store, [note('same'), experience('said'), experience('more')])
    const { added, alreadyThere, leftOut } = await importFolder(folder, memory)
    expect([added, alreadyThere, leftOut]).toEqual([0, 3, []])
  })

  it('is merged where somebody has just begun to write', async () => {
    const [folder, memory] = [await sampleStore(), memoryStore()]
    const { adopt } = memory
    const busy = {
      ...memory,
      adopt: async (...args: Parameters<typeof adopt>) => {
        await apply(memory, [note('first')])
        return adopt(...args)
      },
    }
    const { whole, added } = await importFolder(folder, busy)
    expect([whole, added, (await memory.heads()).length]).toEqual([false, 5, 6])
  })
})
