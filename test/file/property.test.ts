/**
 * A long random conversation with a store on a disk and with the oracle in RAM: all five operations, names and aliases, by two
 * store objects on one path that know nothing of each other, as two processes would have them, with folds and reopening in
 * between. Every answer, every name and, now and then, all of state, feed and history must be the same.
 * The nightly run compares 50,000 steps.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import { handlesOf, keyHandle } from '../../src/model/draft.ts'
import type { Entry, EntryHead } from '../../src/model/entry.ts'
import { newId } from '../../src/model/id.ts'
import type { Store } from '../../src/ports/store.ts'
import { type FileStore, fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type RandomBatch, randomOperations, stateDifference } from '../../src/testing/index.ts'
import { type Random, seededRandom } from '../../src/testing/random.ts'
import { isNightly } from '../tier.ts'

const LOOK_EVERY = 100

interface OpenOptions {
  readonly clock: () => number
  readonly newId: (at: number) => string
  readonly timezone: string
}

/** A store that two objects can have open at once. */
interface Sort {
  readonly sort: string
  readonly open: (folder: string, options: OpenOptions) => Store
  readonly fold?: (store: Store) => Promise<void>
  readonly conversations: number
  readonly steps: number
}

const SORTS: readonly Sort[] = [
  {
    sort: 'the file',
    open: (folder, options) => fileStore({ path: join(folder, 'memory.keepsake'), ...options }),
    fold: (store) => (store as FileStore).fold(), // as open made it
    conversations: isNightly ? 25 : 1,
    steps: isNightly ? 2000 : 200,
  },
  {
    sort: 'the folder',
    open: (folder, options) => filesystemStore({ root: join(folder, 'memory'), ...options }),
    conversations: isNightly ? 10 : 1,
    steps: isNightly ? 1000 : 80,
  },
]

type Answer = readonly Omit<Entry, 'path'>[] | string

async function answerOf(store: Store, { batch, expect: expected }: RandomBatch): Promise<Answer> {
  try {
    return (await store.apply(batch, expected ? { expect: expected } : {})).entries.map(bare)
  } catch (error) {
    if (isKeepsakeError(error)) return error.code
    throw error
  }
}

/** Only a folder has paths. */
function bare<Some extends EntryHead>({ path: _, ...entry }: Some): Omit<Some, 'path'> {
  return entry
}

async function stateOf(store: Store): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of store.scan()) entries.push(entry)
  return entries
}

/** What each change did. */
async function historyOf(store: Store): Promise<unknown[]> {
  return [...(await store.history()).changes].map(({ change, touched }) => ({
    change,
    touched: touched.map(({ id, before, after }) => [id, before && bare(before), after && bare(after)]),
  }))
}

/** The two on one path, the one oracle, and a clock that all share. */
class Conversation {
  readonly #random: Random
  readonly #sort: Sort
  readonly #folder: string
  readonly #ids: string[] = []
  readonly #newId: (at: number) => string
  readonly #stores: Store[]
  readonly oracle: Store
  #ms = Date.parse('2026-03-29T00:30:00.000Z')

  constructor(sort: Sort, seed: number, folder: string) {
    this.#random = seededRandom(seed * 7919)
    this.#sort = sort
    this.#folder = folder
    this.#newId = this.#idsInOrder()
    this.oracle = memoryStore({ clock: () => this.#ms, newId: this.#idsInOrder(), settings: { timezone: 'UTC' } })
    this.#stores = [this.#open(), this.#open()]
  }

  #open(): Store {
    return this.#sort.open(this.#folder, { clock: () => this.#ms, newId: this.#newId, timezone: 'UTC' })
  }

  /** Both sides get the same ones in the same order, so that their states can be compared to the letter. */
  #idsInOrder(): (at: number) => string {
    let next = 0
    return (at) => {
      while (this.#ids.length <= next) this.#ids.push(newId(at))
      return this.#ids[next++] ?? ''
    }
  }

  any(): Store {
    return this.#random.pick(this.#stores)
  }

  async hold(step: RandomBatch): Promise<readonly Entry[] | undefined> {
    // On the whole forward, and now and then back.
    this.#ms += this.#random.chance(11) ? -100_000 : this.#random.int(7) * 61_000
    if (this.#random.chance(60)) await this.#sort.fold?.(this.any())
    if (this.#random.chance(30)) await this.#reopenOne()
    const [ours, theirs] = [await answerOf(this.any(), step), await answerOf(this.oracle, step)]
    expect(ours, JSON.stringify(step)).toEqual(theirs)
    if (typeof theirs === 'string') return undefined
    for (const entry of theirs) await this.#lookUp(entry)
    return theirs
  }

  async #reopenOne(): Promise<void> {
    const index = this.#random.int(this.#stores.length)
    await this.#stores[index]?.close()
    this.#stores[index] = this.#open()
  }

  /** By id and by every name it has or had: whoever it belongs to now. */
  async #lookUp({ id, scope, ...entry }: Entry): Promise<void> {
    const store = this.any()
    const same = (ours: Entry | undefined, theirs: Entry | undefined): void =>
      expect(ours && bare(ours)).toEqual(theirs && bare(theirs))
    same(await store.get(id), await this.oracle.get(id))
    for (const handle of handlesOf(entry)) {
      const isKey = entry.key !== undefined && handle === keyHandle(entry.key)
      const find = (one: Store): Promise<Entry | undefined> =>
        isKey ? one.resolveKey(scope, entry.key ?? '') : one.resolve(scope, handle)
      same(await find(store), await find(this.oracle))
    }
  }

  async lookAtAll(): Promise<void> {
    const all = await stateOf(this.oracle)
    const told = (await this.oracle.changes()).changes
    for (const store of this.#stores) {
      expect(stateDifference(await stateOf(store), all)).toBeUndefined()
      const heads = await store.heads({ kinds: ['note', 'context'] })
      expect(heads.map(bare)).toEqual(await this.oracle.heads({ kinds: ['note', 'context'] }))
    }
    expect((await this.any().changes()).changes).toEqual(told)
  }

  async end(): Promise<void> {
    await this.lookAtAll()
    expect(await historyOf(this.any())).toEqual(await historyOf(this.oracle))
    for (const store of this.#stores) await store.close()
  }
}

const CONVERSATIONS = SORTS.flatMap((sort) =>
  Array.from({ length: sort.conversations }, (_, n) => ({ ...sort, seed: n + 1 })),
)

it.each(CONVERSATIONS)(
  'conversation $seed with $sort is the one with the oracle',
  { timeout: 600_000 },
  async (one) => {
    const folder = mkdtempSync(join(tmpdir(), 'keepsake-property-'))
    try {
      const conversation = new Conversation(one, one.seed, folder)
      const steps = randomOperations(one.seed + 1000, one.steps)
      let told: readonly Entry[] | undefined
      for (let n = 1; ; n++) {
        const next = steps.next(told)
        if (next.done) break
        told = await conversation.hold(next.value)
        if (n % LOOK_EVERY === 0) await conversation.lookAtAll()
      }
      await conversation.end()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
