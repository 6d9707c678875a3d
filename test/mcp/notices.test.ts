/** What is told of changes, and what it costs: a real memory in a folder, watched in this process. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { lookAgain } from '../../src/follow/follow-memory.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { laterStore } from '../../src/mcp/later-store.ts'
import { type ResourceChange, watchResources } from '../../src/mcp/resource-changes.ts'
import { Subscriptions } from '../../src/mcp/subscriptions.ts'
import type { Store } from '../../src/ports/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { freshFolder } from '../cli/keepsake.ts'
import { eventually } from './harness.ts'

const opened: Memory[] = []

afterAll(async () => {
  await Promise.all(opened.splice(0).map((memory) => memory.close()))
})

class Place {
  readonly root: string = join(freshFolder(), '.keepsake')

  async memory(store: Store = this.store()): Promise<Memory> {
    const memory = await openMemory({ store })
    opened.push(memory)
    return memory
  }

  store(): Store {
    return filesystemStore({ root: this.root, timezone: 'UTC' })
  }

  edit(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { force: true })
  }
}

/** All that was told, as one. */
class Ear {
  readonly told: ResourceChange[] = []
  readonly hear = (change: ResourceChange): void => void this.told.push(change)

  /** How often each of these was told, once nothing more comes. */
  async counts(...uris: readonly string[]): Promise<readonly number[]> {
    await this.quiet()
    return uris.map((uri) => this.told.filter((change) => change.uris.includes(uri)).length)
  }

  /** Longer than the store waits for a hand to finish, and than a look may be put off in so small a memory. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.told.length; ) {
      before = this.told.length
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
}

function entry(name: string): string {
  return `keepsake://entry/${encodeURIComponent(name)}`
}

function note(name: string, text: string): string {
  return `---\nname: ${name}\n---\n\n${text}\n`
}

describe.concurrent('what is told', () => {
  it('comes once, whoever changed it and however', async () => {
    const place = new Place()
    const memory = await place.memory()
    const other = await place.memory()
    await memory.remember('One.', { name: 'kept' })
    await memory.remember('One.', { name: 'edited' })
    const edited = readFileSync(join(place.root, 'agents/main/entries/edited.md'), 'utf8')
    const ear = new Ear()
    const watch = await watchResources(memory, ear.hear)

    await memory.remember('Two.', { name: 'kept' })
    lookAgain(memory)
    expect(await ear.counts(entry('kept'))).toEqual([1])
    await other.remember('Three.', { name: 'kept' })
    await other.remember('New.', { name: 'added' })
    await other.as('scout').remember('Not for all.', { name: 'hidden' })
    expect(await ear.counts(entry('kept'), entry('added'), entry('hidden'))).toEqual([2, 1, 0])

    place.edit('agents/main/entries/edited.md', edited.replace('One.', 'By hand.'))
    place.edit('agents/main/entries/by-hand.md', note('by hand', 'Made by hand.'))
    expect(await ear.counts(entry('edited'), entry('by hand'))).toEqual([1, 1])
    // A write journals what the hand did: that is no news.
    await memory.remember('Four.', { name: 'edited' })
    expect(await ear.counts(entry('edited'), entry('by hand'))).toEqual([2, 1])
    place.edit('agents/main/entries/mayfly.md', note('mayfly', 'Here.'))
    expect(await ear.counts(entry('mayfly'))).toEqual([1])
    place.remove('agents/main/entries/mayfly.md')
    expect(await ear.counts(entry('mayfly'))).toEqual([2])
    expect(ear.told.at(-1)?.list).toBe(true)

    await memory.forget('added')
    await memory.rename('kept', 'renamed')
    lookAgain(memory)
    expect(await ear.counts(entry('added'), entry('kept'), entry('renamed'))).toEqual([2, 3, 1])
    await watch.stop()
  })

  it('is all that changed, in any order of writes, hands and other processes', async () => {
    const place = new Place()
    const memory = await place.memory()
    const other = await place.memory()
    const names = ['a', 'b', 'c', 'd']
    for (const name of names) await memory.remember('First.', { name })
    const texts = new Map<string, string | undefined>(names.map((name) => [name, 'First.']))
    const ear = new Ear()
    const watch = await watchResources(memory, ear.hear)
    let random = 7
    const below = (count: number): number => {
      random = (random * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((random / 2 ** 31) * count)
    }
    for (let turn = 0; turn < 40; turn++) {
      const name = names[below(names.length)] ?? ''
      const file = `agents/main/entries/${name}.md`
      const by = [memory, other][below(2)] ?? memory
      const act = below(5)
      if (act < 2) await by.remember(`Text ${turn}.`, { name })
      else if (act === 2) await by.forget(name).catch(() => undefined)
      else if (act === 3) place.edit(file, note(name, `Text ${turn}, by hand.`))
      else place.remove(file)
      lookAgain(memory)
      if (below(8) === 0) await ear.quiet()
      // As a client does that reads what it is told of.
      for (const { uris } of ear.told.splice(0)) {
        for (const one of names.filter((each) => uris.includes(entry(each))))
          texts.set(one, (await memory.get(one))?.content)
      }
    }
    await ear.quiet()
    for (const { uris } of ear.told) {
      for (const one of names.filter((each) => uris.includes(entry(each))))
        texts.set(one, (await memory.get(one))?.content)
    }
    const there = await Promise.all(names.map(async (name) => [name, (await memory.get(name))?.content]))
    expect([...texts]).toEqual(there)
    await watch.stop()
  })

  it('costs what changed: a write reads no other entry and looks at no other file', async () => {
    const place = new Place()
    const store = place.store()
    const asked = { heads: 0, get: 0, forHands: 0 }
    const counting: Store = {
      ...store,
      heads: (...args) => {
        asked.heads++
        return store.heads(...args)
      },
      get: (...args) => {
        asked.get++
        return store.get(...args)
      },
      changes: (since, options) => {
        if (options?.edits?.length) asked.forHands++
        return store.changes(since, options)
      },
      // As a store that tells nobody of its own process's writes.
      watch: async () => ({ stop: async () => undefined }),
    }
    const memory = await place.memory(counting)
    const ear = new Ear()
    const watch = await watchResources(memory, ear.hear)
    expect(asked).toEqual({ heads: 1, get: 0, forHands: 1 })
    for (let n = 0; n < 20; n++) {
      await memory.remember(`Line ${n}.`)
      lookAgain(memory)
      await eventually(
        () => ear.told.length,
        (count) => count > n,
      )
    }
    expect(asked).toEqual({ heads: 1, get: 0, forHands: 1 })
    expect(ear.told.map(({ uris, list }) => [uris.length, list])).toEqual(Array.from({ length: 20 }, () => [1, false]))
    await watch.stop()
  })

  it('is put off no longer than looks for hands take, and still comes', async () => {
    const place = new Place()
    const store = place.store()
    let forHands = 0
    const memory = await place.memory({
      ...store,
      changes: async (since, options) => {
        if (options?.edits?.length && forHands++ > 0) await new Promise((resolve) => setTimeout(resolve, 40))
        return store.changes(since, options)
      },
    })
    await memory.remember('One.', { name: 'a' })
    const ear = new Ear()
    const watch = await watchResources(memory, ear.hear)
    const begin = Date.now()
    let n = 0
    while (Date.now() - begin < 1500) {
      place.edit('agents/main/entries/b.md', note('b', `Text ${n++}.`))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await eventually(
      async () => (await memory.get('b'))?.revision,
      () => ear.told.length > 1,
    )
    // Some 20 without the pause.
    expect(forHands).toBeLessThan(8)
    expect((await ear.counts(entry('b')))[0]).toBeGreaterThan(1)
    await watch.stop()
  })
})

describe.concurrent('a connection', () => {
  it('hears on when it wants something anew while what it wanted is being given up', async () => {
    const place = new Place()
    const memory = await place.memory()
    await memory.remember('One.', { name: 'a' })
    const subscriptions = new Subscriptions(memory)
    const updated: string[] = []
    subscriptions.tellTo({
      sendResourceUpdated: async ({ uri }) => void updated.push(uri),
      sendResourceListChanged: async () => undefined,
    })
    const wish = { uris: [entry('a')], list: false }
    await Promise.all([subscriptions.want(1, wish), subscriptions.drop(1), subscriptions.want(2, wish)])
    await memory.remember('Two.', { name: 'a' })
    lookAgain(memory)
    expect(
      await eventually(
        () => updated,
        (uris) => uris.length > 0,
      ),
    ).toEqual([entry('a')])
    await subscriptions.close()
  })
})

describe.concurrent('a store that fails', () => {
  it('is watched once it can be opened, and is news then; no watch is left behind', async () => {
    const place = new Place()
    const written = await place.memory()
    await written.remember('One.', { name: 'a' })
    let isBroken = true
    let cannotBeRead = true
    let watches = 0
    const store = place.store()
    const memory = await place.memory(
      laterStore(async () => {
        if (isBroken) throw new KeepsakeError('DAMAGED', 'not now')
        return {
          ...store,
          changes: async (...args) => {
            if (cannotBeRead) throw new KeepsakeError('IO', 'not now')
            return store.changes(...args)
          },
          watch: async (changed) => {
            watches++
            const watch = await store.watch(changed)
            return {
              stop: async () => {
                watches--
                await watch.stop()
              },
            }
          },
        }
      }),
    )
    const ear = new Ear()
    const watch = await watchResources(memory, ear.hear)
    isBroken = false
    const second = await watchResources(memory, () => undefined)
    expect([watches, ear.told]).toEqual([0, []])
    cannotBeRead = false
    lookAgain(memory)
    await eventually(
      () => ear.told,
      (told) => told.length > 0,
    )
    expect(ear.told).toMatchObject([{ uris: expect.arrayContaining([entry('a')]), list: true }])
    expect(watches).toBe(1)
    await memory.remember('Two.', { name: 'a' })
    expect(await ear.counts(entry('a'))).toEqual([2])
    await Promise.all([watch.stop(), second.stop()])
    expect(watches).toBe(0)
  })

  it('is tried again by itself', async () => {
    const place = new Place()
    const store = place.store()
    let tries = 0
    const memory = await place.memory({
      ...store,
      watch: async (changed) => {
        if (++tries === 1) throw new KeepsakeError('IO', 'not now')
        return store.watch(changed)
      },
    })
    await memory.remember('Zero.')
    const ear = new Ear()
    const watch = await watchResources(memory, ear.hear)
    expect(
      await eventually(
        () => tries,
        (count) => count > 1,
        4000,
      ),
    ).toBe(2)
    await memory.remember('One.', { name: 'a' })
    expect(await ear.counts(entry('a'))).toEqual([1])
    await watch.stop()
  })

  it('is looked at again by itself after a look that failed', async () => {
    const place = new Place()
    const store = place.store()
    let fails = 0
    const memory = await place.memory({
      ...store,
      changes: async (...args) => {
        if (fails-- > 0) throw new KeepsakeError('IO', 'not now')
        return store.changes(...args)
      },
      // So that nothing but the look itself brings the next one.
      watch: async () => ({ stop: async () => undefined }),
    })
    const ear = new Ear()
    const watch = await watchResources(memory, ear.hear)
    await memory.remember('One.', { name: 'a' })
    fails = 1
    lookAgain(memory)
    await eventually(
      () => ear.told,
      (told) => told.length > 0,
      5000,
    )
    expect(await ear.counts(entry('a'))).toEqual([1])
    await watch.stop()
  })
})
