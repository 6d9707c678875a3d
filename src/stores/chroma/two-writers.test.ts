import { setImmediate as tick } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ramConnection } from '../../../test/chroma/ram-connection.ts'
import { noAnswer, RamShelf, type Troubles, unreachable } from '../../../test/chroma/ram-shelf.ts'
import { seeded } from '../../../test/chroma/seeded.ts'
import { isKeepsakeError } from '../../errors.ts'
import { handlesOf } from '../../model/draft.ts'
import type { Entry } from '../../model/entry.ts'
import type { Store } from '../../ports/store.ts'
import { memoryStore, randomOperations, stateDifference } from '../../testing/index.ts'
import { type ChromaStore, storeOn } from './store.ts'

const SEEDS = [1, 2, 3, 4]
const BATCHES = 70

/** Two machines on one server, each with a way to it that takes a random time, and fails now and then. */
function machines(seed: number, { failing }: { readonly failing: boolean }): readonly ChromaStore[] {
  const server = new RamShelf()
  const random = seeded(seed)
  let ms = Date.parse('2026-03-14T09:26:53.589Z')
  const troubles: Troubles = {
    async before(request) {
      for (let waits = Math.floor(random() * 4); waits > 0; waits--) await tick()
      if (failing && random() < 0.02) throw unreachable(request)
    },
    async after(request) {
      if (random() < 0.5) await tick()
      if (failing && random() < 0.02) throw noAnswer(request)
    },
  }
  const clock = (): number => ms++
  return [1, 2].map(() => storeOn(ramConnection(server.another(troubles)), { clock, timezone: 'UTC' }))
}

/** What a writer was told of each of its batches, by the mark that it put into it. */
type Told = Map<string, 'done' | 'nothing' | 'not done' | 'unknown'>

async function converse(store: Store, seed: number, told: Told): Promise<void> {
  const source = randomOperations(seed, BATCHES)
  let turn = source.next()
  for (let n = 0; !turn.done; n++) {
    const mark = `${seed}:${n}`
    const { batch, expect: revisions } = turn.value
    const marked = { ...batch, origin: { by: 'agent', agent: 'main', session: mark } as const }
    let entries: readonly Entry[] | undefined
    try {
      const applied = await store.apply(marked, revisions ? { expect: revisions } : {})
      entries = applied.entries
      told.set(mark, applied.change ? 'done' : 'nothing')
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      told.set(mark, error.data['unknown'] === true ? 'unknown' : 'not done')
    }
    turn = source.next(entries)
  }
}

async function scanned(store: Store): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of store.scan()) entries.push(entry)
  return entries
}

/** Asks until it is answered: the way to the server may fail here, too. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isKeepsakeError(error) || error.code !== 'IO') throw error
    }
  }
}

function claimsOf(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => handlesOf(entry).map((handle) => `${entry.scope} ${handle}`))
}

async function expectOneHistory(stores: readonly ChromaStore[], told: Told): Promise<void> {
  const [first, second] = stores
  if (!first || !second) throw new Error('there are two')
  const { changes } = await answered(() => first.changes())
  expect(changes.map(({ number }) => number)).toEqual(changes.map((_, index) => index + 1))
  const marks = changes.map(({ origin }) => ('session' in origin ? origin.session : undefined))
  expect(new Set(marks).size).toBe(marks.length)
  for (const [mark, outcome] of told) {
    if (outcome === 'done') expect(marks).toContain(mark)
    if (outcome === 'not done' || outcome === 'nothing') expect(marks).not.toContain(mark)
  }
  let at = 0
  const reference = memoryStore({ clock: () => at, settings: { timezone: 'UTC' } })
  for (const change of changes) {
    at = Date.parse(change.at)
    await reference.apply(change)
  }
  const entries = await scanned(reference)
  for (const store of stores) expect(stateDifference(await answered(() => scanned(store)), entries)).toBeUndefined()
  expect(new Set(claimsOf(entries)).size).toBe(claimsOf(entries).length)
  expect(new Set(entries.map(({ seq }) => seq)).size).toBe(entries.length)
}

describe('two writers on one memory', () => {
  it.each(SEEDS)('make one unbroken history of which both tell the same (seed %i)', async (seed) => {
    const stores = machines(seed, { failing: false })
    const told: Told = new Map()
    await Promise.all(stores.flatMap((store, n) => [1, 2].map((m) => converse(store, 100 * seed + 10 * n + m, told))))
    expect([...told.values()]).not.toContain('unknown')
    expect([...told.values()].filter((outcome) => outcome === 'done').length).toBeGreaterThan(BATCHES)
    await expectOneHistory(stores, told)
    await Promise.all(stores.map((store) => store.close()))
  })

  it.each(SEEDS)('do so where requests fail before and after they were done (seed %i)', async (seed) => {
    const stores = machines(seed, { failing: true })
    const told: Told = new Map()
    await Promise.all(stores.flatMap((store, n) => [1, 2].map((m) => converse(store, 100 * seed + 10 * n + m, told))))
    await expectOneHistory(stores, told)
    await Promise.all(stores.map((store) => store.close()))
  })

  it('lose no update that was written on what was read', async () => {
    const stores = machines(7, { failing: false })
    const [first] = stores
    const added = await first?.apply({
      operations: [{ op: 'add', kind: 'note', scope: 'main', name: 'count', content: '0' }],
      origin: { by: 'hand' },
    })
    const id = added?.entries[0]?.id ?? ''
    let refused = 0
    const count = async (store: Store): Promise<void> => {
      const { revision, content } = (await store.get(id)) ?? { revision: '', content: '' }
      const operations = [{ op: 'write', id, content: String(Number(content) + 1) }] as const
      try {
        await store.apply({ operations, origin: { by: 'hand' } }, { expect: { [id]: revision } })
      } catch (error) {
        if (!isKeepsakeError(error) || error.code !== 'CONFLICT') throw error
        refused++
        await count(store)
      }
    }
    await Promise.all(
      stores.map(async (store) => {
        for (let n = 0; n < 40; n++) await count(store)
      }),
    )
    for (const store of stores) expect((await scanned(store))[0]?.content).toBe('80')
    // Else they never met.
    expect(refused).toBeGreaterThan(0)
    await Promise.all(stores.map((store) => store.close()))
  })

  it('refuse a batch alone that another writer has made impossible, and do the rest', async () => {
    const [first, second] = machines(9, { failing: false })
    if (!first || !second) throw new Error('there are two')
    const add = (store: Store, name: string): Promise<unknown> =>
      store.apply({
        operations: [{ op: 'add', kind: 'note', scope: 'main', name, content: name }],
        origin: { by: 'hand' },
      })
    await first.init()
    const outcomes = await Promise.allSettled(
      [first, second].flatMap((store, n) => ['shared', `own ${n}`, `other ${n}`].map((name) => add(store, name))),
    )
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(refused).toEqual(['NAME_TAKEN'])
    expect((await scanned(first)).map(({ name }) => name).sort()).toEqual([
      'other 0',
      'other 1',
      'own 0',
      'own 1',
      'shared',
    ])
    await Promise.all([first.close(), second.close()])
  })

  it('make one memory of it when both write the first change', async () => {
    for (const seed of SEEDS) {
      const stores = machines(seed, { failing: false })
      await Promise.all(stores.map((store) => store.init()))
      const [one, other] = await Promise.all(stores.map((store) => store.settings()))
      expect(one).toEqual(other)
      await Promise.all(stores.map((store) => store.close()))
    }
  })
})
