/** What is told of changes, and what it costs: a real memory in a folder, watched in this process. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { lookAgain, reportUnreadable } from '../../src/follow/follow-memory.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { laterStore } from '../../src/mcp/later-store.ts'
import { type ResourceChange, watchResources } from '../../src/mcp/resource-changes.ts'
import { Subscriptions } from '../../src/mcp/subscriptions.ts'
import type { Problem, Store } from '../../src/ports/store.ts'
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
class Listener {
  readonly told: ResourceChange[] = []
  readonly hear = (change: ResourceChange): void => void this.told.push(change)
  readonly #place: Place
  #marks = 0

  constructor(place: Place) {
    this.#place = place
  }

  /** How often each of these was told, once all that was done has been. */
  async counts(...uris: readonly string[]): Promise<readonly number[]> {
    await this.caughtUp()
    return uris.map((uri) => this.countOf(uri))
  }

  countOf(uri: string): number {
    return this.told.filter((change) => change.uris.includes(uri)).length
  }

  /** An external edit is found last, so earlier changes have been reported by then. */
  async caughtUp(): Promise<void> {
    const name = `mark ${++this.#marks}`
    this.#place.edit(`agents/main/entries/mark-${this.#marks}.md`, note(name, 'So far.'))
    await vi.waitFor(() => expect(this.countOf(entry(name))).toBe(1), { timeout: 30_000, interval: 10 })
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
    const ear = new Listener(place)
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
    const ear = new Listener(place)
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
      if (below(8) === 0) await ear.caughtUp()
      // As a client does that reads what it is told of.
      for (const { uris } of ear.told.splice(0)) {
        for (const one of names.filter((each) => uris.includes(entry(each))))
          texts.set(one, (await memory.get(one))?.content)
      }
    }
    await ear.caughtUp()
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
      feed: (since, options) => {
        if (options?.edits?.length) asked.forHands++
        return store.feed(since, options)
      },
      // As a store that tells nobody of its own process's writes.
      watch: async () => ({ stop: async () => undefined }),
    }
    const memory = await place.memory(counting)
    const ear = new Listener(place)
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
          feed: async (...args) => {
            if (cannotBeRead) throw new KeepsakeError('IO', 'not now')
            return store.feed(...args)
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
    const ear = new Listener(place)
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

  it('is reported once, until it can be read again', async () => {
    const place = new Place()
    const store = place.store()
    let [failure, problems]: [string | undefined, Problem[]] = ['no reading today', []]
    const memory = await place.memory({
      ...store,
      feed: async (...args) => {
        if (failure !== undefined) throw new KeepsakeError('IO', failure)
        return { ...(await store.feed(...args)), problems }
      },
    })
    await memory.remember('One.', { name: 'a' })
    const warned: string[] = []
    reportUnreadable(memory.store, (news) => warned.push(...news))
    const [first, second] = await Promise.all([1, 2].map(() => watchResources(memory, () => undefined)))
    const third = await watchResources(memory, () => undefined)
    expect(warned).toEqual(['no reading today'])
    failure = undefined
    problems = [{ path: 'agents/main/', problem: 'is locked away' }]
    lookAgain(memory)
    await eventually(
      () => warned,
      (told) => told.length > 1,
    )
    expect(warned).toEqual(['no reading today', 'agents/main/: is locked away'])
    await Promise.all([first, second, third].map((watch) => watch?.stop()))
  })
})

// One after the other: they have one clock.
describe('by the clock', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  function holdTimers(): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
  }

  it('scans for external edits back off to ten times their duration, and still run', async () => {
    holdTimers()
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const place = new Place()
    const store = place.store()
    let [forHands, wake] = [0, (): void => undefined]
    const memory = await place.memory({
      ...store,
      feed: async (since, options) => {
        if (options?.edits?.length && forHands++ > 0) now += 40
        return store.feed(since, options)
      },
      watch: async (changed) => {
        wake = changed
        return { stop: async () => undefined }
      },
    })
    await memory.remember('One.', { name: 'a' })
    const ear = new Listener(place)
    const watch = await watchResources(memory, ear.hear)
    for (let n = 0; n < 75; n++) {
      place.edit('agents/main/entries/b.md', note('b', `Text ${n}.`))
      wake()
      now += 20
      await vi.advanceTimersByTimeAsync(20)
      await turn()
    }
    // Some 75 without the pause.
    expect(forHands).toBeLessThan(8)
    expect(ear.countOf(entry('b'))).toBeGreaterThan(1)
    await watch.stop()
  })

  it('a store that could not be watched is tried again by itself', async () => {
    holdTimers()
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
    const ear = new Listener(place)
    const watch = await watchResources(memory, ear.hear)
    expect(tries).toBe(1)
    await vi.advanceTimersByTimeAsync(2000)
    expect(tries).toBe(2)
    vi.useRealTimers()
    // By then everything is reported as new.
    await vi.waitFor(() => expect(ear.told).toHaveLength(1), { timeout: 30_000 })
    await memory.remember('One.', { name: 'a' })
    expect(await ear.counts(entry('a'))).toEqual([1])
    await watch.stop()
  })

  it('it is looked at again by itself after a look that failed', async () => {
    holdTimers()
    const place = new Place()
    const store = place.store()
    let fails = 0
    const memory = await place.memory({
      ...store,
      feed: async (...args) => {
        if (fails-- > 0) throw new KeepsakeError('IO', 'not now')
        return store.feed(...args)
      },
      // So that nothing but the look itself brings the next one.
      watch: async () => ({ stop: async () => undefined }),
    })
    const ear = new Listener(place)
    const watch = await watchResources(memory, ear.hear)
    await memory.remember('One.', { name: 'a' })
    fails = 1
    lookAgain(memory)
    await turn()
    expect(ear.told).toEqual([])
    await vi.advanceTimersByTimeAsync(2000)
    await turn()
    expect(ear.countOf(entry('a'))).toBe(1)
    await watch.stop()
  })
})
