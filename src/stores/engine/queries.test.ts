/**
 * The statements that undo, log, blame, as-of, purge, feed, get, resolve and list run: each searches an index, so that none takes longer
 * in a longer history. Only a purge reads everything, once.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Memory } from '../../memory.ts'
import { apply, note } from '../../testing/requests.ts'
import { type FileStore, fileStore } from '../file/store.ts'
import { insert } from './schema.ts'
import type { Row, SqlValue } from './sql.ts'
import { Connection } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'keepsake-queries-'))
const path = join(folder, 'memory.keepsake')
let ms = Date.parse('2026-03-14T09:00:00.000Z')
let store: FileStore
let memory: Memory

beforeAll(async () => {
  store = fileStore({ path, clock: () => (ms += 1000), timezone: 'UTC' })
  memory = new Memory(store, 'main', () => ms)
  for (let n = 0; n < 12; n++) {
    await memory.remember(`text ${n}`, { name: `Note ${n}`, aliases: [`n${n}`] })
    await memory.remember(`${n}`, { key: `key ${n}` })
    await store.sessions.append('main', `chat ${n % 3}`, [{ n }])
  }
  await memory.rename('Note 3', 'Renamed')
  await memory.forget('Note 4')
})

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** The statements that `work` runs, each with the values of its first run. */
async function recorded(work: () => Promise<unknown>): Promise<ReadonlyMap<string, readonly SqlValue[]>> {
  const statements = new Map<string, readonly SqlValue[]>()
  const note = (statement: string, values: readonly SqlValue[] = []): void => {
    if (!statements.has(statement)) statements.set(statement, values)
  }
  const { allNow, run } = Connection.prototype
  vi.spyOn(Connection.prototype, 'allNow').mockImplementation(function (this: Connection, statement, values) {
    note(statement, values)
    return allNow.call(this, statement, values)
  })
  vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection, statement, values) {
    note(statement, values)
    return run.call(this, statement, values)
  })
  await work()
  vi.restoreAllMocks()
  return statements
}

/** How SQLite runs a statement, according to `EXPLAIN QUERY PLAN`. */
function planOf(statement: string, values: readonly SqlValue[]): string[] {
  if (!/^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)/.test(statement)) return []
  const connection = new Connection(path)
  try {
    const rows: readonly Row[] = connection.allNow(`EXPLAIN QUERY PLAN ${statement}`, values)
    return rows.map(({ detail }) => String(detail))
  } finally {
    connection.close()
  }
}

function scansIn(statements: ReadonlyMap<string, readonly SqlValue[]>): string[] {
  return [...statements].flatMap(([statement, values]) =>
    planOf(statement, values)
      .filter(
        (line) => /\bSCAN\b/.test(line) && !/SCAN (settings|backups|found|CONSTANT ROW|\d+ CONSTANT ROWS)/.test(line),
      )
      .map((line) => `${line}: ${statement}`),
  )
}

const OPERATIONS: Readonly<Record<string, () => Promise<unknown>>> = {
  'a get': () => memory.get('Note 1'),
  'a get by id': async () => store.get((await store.heads({ scopes: ['main'] }))[0]?.id ?? ''),
  'resolving a name': () => store.resolve('main', 'n2'),
  'resolving a key': () => store.resolveKey('main', 'key 2'),
  'a list by scope': () => store.heads({ scopes: ['main', 'world'] }),
  'a list of some by id': async () => {
    const ids = new Set((await store.heads()).map(({ id }) => id))
    await store.heads({ ids })
  },
  'the scopes': () => store.scopes?.() ?? Promise.reject(new Error('it lists no scopes')),
  'the feed from a cursor on': async () => store.feed(await cursor()),
  'the cursor of now': () => store.feed('now'),
  'the log': () => memory.log({ limit: 20 }),
  'the log of all scopes': () => store.changes({ limit: 20 }),
  'the log since an instant': () => store.changes({ since: new Date(ms - 5000).toISOString(), limit: 20 }),
  'the log until an instant': () => store.changes({ until: new Date(ms - 5000).toISOString(), limit: 20 }),
  'the log of an origin': () => store.changes({ by: 'import', scopes: ['main'], limit: 20 }),
  'the log of an agent': () => store.changes({ agent: 'other', scopes: ['main', 'world'], limit: 20 }),
  'the log of a session': () => store.changes({ session: 'none', limit: 20 }),
  'the log of a name': () => store.changes({ name: 'Note 4', limit: 1 }),
  'what was undone': () => store.changes({ undone: true, limit: 20 }),
  'the log of an entry': () => memory.log({ entry: 'Renamed' }),
  'a blame': () => memory.blame('Renamed'),
  'the state at a change': () => store.stateAt(5, { scopes: ['main'] }),
  'the state at an instant': () => memory.asOf(new Date(ms - 5000).toISOString()),
  'a write': () => memory.remember('again', { name: 'Note 5' }),
  'an undo': () => memory.undo(),
  'an undo of an earlier change': () => memory.undo({ changes: [3] }),
  'what was removed': () => store.gone({ called: 'Note 4' }),
  'what was removed in a scope': () => store.gone({ scopes: ['main'] }),
  'an append': () => store.sessions.append('main', 'chat 1', [{ more: true }]),
  'a transcript': () => store.sessions.read('main', 'chat 1'),
  'the end of a transcript': () => store.sessions.readBefore('main', 'chat 1'),
  'derived bytes': () => store.derived.write('index', Buffer.alloc(600_000), undefined),
}

async function cursor() {
  const { cursor: now } = await store.feed('now')
  return { ...now, number: now.number - 3 }
}

describe('uses an index, and scans no table:', () => {
  it.each(Object.keys(OPERATIONS))('%s', async (name) => {
    const statements = await recorded(OPERATIONS[name] as () => Promise<unknown>)
    expect(statements.size).toBeGreaterThan(0)
    expect(scansIn(statements)).toEqual([])
  })

  it('and the test detects a scan', async () => {
    const connection = new Connection(path)
    const statements = await recorded(async () => connection.allNow("SELECT * FROM entries WHERE content = 'x'"))
    connection.close()
    expect(scansIn(statements)).toEqual([expect.stringContaining('SCAN entries')])
  })
})

it('runs no more statements for a longer history', async () => {
  const count = async (work: () => Promise<unknown>): Promise<number> => {
    const spy = vi.spyOn(Connection.prototype, 'allNow')
    await work()
    const { length } = spy.mock.calls
    vi.restoreAllMocks()
    return length
  }
  const ask = async (): Promise<number[]> => [
    await count(() => store.changes({ limit: 5 })),
    await count(() => store.changes({ scopes: ['main'], limit: 5 })),
    await count(() => store.resolve('main', 'Note 1')),
    await count(() => memory.undo()),
  ]
  const grow = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++)
      await store.apply({ operations: [note(`More ${count} ${n}`)], origin: { by: 'user' } })
  }
  await grow(300)
  const before = await ask()
  await grow(600)
  const after = await ask()
  for (const [index, counted] of after.entries()) expect(counted).toBeLessThanOrEqual((before[index] ?? 0) + 2)
})

it('lists each scope once', async () => {
  await store.apply({ operations: [note('of the other', { scope: 'other' })], origin: { by: 'user' } })
  await store.apply({ operations: [note('of the other too', { scope: 'other' })], origin: { by: 'user' } })
  expect(await store.scopes?.()).toEqual(['main', 'other'])
  expect(await store.scopes?.()).toEqual([...new Set((await store.heads()).map(({ scope }) => scope))].sort())
})

it('finds who undid a change in few statements, however many changes undo each other', async () => {
  const { cursor } = await store.feed('now')
  const [layers, width] = [12, 5]
  const connection = new Connection(path)
  for (let layer = 1; layer < layers; layer++) {
    for (let n = 0; n < width * width; n++) {
      const [reverted, number] = [Math.floor(n / width) - width, n % width].map(
        (at) => cursor.number + layer * width + at,
      )
      await insert(connection, 'reverts', { reverted: reverted ?? 0, number: number ?? 0 })
    }
  }
  connection.close()
  for (let n = 0; n < layers * width; n++) await apply(store, [note(`Layer ${n}`)])
  const spy = vi.spyOn(Connection.prototype, 'allNow')
  await store.changes({ limit: layers * width })
  expect(spy.mock.calls.filter(([sql]) => sql.includes('FROM reverts')).length).toBeLessThanOrEqual(layers)
})

it('a purge searches each table that may have the same words once', async () => {
  const { id } = await memory.find('Note 6')
  const statements = await recorded(() => store.purge([id]))
  const scans = scansIn(statements).map((scan) => scan.replace(/^SCAN (\w+).*/, '$1'))
  expect(scans.sort()).toEqual(['changes', 'files', 'transcripts', 'versions'])
})
