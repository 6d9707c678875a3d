/** What is different on PostgreSQL: notifications, what a purge leaves in the tables, a restored server, and the doctor. */
import { describe, expect, it, vi } from 'vitest'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import { examinePostgres } from '../../src/stores/doctor/postgres.ts'
import { TABLE_NAMES } from '../../src/stores/engine/schema.ts'
import { type PostgresStore, type PostgresStoreOptions, postgresStore } from '../../src/stores/postgres/store.ts'
import { apply, applyOne, note } from '../../src/testing/requests.ts'
import { afterThisFile } from '../clean-up.ts'
import { countingProxy } from './counting-proxy.ts'
import { describeOnPostgres } from './server.ts'

const LIMITS = { lockMs: 10_000, requestMs: 10_000 }

function open(url: string, options: Partial<PostgresStoreOptions> = {}): PostgresStore {
  const store = postgresStore({ place: parsePostgresAddress(url), timezone: 'UTC', ...options })
  afterThisFile(() => store.close())
  return store
}

function schemaOf(url: string): string {
  return parsePostgresAddress(url).schema
}

describeOnPostgres('a memory on PostgreSQL', (server) => {
  it('has real columns that psql shows', async () => {
    const url = server.freshUrl()
    await applyOne(open(url), note('Deploys', { content: 'On Tuesdays.', metadata: { team: 'ops' } }))
    const rows = await server.query(
      `SELECT seq, scope, kind, name, content, metadata::json->>'team' AS team FROM ${schemaOf(url)}.entries`,
    )
    expect(rows).toEqual([
      { seq: '1', scope: 'main', kind: 'note', name: 'Deploys', content: 'On Tuesdays.', team: 'ops' },
    ])
  })

  it('leaves nothing of a purged text in any table, and lists what is out of reach', async () => {
    const url = server.freshUrl()
    const store = open(url)
    const secret = 'a-secret-that-must-go-and-is-long-enough'
    const { id } = await applyOne(store, note('a', { content: secret, aliases: [`${secret}-alias`] }))
    await apply(store, [{ op: 'write', id, content: `${secret} two` }])
    await store.sessions.append('main', 'chat', [{ role: 'user', content: secret }])
    await store.derived.write('words', Buffer.from(secret))
    const purged = await store.purge([id], { origin: { by: 'agent', agent: 'main' } })
    for (const table of TABLE_NAMES) {
      const rows = await server.query<{ text: string }>(
        `SELECT replace(encode(convert_to(t::text, 'UTF8'), 'escape'), '\\\\', '\\') AS text FROM ${schemaOf(url)}.${table} t`,
      )
      const hex = Buffer.from(secret).toString('hex')
      for (const { text } of rows) expect(text.includes(secret) || text.includes(hex), `${table}: ${text}`).toBe(false)
    }
    expect(purged.outOfReach.join('\n')).toMatch(/write-ahead logs.*replicas[\s\S]*dumps[\s\S]*VACUUM FULL/)
    const [dead] = await server.query<{ count: string }>(
      `SELECT sum(n_dead_tup) AS count FROM pg_stat_user_tables WHERE schemaname = '${schemaOf(url)}' AND relname = 'versions' AND vacuum_count = 0`,
    )
    expect(dead?.count ?? '0').toBe('0')
  })

  it('calls back when another process commits, and not for its own commits', async () => {
    const url = server.freshUrl()
    const [store, other] = [open(url), open(url)]
    await apply(store, [note('first')])
    let calls = 0
    const watch = await store.watch(() => calls++)
    await apply(store, [note('own')])
    await apply(other, [note('other')])
    await vi.waitUntil(() => calls > 0)
    expect(calls).toBe(1)
    await watch.stop()
  })

  it('watches again after its connection was cut, and reports what it may have missed', async () => {
    const url = server.freshUrl()
    const proxy = await countingProxy(server.port)
    const store = open(url.replace(/:\d+\//, `:${proxy.port}/`))
    await apply(store, [note('first')])
    let calls = 0
    const watch = await store.watch(() => calls++)
    proxy.cut()
    await vi.waitUntil(() => calls > 0, { timeout: 10_000 })
    await watch.stop()
  })

  it('stops watching and ends, also before its connection is there', async () => {
    const url = server.freshUrl()
    const store = open(url)
    await apply(store, [note('first')])
    const watching = store.watch(() => undefined)
    await store.close()
    await (await watching).stop()
    const again = open(url)
    const watch = await again.watch(() => undefined)
    await watch.stop()
    await again.close()
    await vi.waitUntil(async () => {
      const rows = await server.query(`SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN keepsake_${schemaOf(url)}'`)
      return rows.length === 0
    })
  })

  it('starts a feed over if the server was restored and has other changes after the cursor', async () => {
    const url = server.freshUrl()
    const store = open(url)
    await apply(store, [note('a')])
    await apply(store, [note('lost')])
    const { cursor } = await store.feed('now')
    await server.query(`DELETE FROM ${schemaOf(url)}.changes WHERE number = 2`)
    await server.query(`UPDATE ${schemaOf(url)}.settings SET value = '{"number":1,"nextSeq":3}' WHERE key = 'last'`)
    await apply(store, [note('another')])
    const feed = await store.feed(cursor)
    expect([feed.cursor.number, feed.restarted]).toEqual([2, true])
    expect((await store.feed(feed.cursor)).restarted).toBe(false)
  })

  it('leaves out changes of other scopes on request', async () => {
    const store = open(server.freshUrl())
    const { cursor } = await store.feed('now')
    await apply(store, [note('mine')])
    await apply(store, [note('theirs', { scope: 'bob' })])
    const feed = await store.feed(cursor, { scopes: ['bob', 'world'] })
    expect(feed.changes.map(({ number }) => number)).toEqual([2])
    expect(feed.cursor.number).toBe(2)
  })

  it('uses the clock of the server for leases', async () => {
    const url = server.freshUrl()
    const [store, ahead] = [open(url), open(url, { clock: () => Date.now() + 3_600_000 })]
    await apply(store, [note('a')])
    const lease = await store.lease('embed')
    expect(await ahead.lease('embed')).toBeUndefined()
    await lease?.release()
    expect(await ahead.lease('embed')).toBeDefined()
  })

  describe('the doctor', () => {
    it('finds nothing wrong with a memory', async () => {
      const url = server.freshUrl()
      const store = open(url)
      await apply(store, [note('a'), note('b')])
      await store.sessions.append('main', 'chat', [{ role: 'user', content: 'hello' }])
      expect(await examinePostgres({ place: parsePostgresAddress(url), ...LIMITS }, {})).toEqual({
        findings: [],
        checked: { files: 0, entries: 2, changes: 1, sessions: 1 },
      })
    })

    it('finds a row that was changed outside Keepsake, and so does a read', async () => {
      const url = server.freshUrl()
      const store = open(url)
      const { id } = await applyOne(store, note('a', { content: 'right' }))
      await server.query(`UPDATE ${schemaOf(url)}.entries SET content = 'wrong'`)
      const { findings } = await examinePostgres({ place: parsePostgresAddress(url), ...LIMITS }, {})
      expect(findings).toMatchObject([
        {
          code: 'damaged-record',
          fixable: false,
          problem: `table entries, row id ${id}: its checksum or its values are wrong`,
        },
        expect.anything(),
      ])
      await expect(store.get(id)).rejects.toMatchObject({ code: 'DAMAGED' })
    })

    it('says that there is no memory yet', async () => {
      const { findings } = await examinePostgres({ place: parsePostgresAddress(server.freshUrl()), ...LIMITS }, {})
      expect(findings).toMatchObject([{ code: 'no-workspace' }])
    })
  })
})
