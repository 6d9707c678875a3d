/** A replica of the server that the tests use: it has what a synchronous commit acknowledged. */
import { expect, it } from 'vitest'
import { promote } from '../../scripts/postgres-program.mjs'
import { describeOnPostgres } from './server.ts'

describeOnPostgres(
  'a replica',
  (server) => {
    it('takes over from a killed primary with all that was acknowledged', async () => {
      const replica = await server.createReplica()
      await server.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'")
      await server.query('SELECT pg_reload_conf()')
      await expect
        .poll(() => server.query('SELECT sync_state FROM pg_stat_replication'))
        .toEqual([{ sync_state: 'sync' }])
      await server.query('CREATE TABLE kept AS SELECT 7 AS seven', [], server.url())
      await expect(server.query('CREATE TABLE more ()', [], replica.url)).rejects.toMatchObject({ code: '25006' })
      await server.kill()
      await promote(replica)
      await server.query('INSERT INTO kept VALUES (8)', [], replica.url)
      expect(await server.query('SELECT seven FROM kept', [], replica.url)).toEqual([{ seven: 7 }, { seven: 8 }])
    })
  },
  { onDisk: true },
)
