/** Writes that share a transaction whose COMMIT got no answer: what was acknowledged is there once, whatever became of the others. */
import { expect, it } from 'vitest'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import { type PostgresStore, postgresStore } from '../../src/stores/postgres/store.ts'
import { apply, note, scanned } from '../../src/testing/requests.ts'
import { afterThisFile } from '../clean-up.ts'
import { CuttingProxy } from './cutting-proxy.ts'
import { describeOnPostgres } from './server.ts'

function open(url: string): PostgresStore {
  const store = postgresStore({ place: parsePostgresAddress(url), timezone: 'UTC' })
  afterThisFile(() => store.close())
  return store
}

const FIRST: Readonly<Record<string, (store: PostgresStore, id: string) => Promise<unknown>>> = {
  'a write that changes nothing': (store, id) => apply(store, [{ op: 'write', id, content: 'one' }]),
  'a refused write': (store, id) => {
    const operations = [{ op: 'write', id, content: 'two' }] as const
    return store.apply({ operations, origin: { by: 'agent' } }, { expect: { [id]: 'another revision' } })
  },
  'a refused append': (store) => store.sessions.append('main', 'chat', [{ refused: true }], { expectEnd: 7 }),
}
const CUTS = ['before COMMIT', 'with COMMIT', 'after COMMIT'] as const

describeOnPostgres('a lost answer to COMMIT', (server) => {
  const cases = Object.keys(FIRST).flatMap((first) => CUTS.map((cutAt) => ({ first, cutAt })))

  it.each(cases)('after $first, cut $cutAt, loses and doubles nothing', async ({ first, cutAt }) => {
    const url = server.freshUrl()
    const proxy = await new CuttingProxy().begin(server.port)
    const store = open(url.replace(/:\d+\//, `:${proxy.port}/`))
    const { entries } = await apply(store, [note('a', { content: 'one' })])
    await store.sessions.append('main', 'chat', [{ begin: true }])
    proxy.cutAt = cutAt
    const [, added, appended] = await Promise.allSettled([
      FIRST[first]?.(store, entries[0]?.id ?? ''),
      apply(store, [note('b')]),
      store.sessions.append('main', 'chat', [{ said: 'once' }]),
    ])
    expect(proxy.cuts).toBe(1)
    expect([added.status, appended.status]).toEqual(['fulfilled', 'fulfilled'])
    const other = open(url)
    expect((await scanned(other)).map(({ name }) => name)).toEqual(['a', 'b'])
    const { records = [] } = (await other.sessions.read('main', 'chat')) ?? {}
    expect(records.filter(({ said }) => said === 'once')).toHaveLength(1)
  })
})
