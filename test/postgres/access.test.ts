/** Access by database role. The roles are created with the SQL of docs/postgres.md, as a reader would paste it. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Client } from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import type { Store } from '../../src/ports/store.ts'
import { examinePostgres } from '../../src/stores/doctor/postgres.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { scanned } from '../../src/testing/requests.ts'
import { Desk } from '../cli/keepsake.ts'
import { describeOnPostgres, type PostgresTestServer } from './server.ts'

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/postgres.md'), 'utf8')
const [ROLES = '', RIGHTS = '', ROW_SECURITY = ''] = [...PAGE.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(
  ([, sql]) => sql,
)
const LOGINS = ['keepsake_owner', 'ann', 'bob', 'rita']

function urlOf(server: PostgresTestServer, role: string, database = 'team'): string {
  return `postgres://${role}:${server.password}@127.0.0.1:${server.port}/${database}`
}

/** Like `psql`: statement by statement, on one connection. */
async function paste(sql: string, url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const [statement] of sql.replace(/^--.*$/gm, '').matchAll(/(?:\$\$[\s\S]*?\$\$|[^;$])+;/g))
      await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Creates the roles and the database of the page, and in it a memory of the owner. */
async function setUp(server: PostgresTestServer): Promise<void> {
  await paste(ROLES, server.superuserUrl)
  await server.query('CREATE ROLE stranger LOGIN')
  await server.query('GRANT CONNECT ON DATABASE team TO stranger')
  await server.query('CREATE ROLE scout')
  await server.query('GRANT scout TO ann')
  for (const role of [...LOGINS, 'stranger']) await server.query(`ALTER ROLE ${role} PASSWORD '${server.password}'`)
  const memory = await openAs(server, 'keepsake_owner')
  await memory.remember('The office is in Kiel.', { kind: 'topic', name: 'Office' })
  await memory.close()
  await paste(RIGHTS, urlOf(server, 'keepsake_owner'))
}

function openAs(server: PostgresTestServer, role: string, agent: string = role): Promise<Memory> {
  return openMemory({ workspace: urlOf(server, role), agent: agent === 'keepsake_owner' ? 'main' : agent })
}

function storeAs(server: PostgresTestServer, role: string): Store {
  return postgresStore({ place: parsePostgresAddress(urlOf(server, role)) })
}

async function withMemory<T>(
  server: PostgresTestServer,
  role: string,
  work: (memory: Memory) => Promise<T>,
): Promise<T> {
  const memory = await openAs(server, role)
  try {
    return await work(memory)
  } finally {
    await memory.close()
  }
}

async function withStore<T>(server: PostgresTestServer, role: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = storeAs(server, role)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function refusal(promise: Promise<unknown>): Promise<{ code: string; message: string; hint: string }> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (!isKeepsakeError(error)) throw new Error('it was not refused', { cause: error })
  return { code: error.code, message: error.message, hint: error.hint ?? '' }
}

async function found(memory: Memory, query: string): Promise<readonly string[]> {
  return (await memory.search(query)).hits.map(({ entry }) => entry.content)
}

describeOnPostgres('the roles of a team', (server) => {
  beforeAll(() => setUp(server))

  it('let a writer write, and a reader read it', async () => {
    await withMemory(server, 'ann', (ann) => ann.remember('The staging server is called heron.'))
    await withMemory(server, 'bob', async (bob) => expect(await found(bob, 'Kiel')).toEqual(['The office is in Kiel.']))
    const rita = await openAs(server, 'rita', 'ann')
    expect(await found(rita, 'staging server')).toEqual(['The staging server is called heron.'])
    expect((await rita.log()).length).toBeGreaterThan(0)
    await rita.close()
  })

  it('keep a reader from every write, with an error that says what to do', async () => {
    const add = { op: 'add', scope: 'rita', kind: 'note', name: 'Mine', content: 'text' } as const
    await withStore(server, 'rita', async (store) => {
      const [entry] = await scanned(store)
      const writes: Readonly<Record<string, () => Promise<unknown>>> = {
        apply: () => store.apply({ operations: [add], origin: { by: 'agent', agent: 'rita' } }),
        append: () => store.sessions.append('rita', 'chat', [{ role: 'user', content: 'hello' }]),
        purge: () => store.purge([String(entry?.id)]),
        lease: () => store.lease('embed'),
      }
      for (const [name, run] of Object.entries(writes)) {
        const { code, message, hint } = await refusal(run())
        expect([name, code]).toEqual([name, 'READ_ONLY'])
        expect(message).toMatch(/^postgres:\/\/rita@127\.0\.0\.1:\d+\/team: permission denied for table /)
        expect(hint).toContain('docs/postgres.md says what')
      }
      expect(await store.derived.write('words-en-rita', new Uint8Array(3))).toBe(false)
      expect(await scanned(store)).not.toContainEqual(expect.objectContaining({ name: 'Mine' }))
    })
  })

  it('apply to commands too', async () => {
    const desk = new Desk()
    const at = ['--agent', 'ann', '--workspace', urlOf(server, 'rita').replace(`:${server.password}`, '')]
    const env = { PGPASSWORD: server.password }
    const recalled = await desk.json(['recall', 'staging server', ...at], { env })
    expect(JSON.stringify(recalled)).toContain('heron')
    const { status, error } = await desk.json(['remember', 'Something.', ...at], { env })
    expect([status, error.code]).toEqual([1, 'READ_ONLY'])
    expect(error.hint).toContain('The owner of the schema can grant more')
  })

  it('get NOT_FOUND for a schema that they may not use', async () => {
    await withStore(server, 'stranger', async (store) => {
      for (const ask of [() => scanned(store), () => store.sessions.append('main', 'chat', [{ role: 'user' }])]) {
        expect(await refusal(ask())).toMatchObject({
          code: 'NOT_FOUND',
          message: expect.stringContaining('this role can\'t see a schema "keepsake"'),
          hint: expect.stringContaining('GRANT USAGE ON SCHEMA keepsake TO'),
        })
      }
    })
    const place = parsePostgresAddress(urlOf(server, 'stranger'))
    const { findings } = await examinePostgres({ place, lockMs: 1000, requestMs: 10_000 }, {})
    expect(findings).toMatchObject([{ severity: 'damage', problem: expect.stringContaining("can't see a schema") }])
  })

  it('get NOT_FOUND for a database that they may not connect to', async () => {
    await server.query('CREATE ROLE guest LOGIN')
    await server.query(`ALTER ROLE guest PASSWORD '${server.password}'`)
    await withStore(server, 'guest', async (store) =>
      expect(await refusal(scanned(store))).toMatchObject({
        code: 'NOT_FOUND',
        hint: expect.stringContaining('GRANT CONNECT ON DATABASE'),
      }),
    )
  })

  it('can not create a memory without the right to create a schema', async () => {
    const store = postgresStore({ place: parsePostgresAddress(`${urlOf(server, 'ann')}?schema=another`) })
    expect(await refusal(store.init())).toMatchObject({
      code: 'READ_ONLY',
      message: expect.stringContaining('ann may not create the schema another'),
      hint: expect.stringContaining('CREATE SCHEMA another AUTHORIZATION ann'),
    })
    await store.close()
  })

  it('warn a writer who owns no table that purged pages stay until the owner writes', async () => {
    const id = await withMemory(server, 'ann', async (ann) => (await ann.remember('Forget the pelican.')).entry.id)
    const { outOfReach } = await withStore(server, 'ann', (store) => store.purge([id]))
    expect(outOfReach).toContainEqual(expect.stringContaining('may not VACUUM'))
    const isDue = () => server.query("SELECT 1 FROM keepsake.settings WHERE key = 'vacuum'", [], urlOf(server, 'rita'))
    expect(await isDue()).toHaveLength(1)
    await withMemory(server, 'keepsake_owner', (owner) => owner.remember('Something else.'))
    expect(await isDue()).toEqual([])
  })
})

describeOnPostgres('row-level security', (server) => {
  const SECRET = 'Bob buys a pelican for his birthday.'
  let secretId = ''

  beforeAll(async () => {
    await setUp(server)
    await paste(ROW_SECURITY, urlOf(server, 'keepsake_owner'))
    await withMemory(server, 'bob', async (bob) => {
      secretId = (await bob.remember(SECRET, { name: 'Birthday', aliases: ['party'] })).entry.id
      const removed = await bob.remember('The pelican is called Paul.', { name: 'Paul' })
      await bob.forget(removed.entry.id)
    })
    await withStore(server, 'bob', async (store) => {
      await store.sessions.append('bob', 'chat', [{ role: 'user', content: SECRET }])
      const bytes = new TextEncoder().encode(SECRET)
      for (const key of ['words-en-bob', 'vectors-bob/m', 'vectors.0-bob/m', 'sessions-bob'])
        expect(await store.derived.write(key, bytes)).toBe(true)
    })
  })

  it('shows an agent its own and the world', async () => {
    await withMemory(server, 'bob', async (bob) => {
      expect(await found(bob, 'pelican birthday')).toContain(SECRET)
      expect(await found(bob, 'office')).toEqual(['The office is in Kiel.'])
    })
    await withStore(server, 'bob', async (store) => {
      expect(await store.sessions.read('bob', 'chat')).toBeDefined()
      for (const key of ['words-en-bob', 'vectors-bob/m', 'vectors.0-bob/m', 'sessions-bob'])
        expect(await store.derived.read(key)).toBeDefined()
    })
  })

  it('hides them from another agent in every call to the store', async () => {
    await withStore(server, 'ann', async (store) => {
      const scopes = ['bob']
      const answers: Readonly<Record<string, () => Promise<unknown>>> = {
        scan: () => scanned(store),
        'scan by id': () => scanned(store, { ids: new Set([secretId]) }),
        'scan by scope': () => scanned(store, { scopes }),
        heads: () => store.heads({ scopes }),
        get: () => store.get(secretId),
        resolve: () => store.resolve('bob', 'Birthday'),
        'resolve an alias': () => store.resolve('bob', 'party'),
        feed: () => store.feed(undefined),
        'feed of his scope': () => store.feed(undefined, { scopes }),
        changes: () => store.changes(),
        'changes of his scope': () => store.changes({ scopes }),
        'changes of his entry': () => store.changes({ entries: [secretId] }),
        'changes by name': () => store.changes({ name: 'Birthday' }),
        'changes by number': () => store.changes({ numbers: [1, 2, 3, 4, 5, 6] }),
        stateAt: () => store.stateAt(new Date().toISOString()),
        versions: () => store.versions([secretId]),
        gone: () => store.gone(),
        'sessions.list': () => store.sessions.list('bob'),
        'sessions.read': () => store.sessions.read('bob', 'chat'),
        'sessions.readBefore': () => store.sessions.readBefore('bob', 'chat', 10_000),
        ...Object.fromEntries(
          ['words-en-bob', 'vectors-bob/m', 'vectors.0-bob/m', 'sessions-bob'].map((key) => [
            key,
            () => store.derived.read(key).then((bytes) => bytes && new TextDecoder().decode(bytes)),
          ]),
        ),
      }
      for (const [name, ask] of Object.entries(answers)) {
        const text = JSON.stringify(await ask()) ?? 'nothing'
        expect(text, name).not.toMatch(/pelican|Paul|Birthday|party|"chat"|"bob"/)
      }
    })
  })

  it('hides them from plain SQL, also if it shadows our tables with its own', async () => {
    const client = new Client({ connectionString: urlOf(server, 'ann') })
    await client.connect()
    await client.query("CREATE TEMPORARY TABLE pg_roles AS SELECT 'bob'::name AS rolname, oid FROM pg_catalog.pg_roles")
    await client.query('CREATE TEMPORARY TABLE change_scopes (number bigint, scope text)')
    const { rows: tables } = await client.query(
      "SELECT relname FROM pg_class WHERE relnamespace = 'keepsake'::regnamespace AND relkind = 'r'",
    )
    expect(tables.length).toBeGreaterThan(10)
    for (const { relname } of tables) {
      const { rows } = await client.query(`SELECT * FROM keepsake.${relname}`)
      const text = rows.map((row) => Object.values(row).map(String).join(' ')).join('\n')
      expect(text, relname).not.toMatch(/pelican|Paul|Birthday|party/)
    }
    const scoped = "SELECT 1 FROM keepsake.change_scopes WHERE scope = 'bob'"
    expect((await client.query(scoped)).rows).toEqual([])
    // A row that claims his change for her makes it no more visible.
    await client.query(
      "INSERT INTO keepsake.change_scopes SELECT 'ann', n, 0 FROM generate_series(1, 9) n ON CONFLICT DO NOTHING",
    )
    expect((await client.query("SELECT 1 FROM keepsake.changes WHERE operations LIKE '%pelican%'")).rows).toEqual([])
    await client.query("DELETE FROM keepsake.change_scopes WHERE scope = 'ann' AND checksum = 0")
    for (const table of ['entries', 'versions', 'names', 'transcripts', 'changes', 'derived']) {
      const { rowCount } = await client.query(
        `DELETE FROM keepsake.${table} WHERE ${
          {
            entries: "scope = 'bob'",
            versions: "scope = 'bob'",
            names: "scope = 'bob'",
            transcripts: "scope = 'bob'",
            changes: "origin_agent = 'bob'",
            derived: "key LIKE '%bob%'",
          }[table]
        }`,
      )
      expect(rowCount, table).toBe(0)
    }
    await client.end()
  })

  it('keeps an agent from writing into the memory of another', async () => {
    const origin = { by: 'agent', agent: 'ann' } as const
    await withStore(server, 'ann', async (store) => {
      const writes = [
        () => store.apply({ operations: [{ op: 'add', scope: 'bob', kind: 'note', name: 'X', content: 'x' }], origin }),
        () => store.sessions.append('bob', 'other', [{ role: 'user', content: 'x' }]),
      ]
      for (const run of writes) {
        expect(await refusal(run())).toMatchObject({
          code: 'READ_ONLY',
          message: expect.stringContaining("this role may not write to that agent's memory"),
          hint: expect.stringContaining('docs/postgres.md'),
        })
      }
      const write = { op: 'write', id: secretId, content: 'Ann was here.' } as const
      expect((await refusal(store.apply({ operations: [write], origin }))).code).toMatch(
        /NOT_FOUND|CONFLICT|IO|INVALID/,
      )
    })
    await withStore(server, 'bob', async (store) => {
      expect((await store.get(secretId))?.content).toBe(SECRET)
      expect(await store.resolve('bob', 'X')).toBeUndefined()
    })
  })

  it('saves the other writes of a transaction if it refuses one', async () => {
    const origin = { by: 'agent', agent: 'ann' } as const
    const add = (scope: string, name: string) =>
      ({ operations: [{ op: 'add', scope, kind: 'note', name, content: 'text' }], origin }) as const
    await withStore(server, 'ann', async (store) => {
      const settled = await Promise.allSettled(
        [add('ann', 'One'), add('bob', 'Two'), add('ann', 'Three')].map((batch) => store.apply(batch)),
      )
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await store.resolve('ann', 'One')).toBeDefined()
    })
  })

  it('lets both write at once, each with its own history', async () => {
    await Promise.all(
      ['ann', 'bob'].map((role) =>
        withMemory(server, role, async (memory) => {
          for (let n = 0; n < 20; n++) await memory.remember(`${role} counts ${n}.`, { name: `${role} ${n}` })
        }),
      ),
    )
    for (const role of ['ann', 'bob']) {
      await withStore(server, role, async (store) => {
        const names = (await scanned(store, { scopes: [role] })).map(({ name }) => name)
        expect(names).toEqual(expect.arrayContaining(Array.from({ length: 20 }, (_, n) => `${role} ${n}`)))
      })
    }
    // Fails if the command warns of anything.
    const recalled = await new Desk().json(['recall', 'counts', '--agent', 'bob', '--workspace', urlOf(server, 'bob')])
    expect(JSON.stringify(recalled)).toContain('bob counts 19.')
    expect(JSON.stringify(recalled)).not.toContain('ann counts')
  })

  it('lets an agent undo its own change, though others wrote since', async () => {
    await withMemory(server, 'ann', (ann) => ann.remember('First text.', { name: 'Draft' }))
    await withMemory(server, 'ann', async (ann) => ann.apply([{ op: 'write', ref: 'Draft', content: 'Second text.' }]))
    await withMemory(server, 'bob', (bob) => bob.remember('Something newer.'))
    await withMemory(server, 'ann', async (ann) => {
      await ann.undo()
      expect((await ann.get('Draft'))?.content).toBe('First text.')
    })
  })

  it('keeps the index of an agent correct after a change that is partly hidden from it', async () => {
    const ann = await openAs(server, 'ann')
    expect(await found(ann, 'walrus')).toEqual([])
    const start = new Date().toISOString()
    const [mine] = (await scanned(ann.store, { scopes: ['ann'] })).filter(({ name }) => name === 'Draft')
    await withStore(server, 'keepsake_owner', (store) =>
      store.apply({
        operations: [
          { op: 'add', scope: 'world', kind: 'topic', name: 'Walrus', content: 'The walrus is the mascot.' },
          { op: 'add', scope: 'bob', kind: 'note', name: 'Mascot', content: 'Bob keeps the walrus.' },
          { op: 'write', id: String(mine?.id), content: 'Third text, by the owner.' },
        ],
        origin: { by: 'user' },
      }),
    )
    expect(await found(ann, 'walrus')).toEqual(['The walrus is the mascot.'])
    expect((await ann.store.stateAt(start)).find(({ id }) => id === mine?.id)?.content).toBe('First text.')
    await ann.close()
  })

  it('keeps an agent from undoing a change that a hidden one builds on', async () => {
    const ann = await openAs(server, 'ann')
    const { entry } = await ann.remember('Plan A.', { name: 'Plan' })
    const { change } = await ann.apply([{ op: 'write', ref: 'Plan', content: 'Plan B.' }])
    await withStore(server, 'keepsake_owner', (store) =>
      store.apply({
        operations: [
          { op: 'write', id: entry.id, content: 'Plan C, by the owner.' },
          { op: 'add', scope: 'bob', kind: 'note', name: 'Plan', content: "Bob's part." },
        ],
        origin: { by: 'user' },
      }),
    )
    expect((await refusal(ann.undo({ changes: [Number(change?.number)] }))).code).toBe('CONFLICT')
    expect((await ann.get('Plan'))?.content).toBe('Plan C, by the owner.')
    await ann.close()
  })

  it('shows a person the agents whose roles she has', async () => {
    const scout = await openAs(server, 'ann', 'scout')
    await scout.remember('The bridge is closed.')
    await scout.close()
    await withStore(server, 'ann', async (store) => expect(await scanned(store, { scopes: ['scout'] })).toHaveLength(1))
    await withStore(server, 'bob', async (store) => expect(await scanned(store, { scopes: ['scout'] })).toEqual([]))
  })

  it('refuses work that must see all rows, except for the owner', async () => {
    await withStore(server, 'ann', async (store) => {
      const [mine] = await scanned(store, { scopes: ['ann'] })
      for (const run of [
        () => store.purge([String(mine?.id)]),
        () => postgresStore({ place: parsePostgresAddress(urlOf(server, 'ann')) }).image(),
      ]) {
        expect(await refusal(run())).toMatchObject({
          code: 'UNSUPPORTED',
          message: expect.stringContaining('row-level security hides part of this memory from your role'),
          hint: expect.stringContaining('Connect as the owner of the schema.'),
        })
      }
      expect(await store.get(String(mine?.id))).toEqual(mine)
    })
    const { outOfReach } = await withStore(server, 'keepsake_owner', (store) => store.purge([secretId]))
    expect(outOfReach.join()).not.toContain('may not VACUUM')
    await withStore(server, 'bob', async (store) => expect(await store.get(secretId)).toBeUndefined())
  })

  it('does not look like damage to the doctor', async () => {
    const examined = async (role: string) => {
      const place = parsePostgresAddress(urlOf(server, role))
      return (await examinePostgres({ place, lockMs: 1000, requestMs: 10_000 }, {})).findings
    }
    expect(await examined('keepsake_owner')).toEqual([])
    expect(await examined('ann')).toMatchObject([{ code: 'hidden-rows', severity: 'note' }])
  })

  it('leaves old history until the owner next writes', async () => {
    const oldest = () =>
      server.query<{ number: string }>(
        'SELECT min(number) AS number FROM keepsake.changes',
        [],
        urlOf(server, 'keepsake_owner'),
      )
    const [{ number: before } = { number: '' }] = await oldest()
    const later = () => Date.now() + 200 * 86_400_000
    const ann = postgresStore({ place: parsePostgresAddress(urlOf(server, 'ann')), clock: later })
    for (let n = 0; n < 300; n++) {
      const operations = [{ op: 'add', scope: 'ann', kind: 'experience', content: `Line ${n}.` }] as const
      await ann.apply({ operations, origin: { by: 'agent', agent: 'ann' } })
    }
    await ann.close()
    expect(await oldest()).toEqual([{ number: before }])
    const owner = postgresStore({ place: parsePostgresAddress(urlOf(server, 'keepsake_owner')), clock: later })
    const operations = [{ op: 'add', scope: 'world', kind: 'topic', name: 'Later', content: 'text' }] as const
    await owner.apply({ operations, origin: { by: 'user' } })
    await owner.close()
    expect(Number((await oldest())[0]?.number)).toBeGreaterThan(Number(before))
  })
})
