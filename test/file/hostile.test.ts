/**
 * Malicious files: the header, the tables and every checksum are valid, but the values are not. Every call returns an answer or throws one
 * of our errors, and nothing is written outside the memory.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import { moveMemory } from '../../src/move/move-memory.ts'
import { examineFile, repairFile } from '../../src/stores/doctor/file.ts'
import { insert, type TableName } from '../../src/stores/engine/schema.ts'
import type { SqlValue } from '../../src/stores/engine/sql.ts'
import { Connection } from '../../src/stores/engine/sqlite.ts'
import { type FileStore, fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { note } from '../../src/testing/requests.ts'
import { isNightly, seed } from '../tier.ts'

/** `npm test` runs one forgery in this many. */
const EVERY = 4

let base: string
let path: string

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-hostile-'))
  mkdirSync(join(base, 'inside'))
  path = join(base, 'inside', 'memory.keepsake')
  const store = fileStore({ path, timezone: 'UTC' })
  await store.apply({ operations: [note('first', { aliases: ['one'] }), note('second')], origin: { by: 'user' } })
  const id = (await store.resolve('main', 'second'))?.id ?? ''
  await store.apply({ operations: [{ op: 'write', id, content: 'changed' }], origin: { by: 'user' } })
  await store.sessions.append('main', 'chat', [{ n: 1 }])
  await store.derived.write('index', Buffer.from('bytes'))
  await store.close()
})

afterEach(() => {
  rmSync(base, { recursive: true, force: true })
})

/** Changes columns of the matching rows, and gives each row a valid checksum. */
async function forge(table: TableName, where: string, columns: Readonly<Record<string, SqlValue>>): Promise<void> {
  await edit(async (connection) => {
    const rows = connection.allNow(`SELECT * FROM ${table} WHERE ${where}`)
    if (rows.length === 0) throw new Error('nothing to forge')
    await connection.run(`DELETE FROM ${table} WHERE ${where}`)
    for (const { checksum: _, ...row } of rows) await insert(connection, table, { ...row, ...columns })
  })
}

async function edit(work: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = new Connection(path)
  try {
    await work(connection)
  } finally {
    connection.close()
  }
}

const CALLS: Readonly<Record<string, (store: FileStore, id: string) => Promise<unknown>>> = {
  settings: (store) => store.settings(),
  heads: (store) => store.heads(),
  'heads of a scope': (store) => store.heads({ scopes: ['main'], kinds: ['note'] }),
  scan: async (store) => {
    for await (const _ of store.scan());
  },
  get: (store, id) => store.get(id),
  resolve: (store) => store.resolve('main', 'second'),
  feed: (store) => store.feed(),
  changes: (store) => store.changes(),
  'changes of a scope': (store) => store.changes({ scopes: ['main'], undone: false }),
  stateAt: (store) => store.stateAt(1),
  'stateAt a time': (store) => store.stateAt(new Date().toISOString()),
  versions: (store, id) => store.versions([id]),
  gone: (store) => store.gone({ called: 'second' }),
  sessions: (store) => store.sessions.list('main'),
  session: (store) => store.sessions.read('main', 'chat'),
  'end of a session': (store) => store.sessions.readBefore('main', 'chat'),
  derived: (store) => store.derived.read('index'),
  document: (store) => store.document('directives/memory.md'),
  image: async (store) => {
    const image = await store.image()
    try {
      for await (const _ of image.entries());
      for await (const _ of image.sessions());
      for await (const _ of image.files());
      for await (const _ of image.history.changes());
    } finally {
      await image.close()
    }
  },
  lease: async (store) => (await store.lease('work'))?.release(),
  append: (store) => store.sessions.append('main', 'chat', [{ n: 2 }]),
  write: (store, id) => store.apply({ operations: [{ op: 'write', id, content: 'more' }], origin: { by: 'user' } }),
  add: (store) => store.apply({ operations: [note('second')], origin: { by: 'user' } }),
  'note a backup': (store) => store.noteBackup(join(base, 'backup')),
  purge: (store, id) => store.purge([id]),
}

/** Makes every call, and a move where it may matter, on the same file. Returns the errors that are not ours. */
async function callEverything(forgery: string): Promise<string[]> {
  const wrong: string[] = []
  const attempt = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!isKeepsakeError(error)) wrong.push(`${name}: ${error instanceof Error ? error.stack : error}`)
    }
  }
  const id = await idOfSecond()
  await attempt('open', async () => {
    const store = fileStore({ path, lockWaitMs: 1000 })
    try {
      for (const [name, call] of Object.entries(CALLS)) await attempt(name, () => call(store, id))
    } finally {
      await store.close()
    }
  })
  for (const target of isNightly || /path|file|transcript|nested/.test(forgery) ? ['folder', 'file'] : []) {
    await attempt(`a move to a ${target}`, async () => {
      const from = fileStore({ path })
      const to =
        target === 'file'
          ? fileStore({ path: join(base, 'inside', 'copy') })
          : filesystemStore({ root: join(base, 'inside', 'ws') })
      try {
        await moveMemory(from, to, { absorb: false })
      } finally {
        await Promise.all([from.close(), to.close()])
      }
    })
  }
  await attempt('doctor', () => examineFile(path))
  await attempt('doctor --fix', () => repairFile(path))
  return wrong
}

async function idOfSecond(): Promise<string> {
  let id = ''
  await edit(async (connection) => {
    id = String(connection.allNow("SELECT id FROM names WHERE name = 'second'")[0]?.['id'] ?? '')
  })
  return id
}

const DEEP = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
const FORGERIES: Readonly<Record<string, () => Promise<void>>> = {
  'aliases that are not JSON': () => forge('entries', '1', { aliases: '[' }),
  'aliases that are not a list': () => forge('entries', '1', { aliases: '{"a":1}' }),
  'aliases that are null': () => forge('entries', '1', { aliases: 'null' }),
  'aliases that are numbers': () => forge('entries', '1', { aliases: '[1,{}]' }),
  'metadata that is not JSON': () => forge('entries', '1', { metadata: 'x' }),
  'metadata that is null': () => forge('entries', '1', { metadata: 'null' }),
  'metadata that is nested deeply': () => forge('entries', "name = 'second'", { metadata: `{"a":${DEEP}}` }),
  'an unknown kind': () => forge('entries', '1', { kind: 'constructor' }),
  'a kind that has no name': () => forge('entries', '1', { kind: 'experience' }),
  'an unknown origin': () => forge('entries', '1', { origin_by: '__proto__' }),
  'invalid times': () => forge('entries', '1', { created_at: 'yesterday', updated_at: '', expires_at: 'never' }),
  'a name that is a path': () => forge('entries', "name = 'second'", { name: '../../../outside', scope: '../..' }),
  'a scope that is a path': () => forge('entries', "name = 'second'", { scope: '../../outside' }),
  'two entries with the same name': () => forge('entries', '1', { name: 'same' }),
  'a name of a missing entry': () => forge('names', '1', { id: 'nobody' }),
  'a large seq': () => forge('entries', "name = 'second'", { seq: Number.MAX_SAFE_INTEGER }),
  'a negative seq': () => forge('entries', "name = 'second'", { seq: -5 }),
  'a seq that is not a safe integer': () =>
    edit(async (connection) => connection.exec("UPDATE entries SET seq = 9223372036854775807 WHERE name = 'second'")),
  'a change number that is not a safe integer': () =>
    edit(async (connection) => connection.exec('UPDATE changes SET number = 9223372036854775807 WHERE number = 2')),
  'operations that are not JSON': () => forge('changes', '1', { operations: 'x' }),
  'operations that are null': () => forge('changes', '1', { operations: 'null' }),
  'operations that are numbers': () => forge('changes', '1', { operations: '[1,null]' }),
  'the extra column of a change that is not JSON': () => forge('changes', '1', { extra: '{' }),
  'the extra column of a change with odd values': () =>
    forge('changes', '1', { extra: '{"reverts":7,"purged":"x","number":"y"}' }),
  'a version that is not JSON': () => forge('versions', '1', { entry: '{' }),
  'a version that is a number': () => forge('versions', '1', { entry: '7' }),
  'a version that is null': () => forge('versions', '1', { entry: 'null' }),
  'an empty version': () => forge('versions', '1', { entry: '{}' }),
  'a version with odd values': () =>
    forge('versions', '1', { entry: '{"id":1,"name":{},"aliases":7,"metadata":[],"seq":"x"}' }),
  'a change that reverts itself': () => edit((connection) => insert(connection, 'reverts', { reverted: 2, number: 2 })),
  'changes that revert each other': () =>
    edit(async (connection) => {
      await insert(connection, 'reverts', { reverted: 1, number: 2 })
      await insert(connection, 'reverts', { reverted: 2, number: 1 })
    }),
  'last numbers that are not JSON': () => forge('settings', "key = 'last'", { value: 'x' }),
  'last numbers that are null': () => forge('settings', "key = 'last'", { value: 'null' }),
  'last numbers that are texts': () => forge('settings', "key = 'last'", { value: '{"number":"x","nextSeq":"y"}' }),
  'last numbers that are too low': () => forge('settings', "key = 'last'", { value: '{"number":0,"nextSeq":1}' }),
  'last numbers that are too high': () =>
    forge('settings', "key = 'last'", { value: '{"number":1e308,"nextSeq":1e308}' }),
  'no last numbers': () => edit((connection) => connection.run("DELETE FROM settings WHERE key = 'last'")),
  'no epoch': () => edit((connection) => connection.run("DELETE FROM settings WHERE key = 'epoch'")),
  'no settings': () => edit((connection) => connection.run("DELETE FROM settings WHERE key = 'settings'")),
  'settings that are not JSON': () => forge('settings', "key = 'settings'", { value: 'x' }),
  'settings that are null': () => forge('settings', "key = 'settings'", { value: 'null' }),
  'settings that are a list': () => forge('settings', "key = 'settings'", { value: '[]' }),
  'backups that are odd': () => edit((connection) => insert(connection, 'backups', { path: '/etc/passwd' })),
  'a transcript with a gap': () => forge('transcripts', '1', { start: 1000 }),
  'a transcript with a negative start': () => forge('transcripts', '1', { start: -1000 }),
  'a transcript that is not JSON': () => forge('transcripts', '1', { bytes: Buffer.from([0xff, 0, 10, 0xfe]) }),
  'an empty transcript': () => forge('transcripts', '1', { bytes: Buffer.alloc(0) }),
  'a transcript with a path as its key': () => forge('transcripts', '1', { key: '../../outside', scope: '../..' }),
  'derived bytes with a gap': () => forge('derived', '1', { part: 7 }),
  ...Object.fromEntries(
    ['../../outside', '/outside', 'agents/../../../outside', '.state/lock', 'keepsake.yaml', '', '..'].map((name) => [
      `a file called ${JSON.stringify(name)}`,
      () =>
        edit((connection) => insert(connection, 'files', { path: name, bytes: Buffer.from('evil'), entries: '[]' })),
    ]),
  ),
  'a file whose name has a NUL': () =>
    edit(async (connection) => {
      await insert(connection, 'files', { path: 'a', bytes: Buffer.from('evil'), entries: '[]' })
      connection.exec("UPDATE files SET path = 'a' || char(0) || 'b' WHERE path = 'a'")
    }),
  'a file with entries that are not a list': () =>
    edit((connection) =>
      insert(connection, 'files', { path: 'directives/memory.md', bytes: Buffer.from('x'), entries: '{"a":[]}' }),
    ),
  'a file with odd entries': () =>
    edit((connection) =>
      insert(connection, 'files', { path: 'world/x.md', bytes: Buffer.from('x'), entries: '[null,7]' }),
    ),
  'a lease that never ends': () =>
    edit((connection) =>
      insert(connection, 'leases', { name: 'work', holder: 'x', until_ms: Number.MAX_SAFE_INTEGER }),
    ),
}

describe('every call on a hostile file returns an answer or throws one of our errors, and writes nothing outside:', () => {
  async function check(forgery: string): Promise<void> {
    const before = readdirSync(base)
    expect(await callEverything(forgery)).toEqual([])
    expect(readdirSync(base)).toEqual(before)
    expect(existsSync('/outside')).toBe(false)
  }

  const chosen = Object.keys(FORGERIES).filter((_, n) => isNightly || n % EVERY === seed % EVERY)

  it.each(chosen)('%s', async (name) => {
    await FORGERIES[name]?.()
    await check(name)
  })
})
