/** A replica takes over from a killed primary: with synchronous replication it has every acknowledged write, and readers notice. */
import { expect, it } from 'vitest'
import { promote } from '../../scripts/postgres-program.mjs'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import { examinePostgres } from '../../src/stores/doctor/postgres.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { apply, note, scanned } from '../../src/testing/requests.ts'
import { describeOnPostgres } from './server.ts'

const WRITES = 300

describeOnPostgres(
  'a replica',
  (server) => {
    it('takes over from a killed primary with every acknowledged write', async () => {
      const replica = await server.createReplica()
      await server.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'")
      await server.query('SELECT pg_reload_conf()')
      await expect
        .poll(() => server.query('SELECT sync_state FROM pg_stat_replication'))
        .toEqual([{ sync_state: 'sync' }])

      const primary = parsePostgresAddress(server.freshUrl())
      const { host, port } = new URL(replica.url)
      const second = { ...primary, host: host.replace(/:\d+$/, ''), port: Number(port) }
      const store = postgresStore({ place: primary, lockWaitMs: 1000 })
      const acknowledged: string[] = []
      const writing = (async () => {
        for (let n = 0; n < WRITES; n++) {
          await apply(store, [note(`note ${n}`)])
          acknowledged.push(`note ${n}`)
          if (n === WRITES / 2) void server.kill()
        }
      })()
      await expect(writing).rejects.toMatchObject({ code: 'IO' })
      await store.close()
      expect(acknowledged.length).toBeGreaterThan(WRITES / 2)

      const reader = postgresStore({ place: second })
      await expect(apply(reader, [note('too early')])).rejects.toMatchObject({ code: 'READ_ONLY' })
      await promote(replica)
      const names = (await scanned(reader)).map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(acknowledged))
      expect(new Set(names).size).toBe(names.length)
      await apply(reader, [note('after it')])
      await reader.close()
      const { findings } = await examinePostgres({ place: second, lockMs: 10_000, requestMs: 10_000 }, {})
      expect(findings).toEqual([])
    })
  },
  { onDisk: true },
)
