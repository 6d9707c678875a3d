/** How many round trips to the server each call takes, counted by a proxy: on a network they take most of its time. */
import { expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import type { Store } from '../../src/ports/store.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { countingProxy } from './counting-proxy.ts'
import { describeOnPostgres } from './server.ts'

interface Place {
  readonly memory: Memory
  readonly store: Store
  /** Of an entry called Gate. */
  readonly id: string
}

const CALLS: readonly (readonly [name: string, atMost: number, call: (place: Place) => Promise<unknown>])[] = [
  ['remember without a name', 2, ({ memory }) => memory.remember('The bicycle is in the shed.')],
  ['recall that finds something new', 2, ({ memory }) => memory.search('bicycle', { mode: 'lexical' })],
  ['recall that finds nothing new', 1, ({ memory }) => memory.search('bicycle', { mode: 'lexical' })],
  ['remember with a name', 3, ({ memory }) => memory.remember('By the shed.', { name: 'Bicycle' })],
  ['remember with a name that is taken', 4, ({ memory }) => memory.remember('Stolen.', { name: 'Bicycle' })],
  ['list', 1, ({ memory }) => memory.list()],
  ['list without texts', 1, ({ memory }) => memory.heads()],
  ['get by name', 1, ({ memory }) => memory.get('Gate')],
  ['get by id', 1, ({ store, id }) => store.get(id)],
  ['log', 3, ({ memory }) => memory.log({ limit: 20 })],
  ['undo', 6, ({ memory }) => memory.undo()],
]

describeOnPostgres('round trips to the server', (server) => {
  it('are few for each call on an open memory', async () => {
    const proxy = await countingProxy(server.port)
    const place = { ...parsePostgresAddress(server.freshUrl()), port: proxy.port }
    const store = postgresStore({ place, timezone: 'UTC' })
    const memory = new Memory(store, 'main', Date.now)
    // Connects, creates the memory, and waits for the upkeep after the first write.
    const { entry } = await memory.remember('The gate code is 4711.', { name: 'Gate' })
    await memory.remember('Nothing of note.')
    await memory.search('gate', { mode: 'lexical' })
    const counts: Record<string, number> = {}
    for (const [name, , call] of CALLS) {
      proxy.roundTrips()
      await call({ memory, store, id: entry.id })
      counts[name] = proxy.roundTrips()
    }
    await store.close()
    expect(counts).toEqual(Object.fromEntries(CALLS))
  })
})
