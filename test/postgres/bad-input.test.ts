/** Failures of a server: each is an error that says what to do, within the time limit, with nothing half written and no password in it. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import { Client } from 'pg'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../../scripts/ports.mjs'
import { isKeepsakeError, type KeepsakeError } from '../../src/errors.ts'
import { openMemory } from '../../src/index.ts'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import type { Store } from '../../src/ports/store.ts'
import { examinePostgres } from '../../src/stores/doctor/postgres.ts'
import { type PostgresStore, type PostgresStoreOptions, postgresStore } from '../../src/stores/postgres/store.ts'
import { scanned } from '../../src/testing/requests.ts'
import { afterThisFile } from '../clean-up.ts'
import { Desk } from '../cli/keepsake.ts'
import { type CutPoint, CuttingProxy } from './cutting-proxy.ts'
import { describeOnPostgres, type PostgresTestServer } from './server.ts'

const ORIGIN = { by: 'agent', agent: 'main' } as const
const LIMITS = { lockWaitMs: 500, requestMs: 500 }
/** Far more than the limits, and far less than no limit. */
const PATIENCE_MS = 15_000

function open(url: string, options: Partial<PostgresStoreOptions> = {}): PostgresStore {
  const store = postgresStore({ place: parsePostgresAddress(url), timezone: 'UTC', ...options })
  afterThisFile(() => store.close())
  return store
}

function add(store: Store, name: string, content = `text of ${name}`) {
  const operations = [{ op: 'add', scope: 'main', kind: 'note', name, content }] as const
  return store.apply({ operations, origin: ORIGIN })
}

async function namesIn(store: Store): Promise<readonly (string | null)[]> {
  return (await scanned(store)).map(({ name }) => name)
}

async function refusal(promise: Promise<unknown>): Promise<KeepsakeError> {
  const error = await promise.then(
    (value) => new Error(`it was not refused: ${inspect(value)}`),
    (caught: unknown) => caught,
  )
  if (!isKeepsakeError(error)) throw error
  return error
}

/** Everything that a program could show of an error. */
function everythingIn(error: unknown): string {
  const stacks: string[] = []
  for (let one = error; one instanceof Error; one = one.cause) stacks.push(String(one.stack))
  return [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), ...stacks].join('\n')
}

/** A read and a write fail with the same error, without the password. */
async function expectRefused(
  url: string,
  expected: { code: string; message: RegExp; hint: RegExp },
  options: Partial<PostgresStoreOptions> = {},
): Promise<void> {
  const password = parsePostgresAddress(url).password
  const started = performance.now()
  for (const ask of [scanned, (store: Store) => add(store, 'Refused')]) {
    const error = await refusal(ask(open(url, options)))
    expect([error.code, error.message, error.hint]).toEqual([
      expected.code,
      expect.stringMatching(expected.message),
      expect.stringMatching(expected.hint),
    ])
    if (password !== undefined) expect(everythingIn(error)).not.toContain(password)
  }
  expect(performance.now() - started).toBeLessThan(2 * PATIENCE_MS)
}

async function listening(server: {
  listen(port: number, host: string, done: () => void): unknown
  address(): unknown
  close(): unknown
}) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterThisFile(() => server.close())
  return (server.address() as { port: number }).port // it listens on a port
}

const UNREACHABLE = {
  code: 'IO',
  message: /can't be reached: ./,
  hint: /^Check the address, and that the server is running\./,
}

describe('an address where no server answers', () => {
  const at = (port: number): string => `postgres://me:hunter2@127.0.0.1:${port}/team`

  it('is reported if nothing listens there', async () => {
    await expectRefused(at(await freePort()), { ...UNREACHABLE, message: /can't be reached: connect ECONNREFUSED/ })
  })

  it('is reported if the host does not exist', async () => {
    await expectRefused('postgres://me:hunter2@no-such-host.invalid/team?sslmode=disable', UNREACHABLE)
  })

  it('is reported if a web server answers', async () => {
    const port = await listening(createHttpServer((_, response) => response.end('hello')))
    await expectRefused(at(port), UNREACHABLE, LIMITS)
    const notTls = { ...UNREACHABLE, message: /can't be reached: There was an error establishing an SSL connection/ }
    await expectRefused(`${at(port)}?sslmode=require`, notTls, LIMITS)
  })

  it('is reported within the limit if it never answers', async () => {
    const port = await listening(createServer(() => undefined))
    await expectRefused(at(port), UNREACHABLE, LIMITS)
    await expectRefused(`${at(port)}?sslmode=require`, UNREACHABLE, LIMITS)
  })
})

function rolePlace(server: PostgresTestServer, role: string, password = server.password): string {
  return server.url().replace(/\/\/[^@]*@/, `//${role}:${password}@`)
}

describeOnPostgres('a login', (server) => {
  it.each([
    ['a wrong password', () => rolePlace(server, 'keepsake', 'hunter2'), /password authentication failed/],
    ['an unknown user', () => rolePlace(server, 'nobody', 'hunter2'), /password authentication failed/],
  ])('fails with %s', async (_, url, message) => {
    await expectRefused(url(), { code: 'INVALID', message, hint: /Set PGPASSWORD, or add a line to ~\/\.pgpass/ })
  })

  it('fails without a password', async () => {
    const url = server.url().replace(`:${server.password}`, '')
    await expectRefused(url, {
      code: 'INVALID',
      message: /asks for a password, and there is none/,
      hint: /Set PGPASSWORD/,
    })
    // The process ends at once, and does not wait for the server to hang up.
    const started = performance.now()
    expect((await new Desk().json(['recall', 'x', '--workspace', url])).error.code).toBe('INVALID')
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS)
  })

  it('succeeds with a line of ~/.pgpass', async () => {
    const desk = new Desk()
    mkdirSync(join(desk.folder, 'home'))
    writeFileSync(join(desk.folder, 'home/.pgpass'), `127.0.0.1:*:keepsake:keepsake:${server.password}\n`, {
      mode: 0o600,
    })
    const url = server.url().replace(`:${server.password}`, '')
    expect(await desk.json(['remember', 'Something.', '--workspace', url])).toMatchObject({ status: 0 })
  })

  it('fails for an unknown database', async () => {
    await expectRefused(server.url().replace(/\/keepsake$/, '/nowhere'), {
      code: 'NOT_FOUND',
      message: /database "nowhere" does not exist/,
      hint: /Check the database name, or create it/,
    })
  })

  it('fails if there are too many connections', async () => {
    await server.query('CREATE ROLE crowd LOGIN CONNECTION LIMIT 0')
    await server.query(`ALTER ROLE crowd PASSWORD '${server.password}'`)
    await expectRefused(rolePlace(server, 'crowd'), {
      code: 'IO',
      message: /too many connections for role "crowd"/,
      hint: /raise max_connections/,
    })
  })
})

describeOnPostgres('a schema', (server) => {
  let url = ''
  const schema = (): string => new URL(url).searchParams.get('schema') ?? ''
  const sql = (statement: string) => server.query(statement.replaceAll('{schema}', schema()), [], server.url())

  it('of a newer version is left as it is', async () => {
    url = server.freshUrl()
    await add(open(url), 'Old')
    await sql("UPDATE {schema}.settings SET value = '99' WHERE key = 'schema'")
    await expectRefused(url, { code: 'NEWER', message: /has format 99/, hint: /Update keepsake/ })
  })

  it('of another program is left as it is', async () => {
    url = server.freshUrl()
    await sql('CREATE SCHEMA {schema}')
    await sql('CREATE TABLE {schema}.entries (id int)')
    await expectRefused(url, { code: 'FOREIGN', message: /it has tables, but no memory/, hint: /left as it is/ })
    expect(await sql("SELECT relname FROM pg_class WHERE relnamespace = '{schema}'::regnamespace")).toEqual([
      { relname: 'entries' },
    ])
  })

  it.each(['versions', 'change_scopes', 'names', 'settings'])(
    'without its table %s is reported at once as foreign',
    async (table) => {
      url = server.freshUrl()
      const store = open(url)
      await add(store, 'First')
      await sql(`DROP TABLE {schema}.${table}`)
      const expected = { code: 'FOREIGN', hint: expect.stringMatching(/left as it is|Name another schema/) }
      expect(await refusal(add(store, 'Second'))).toMatchObject(expected)
      expect(await refusal(add(open(url), 'Third'))).toMatchObject(expected)
      if (table !== 'settings')
        expect(await sql('SELECT value FROM {schema}.settings')).toContainEqual({ value: '{"number":1,"nextSeq":2}' })
    },
  )

  it('in a database that is not UTF8 is refused', async () => {
    await server.query(
      "CREATE DATABASE latin OWNER keepsake ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0",
    )
    await expectRefused(server.url().replace(/\/keepsake$/, '/latin'), {
      code: 'UNSUPPORTED',
      message: /the database has the encoding LATIN1/,
      hint: /createdb --encoding=UTF8/,
    })
  })

  it('that is dropped while it is in use is empty afterwards, and a write creates a new memory', async () => {
    url = server.freshUrl()
    const store = open(url)
    await add(store, 'First')
    await sql('DROP SCHEMA {schema} CASCADE')
    expect(await namesIn(store)).toEqual([])
    await add(store, 'Second')
    expect(await namesIn(store)).toEqual(['Second'])
  })
})

describeOnPostgres('TLS', (server) => {
  let folder = ''
  /** A self-signed certificate. */
  const makeCertificate = (name: string, host: string): string => {
    const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '3', '-keyout', key, '-out', certificate]
    const made = spawnSync('openssl', [...args, '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`])
    if (made.status !== 0) throw new Error(String(made.stderr))
    return certificate
  }
  const serve = async (certificate: string | undefined, hosts: 'host' | 'hostssl'): Promise<void> => {
    const [{ file } = { file: '' }] = await server.query<{ file: string }>("SELECT current_setting('hba_file') AS file")
    const { uid, gid } = statSync(file)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^host(ssl)? /gm, `${hosts} `))
    if (certificate !== undefined) {
      const owned = join(dirname(file), 'server.key')
      writeFileSync(owned, readFileSync(certificate.replace(/crt$/, 'key')), { mode: 0o600 })
      chmodSync(owned, 0o600)
      const shown = join(dirname(file), 'server.crt')
      writeFileSync(shown, readFileSync(certificate))
      for (const path of [owned, shown]) chownSync(path, uid, gid)
      await server.query('ALTER SYSTEM SET ssl = on')
    }
    await server.query('SELECT pg_reload_conf()')
  }
  const at = (query: string, host = 'localhost'): string => `${server.freshUrl().replace('127.0.0.1', host)}&${query}`

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'keepsake-tls-'))
    afterThisFile(() => rmSync(folder, { recursive: true, force: true }))
  })

  it('fails in every mode if the server does not offer it', async () => {
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      await expectRefused(at(`sslmode=${mode}`), {
        code: 'INVALID',
        message: /the server does not support TLS/,
        hint: /add sslmode=disable to the address/,
      })
    }
  })

  it('verifies the certificate against the named authority and the host name', async () => {
    const right = makeCertificate('right', 'localhost')
    const other = makeCertificate('other', 'localhost')
    await serve(right, 'host')
    const untrusted = { code: 'INVALID', message: /certificate/, hint: /sslrootcert=FILE/ }
    await expect
      .poll(() => refusal(scanned(open(at('sslmode=verify-full')))).then(({ message }) => message))
      .toMatch(/certificate/)
    await expectRefused(at('sslmode=verify-full'), untrusted)
    await expectRefused(at(`sslmode=verify-full&sslrootcert=${other}`), untrusted)
    await expectRefused(at(`sslmode=verify-ca&sslrootcert=${other}`), untrusted)
    for (const query of [
      'sslmode=require',
      `sslmode=verify-full&sslrootcert=${right}`,
      `sslmode=verify-ca&sslrootcert=${right}`,
    ]) {
      const store = open(at(query))
      await add(store, 'Encrypted')
      expect(await namesIn(store)).toEqual(['Encrypted'])
    }
    // The certificate has no address of an interface.
    await expectRefused(at(`sslmode=verify-full&sslrootcert=${right}`, '127.0.0.1'), {
      code: 'INVALID',
      message: /altnames/,
      hint: /host name/,
    })
    await add(open(at(`sslmode=verify-ca&sslrootcert=${right}`, '127.0.0.1')), 'Encrypted')
  })

  it('fails if the certificate file can not be read', async () => {
    await expectRefused(at(`sslrootcert=${join(folder, 'missing.crt')}&sslmode=verify-full`), {
      code: 'IO',
      message: /missing\.crt/,
      hint: /Check the file that sslrootcert names/,
    })
    writeFileSync(join(folder, 'broken.crt'), 'no certificate')
    await expectRefused(at(`sslrootcert=${join(folder, 'broken.crt')}&sslmode=verify-full`), {
      code: 'INVALID',
      message: /certificate/,
      hint: /sslrootcert/,
    })
  })

  it('is named in the error if the server demands it', async () => {
    await serve(undefined, 'hostssl')
    await expect
      .poll(() => refusal(scanned(open(at('sslmode=disable')))).then(({ message }) => message))
      .toMatch(/no encryption/)
    await expectRefused(at('sslmode=disable'), {
      code: 'INVALID',
      message: /no encryption/,
      hint: /Add sslmode=verify-full or sslmode=require to the address/,
    })
  })
})

describeOnPostgres('a server in trouble', (server) => {
  let url = ''
  const schema = (): string => new URL(url).searchParams.get('schema') ?? ''
  const holding = async (statement: string): Promise<Client> => {
    const client = new Client({ connectionString: server.url() })
    client.on('error', () => undefined)
    await client.connect()
    await client.query('BEGIN')
    await client.query(statement.replaceAll('{schema}', schema()))
    return client
  }
  const through = (proxy: CuttingProxy): string => url.replace(`:${server.port}/`, `:${proxy.port}/`)
  const isSound = async (): Promise<void> => {
    const examined = await examinePostgres({ place: parsePostgresAddress(url), lockMs: 10_000, requestMs: 10_000 }, {})
    expect(examined.findings).toEqual([])
  }

  it('whose row another session locks: writes are LOCKED until it is free, and reads go on', async () => {
    url = server.freshUrl()
    const store = open(url, LIMITS)
    await add(store, 'First')
    const other = await holding("SELECT 1 FROM {schema}.settings WHERE key = 'last' FOR UPDATE")
    const error = await refusal(add(store, 'Second'))
    expect([error.code, error.message, error.hint]).toEqual([
      'LOCKED',
      expect.stringContaining('another process is writing and did not finish in time'),
      expect.stringContaining('Nothing was saved. Try again'),
    ])
    expect(await namesIn(store)).toEqual(['First'])
    await other.end()
    await add(store, 'Third')
    expect(await namesIn(store)).toEqual(['First', 'Third'])
    await isSound()
  })

  it('that takes too long for a statement: TIMEOUT, and nothing is saved', async () => {
    url = server.freshUrl()
    const store = open(url, LIMITS)
    await add(store, 'First')
    const body = 'BEGIN PERFORM pg_sleep(30); RETURN NEW; END'
    await server.query(
      `CREATE FUNCTION ${schema()}.wait() RETURNS trigger LANGUAGE plpgsql AS '${body}'`,
      [],
      server.url(),
    )
    await server.query(
      `CREATE TRIGGER wait BEFORE INSERT ON ${schema()}.versions FOR EACH ROW EXECUTE FUNCTION ${schema()}.wait()`,
      [],
      server.url(),
    )
    const error = await refusal(add(store, 'Second'))
    expect([error.code, error.hint]).toEqual(['TIMEOUT', expect.stringContaining('server_timeout')])
    expect(await namesIn(store)).toEqual(['First'])
    await server.query(`DROP TRIGGER wait ON ${schema()}.versions`, [], server.url())
    await add(store, 'Third')
    await isSound()
  })

  it('whose disk is full: the error says so, and nothing is saved', async () => {
    url = server.freshUrl()
    const store = open(url)
    await add(store, 'First')
    // The server's own report, without a full disk.
    const body = "BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END"
    const place = `${schema()}.full`
    await server.query(`CREATE FUNCTION ${place}() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`, [], server.url())
    const trigger = `CREATE TRIGGER full_disk BEFORE INSERT ON ${schema()}.versions EXECUTE FUNCTION ${place}()`
    await server.query(trigger, [], server.url())
    expect(await refusal(add(store, 'Second'))).toMatchObject({
      code: 'IO',
      message: expect.stringContaining("the server's disk is full"),
      hint: 'Nothing was saved. Free some space there, then try again.',
    })
    await server.query(`DROP TRIGGER full_disk ON ${schema()}.versions`, [], server.url())
    await add(store, 'Third')
    expect(await namesIn(store)).toEqual(['First', 'Third'])
    await isSound()
  })

  it('that accepts no writes: READ_ONLY', async () => {
    url = server.freshUrl()
    await add(open(url), 'First')
    await server.query('CREATE ROLE replica LOGIN IN ROLE keepsake')
    await server.query(`ALTER ROLE replica PASSWORD '${server.password}'`)
    await server.query('ALTER ROLE replica SET default_transaction_read_only = on')
    const store = open(url.replace('keepsake:', 'replica:'))
    expect(await namesIn(store)).toEqual(['First'])
    expect(await refusal(add(store, 'Second'))).toMatchObject({
      code: 'READ_ONLY',
      hint: 'Reading works. To write, use the address of the primary server.',
    })
  })

  it('that is stopped: reported within the limits, and nothing is saved', async () => {
    url = server.freshUrl()
    const store = open(url, LIMITS)
    await add(store, 'First')
    const backends = await server.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'keepsake'",
    )
    const stopped = [server.pid, ...backends.map(({ pid }) => pid)]
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    try {
      const started = performance.now()
      expect(await refusal(add(store, 'Second'))).toMatchObject({
        code: 'IO',
        message: expect.stringContaining("can't be reached"),
      })
      expect(await refusal(scanned(store))).toMatchObject({ code: 'IO' })
      expect(performance.now() - started).toBeLessThan(PATIENCE_MS)
    } finally {
      for (const pid of stopped) process.kill(pid, 'SIGCONT')
    }
    await add(store, 'Third')
    expect(await namesIn(store)).toEqual(['First', 'Third'])
    await isSound()
  })

  it.each<CutPoint>(['before COMMIT', 'with COMMIT', 'after COMMIT'])(
    'that cuts the connection %s: the write is saved once',
    async (point) => {
      url = server.freshUrl()
      const proxy = await new CuttingProxy().begin(server.port)
      const store = open(through(proxy))
      await add(store, 'First')
      for (let n = 0; n < 5; n++) {
        proxy.cutAt = point
        const { change } = await add(store, `Cut ${n}`)
        expect(change?.number).toBe(n + 2)
        expect(proxy.cuts).toBe(n + 1)
      }
      const cutSession = { role: 'user', content: 'Hello.' }
      proxy.cutAt = point
      await store.sessions.append('main', 'chat', [cutSession])
      expect((await store.sessions.read('main', 'chat'))?.records).toHaveLength(1)
      expect(await namesIn(store)).toEqual(['First', 'Cut 0', 'Cut 1', 'Cut 2', 'Cut 3', 'Cut 4'])
      expect(await store.changes()).toHaveLength(6)
      await isSound()
    },
  )

  it.each<CutPoint>(['before COMMIT', 'after COMMIT'])(
    'that is gone %s: the error says that the outcome is unknown',
    async (point) => {
      url = server.freshUrl()
      const proxy = await new CuttingProxy().begin(server.port)
      const store = open(through(proxy), LIMITS)
      await add(store, 'First')
      proxy.isDownAfterCut = true
      proxy.cutAt = point
      const error = await refusal(add(store, 'Second'))
      expect([error.code, error.hint]).toEqual([
        'IO',
        expect.stringContaining('the write may have been saved or not. Check before you repeat it.'),
      ])
      expect(everythingIn(error)).not.toContain(server.password)
      const there = point === 'after COMMIT' ? ['First', 'Second'] : ['First']
      await expect.poll(() => namesIn(open(url))).toEqual(there)
      await isSound()
    },
  )

  it('that cuts the connection in the middle of a write: the write runs again', async () => {
    url = server.freshUrl()
    const store = open(url)
    await add(store, 'First')
    const other = await holding('LOCK TABLE {schema}.versions')
    const written = add(store, 'Second')
    const waiting = "SELECT pid FROM pg_stat_activity WHERE application_name = 'keepsake' AND wait_event_type = 'Lock'"
    await expect.poll(() => server.query(waiting)).toHaveLength(1)
    await server.query(waiting.replace('SELECT pid', 'SELECT pg_terminate_backend(pid)'))
    await other.end()
    expect((await written).change?.number).toBe(2)
    expect(await namesIn(store)).toEqual(['First', 'Second'])
    await isSound()
  })

  it('that restarts: a running process connects again', async () => {
    url = server.freshUrl()
    const store = open(url)
    let seen = 0
    const watch = await store.watch(() => seen++)
    await add(store, 'First')
    await server.restart()
    expect(await namesIn(store)).toEqual(['First'])
    await server.restart()
    await add(store, 'Second')
    await add(open(url), 'Third')
    await expect.poll(() => seen).toBeGreaterThan(0)
    expect(await namesIn(store)).toEqual(['First', 'Second', 'Third'])
    await watch.stop()
  })
})

describeOnPostgres('unusual texts', (server) => {
  it.each([
    ['quotes', `It's "here"; DROP TABLE entries; --`],
    ['backslashes', String.raw`C:\temp\n\\x00 \' $1 $$ ?`],
    ['percent signs', '100 % of _x_ and %s'],
    ['other scripts', 'Grüße, 你好, 👩‍👩‍👧, \u202e'],
  ])('with %s are kept as they are', async (_, text) => {
    const store = open(server.freshUrl())
    const name = text
      .replace(/[\u202e]/g, '')
      .slice(0, 60)
      .replace(/[ ,]+$/, '')
    const operations = [
      {
        op: 'add',
        scope: 'main',
        kind: 'note',
        name,
        aliases: [`${name} too`],
        description: text,
        content: text,
        metadata: { text, [text]: [text] },
      },
    ] as const
    await store.apply({ operations, origin: { ...ORIGIN, session: text } })
    const [entry] = await scanned(store)
    expect(entry).toMatchObject({ name, content: text, metadata: { text, [text]: [text] } })
    expect((await store.resolve('main', `${name} too`))?.id).toBe(entry?.id)
    await store.sessions.append('main', name, [{ role: 'user', content: text }])
    expect((await store.sessions.read('main', name))?.records).toEqual([{ role: 'user', content: text }])
    expect(await store.changes({ session: text })).toHaveLength(1)
    expect(await store.changes({ name })).toHaveLength(1)
    const { outOfReach } = await store.purge([String(entry?.id)])
    expect(outOfReach.length).toBeGreaterThan(0)
    expect(await scanned(store)).toEqual([])
  })

  it('with a NUL are refused, and other writes of the same moment are saved', async () => {
    const store = open(server.freshUrl())
    await add(store, 'First')
    const settled = await Promise.allSettled([add(store, 'Before'), add(store, 'Nul', 'a\0b'), add(store, 'After')])
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(settled[1]).toMatchObject({ reason: { code: 'INVALID', message: expect.stringContaining('NUL') } })
    expect(await namesIn(store)).toEqual(['First', 'Before', 'After'])
  })

  it('with a lone surrogate are refused or readable afterwards, and nothing is damaged', async () => {
    const url = server.freshUrl()
    const store = open(url)
    await add(store, 'First')
    await Promise.allSettled([add(store, 'Half', 'a\ud83d b'), add(store, 'Half \ude00 name')])
    await store.sessions.append('main', 'chat', [{ role: 'user', content: 'x\ud83d' }]).catch(() => undefined)
    expect(await namesIn(store)).toContain('First')
    const examined = await examinePostgres({ place: parsePostgresAddress(url), lockMs: 10_000, requestMs: 10_000 }, {})
    expect(examined.findings).toEqual([])
  })

  it('of 5 MB are kept', async () => {
    const store = open(server.freshUrl())
    const text = 'Äpfel und Birnen. '.repeat(300_000)
    const { change } = await add(store, 'Large', text)
    await store.sessions.append('main', 'chat', [{ role: 'user', content: text }])
    expect((await store.resolve('main', 'Large'))?.content).toBe(text)
    expect((await store.sessions.read('main', 'chat'))?.records).toHaveLength(1)
    expect(change?.number).toBe(1)
  })

  it('in keys of 300 kB are refused with the reason, and other writes of the same moment are saved', async () => {
    const store = open(server.freshUrl())
    await add(store, 'First')
    // Random, because PostgreSQL compresses texts before it measures them.
    const key = randomBytes(150_000).toString('hex')
    const context = { op: 'add', scope: 'main', kind: 'context', key, content: 'value' } as const
    const note = { op: 'add', scope: 'main', kind: 'note', name: 'Noted', content: 'text' } as const
    const settled = await Promise.allSettled([
      store.apply({ operations: [context], origin: ORIGIN }),
      store.apply({ operations: [note], origin: { ...ORIGIN, session: key } }),
      store.sessions.append('main', key, [{ role: 'user', content: 'Hello.' }]),
      add(store, 'Second'),
    ])
    const tooLong = expect.stringContaining('a name or the key of a session is too long for an index')
    expect(settled).toMatchObject([
      { reason: { code: 'INVALID' } },
      { reason: { code: 'INVALID', message: tooLong } },
      { reason: { code: 'INVALID', message: tooLong } },
      { status: 'fulfilled' },
    ])
    expect(await namesIn(store)).toEqual(['First', 'Second'])
    expect(await store.sessions.list('main')).toEqual([])
  })
})

describeOnPostgres('commands', (server) => {
  const PASSWORD = 'correct-horse-battery'
  const wrong = (): string => server.url().replace(server.password, PASSWORD)

  it('never show a password, right or wrong', async () => {
    const commands: readonly (readonly string[])[] = [
      ['config'],
      ['config', '--json'],
      ['doctor'],
      ['doctor', '--json'],
      ['remember', 'Something.'],
      ['recall', 'something', '--json'],
      ['init'],
      ['log'],
      ['hook', 'claude'],
      ['backup', 'copy.keepsake'],
      ['install', 'claude', '--dry-run'],
      ['install', 'claude'],
      ['mcp'],
    ]
    for (const [url, secret] of [
      [wrong(), PASSWORD],
      [server.url(), server.password],
    ] as const) {
      const desk = new Desk()
      for (const env of [
        { KEEPSAKE_WORKSPACE: url },
        { KEEPSAKE_WORKSPACE: url.replace(`:${secret}`, ''), PGPASSWORD: secret },
      ]) {
        for (const args of commands) {
          const { stdout, stderr } = await desk.run(args, { env: { ...env, DEBUG: '*', NODE_DEBUG: '' }, input: '' })
          expect(stdout + stderr, args.join(' ')).not.toContain(secret)
        }
      }
      const { stdout, stderr } = await desk.run(['move', '--to', url, '--workspace', url], {})
      expect(stdout + stderr).not.toContain(secret)
      const found = spawnSync('grep', ['-rl', secret, desk.folder], { encoding: 'utf8' })
      expect(found.stdout).toBe('')
    }
  })

  it('and programs send no password to another machine that only a found file names', async () => {
    const desk = new Desk()
    const url = `postgres://keepsake@0.0.0.0:${server.port}/keepsake?sslmode=disable`
    const file = join(desk.folder, 'agent.yaml')
    writeFileSync(file, `spec:\n  memory:\n    workspace: ${url}\n`)
    const passwords = join(desk.folder, 'pgpass')
    writeFileSync(passwords, `*:*:*:keepsake:${server.password}\n`, { mode: 0o600 })
    for (const [name, value] of [
      ['PGPASSWORD', server.password],
      ['PGPASSFILE', passwords],
    ] as const) {
      vi.stubEnv(name, value)
      const found = await openMemory({ from: desk.folder }).then(
        (memory) => refusal(memory.search('x')),
        (error) => error,
      )
      expect([found.code, found.message]).toEqual([
        'UNSUPPORTED',
        expect.stringMatching(/^your password is not sent to /),
      ])
      const named = await openMemory({ config: file })
      expect((await named.search('x')).hits).toEqual([])
      await named.close()
      const { status, error } = await desk.json(['recall', 'x'], { env: { [name]: value } })
      expect([status, error.code, error.message]).toEqual([1, 'UNSUPPORTED', expect.stringContaining('is not sent to')])
      expect(await desk.json(['recall', 'x', '--config', file], { env: { [name]: value } })).toMatchObject({
        status: 0,
      })
      vi.unstubAllEnvs()
    }
  })

  it('exit with a status and a hint if they can not log in', async () => {
    const { status, error } = await new Desk().json(['recall', 'x', '--workspace', wrong()])
    expect([status, error.code, error.hint]).toEqual([2, 'INVALID', expect.stringContaining('PGPASSWORD')])
    expect(error.message).toMatch(/^postgres:\/\/keepsake@127\.0\.0\.1:\d+\/keepsake: password authentication failed/)
  })
})
