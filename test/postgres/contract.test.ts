import { it } from 'vitest'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import type { Store } from '../../src/ports/store.ts'
import { CAPABILITIES, postgresStore } from '../../src/stores/postgres/store.ts'
import { storeContract } from '../../src/testing/index.ts'
import { describeOnPostgres } from './server.ts'

const opened = new Map<Store, () => Store>()

describeOnPostgres('the store on PostgreSQL keeps the contract: it', (server) => {
  const cases = storeContract(
    {
      name: 'the store on PostgreSQL',
      capabilities: CAPABILITIES,
      movable: true,
      async open({ clock, newId }) {
        const place = parsePostgresAddress(server.freshUrl())
        const open = (): Store => postgresStore({ place, clock, newId, timezone: 'UTC' })
        const store = open()
        opened.set(store, open)
        return store
      },
      async reopen(store) {
        const open = opened.get(store)
        if (!open) throw new Error('not one of ours')
        await store.close()
        const again = open()
        opened.set(again, open)
        return again
      },
      async dispose(store) {
        await store.close()
        opened.delete(store)
      },
    },
    { seeds: [1, 91] },
  )
  for (const { name, run } of cases) it(name, run)
})
