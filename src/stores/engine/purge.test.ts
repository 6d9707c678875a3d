/** A purge leaves no byte of a text in the file or its `-wal`, not even while the store is open, and removes nothing else. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../memory.ts'
import { derivedId } from '../../model/id.ts'
import { apply, applyOne, MAIN, note, scanned, topic } from '../../testing/requests.ts'
import { type FileStore, fileStore } from '../file/store.ts'
import { Connection } from './sqlite.ts'

const SECRET = 'the code of the safe is 4711-0815-2342'

let folder: string
let path: string
let store: FileStore
const opened: FileStore[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-purge-'))
  path = join(folder, 'memory.keepsake')
  store = open()
})

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  rmSync(folder, { recursive: true })
})

function open(): FileStore {
  const made = fileStore({ path, timezone: 'UTC' })
  opened.push(made)
  return made
}

/** The files of the memory that contain a text, in any encoding. */
function filesWith(text: string): string[] {
  const forms = [text, JSON.stringify(text).slice(1, -1)].flatMap((form) => [
    Buffer.from(form, 'utf8'),
    Buffer.from(form, 'utf16le'),
  ])
  return readdirSync(folder).filter((name) => {
    const bytes = readFileSync(join(folder, name))
    return forms.some((form) => bytes.includes(form))
  })
}

describe('a purge', () => {
  it('leaves no byte of what an entry ever said, while the store is still open', async () => {
    const secrets = ['content', 'later content', 'description', 'metadata', 'ümlaut\n"quoted" line'].map(
      (word) => `${SECRET}: ${word}`,
    )
    const [content = '', later = '', description = '', metadata = '', odd = ''] = secrets
    const { id } = await applyOne(
      store,
      note('Safe', { content, description, metadata: { deep: [{ text: metadata }] } }),
    )
    await apply(store, [
      { op: 'write', id, content: later },
      { op: 'rename', id, name: 'Vault' },
    ])
    await apply(store, [{ op: 'write', id, content: odd }])
    await store.sessions.append('main', 'chat', [
      { role: 'user', text: `they said: ${later} (yes)` },
      { other: 'stays' },
    ])
    await store.derived.write('index', Buffer.from(`derived from ${content}`))
    for (let n = 0; n < 50; n++) await apply(store, [note(`other ${n}`, { content: `${'x'.repeat(500)} ${n}` })])
    for (const secret of secrets) expect(filesWith(secret), secret).not.toEqual([])
    const { occurrences } = await store.purge([id], { origin: MAIN })
    expect(occurrences).toEqual([])
    for (const secret of secrets) expect(filesWith(secret), secret).toEqual([])
    expect(filesWith(SECRET)).toEqual([])
    expect(await store.versions([id])).toEqual([])
    expect(await store.derived.read('index')).toBeUndefined()
    expect((await store.sessions.read('main', 'chat'))?.records).toEqual([
      { role: 'user', text: 'they said: [purged] (yes)' },
      { other: 'stays' },
    ])
  })

  it('of several entries, removed ones included, keeps the rest', async () => {
    const all = await Promise.all(
      [1, 2, 3, 4].map((n) => applyOne(store, note(`Safe ${n}`, { content: `${SECRET} no. ${n}` }))),
    )
    const ids = all.map(({ id }) => id)
    await apply(store, [{ op: 'remove', id: ids[1] ?? '' }])
    const kept = await applyOne(store, note('Plain', { content: 'nothing that is secret' }))
    const before = (await store.changes()).length
    const { cleaned } = await store.purge(ids.slice(0, 3), { origin: MAIN })
    expect(cleaned.length).toBeGreaterThan(0)
    for (const n of [1, 2, 3]) expect(filesWith(`${SECRET} no. ${n}`)).toEqual([])
    expect(filesWith(`${SECRET} no. 4`)).not.toEqual([])
    expect((await scanned(store)).map(({ id }) => id)).toEqual([ids[3], kept.id])
    const after = await store.changes()
    expect(after).toHaveLength(before + 1)
    expect(after[0]?.change).toMatchObject({ operations: [], purged: ['main'], origin: MAIN })
  })

  it("does not change other agents' texts, and lists where the words are", async () => {
    const { id } = await applyOne(store, note('Safe', { content: SECRET }))
    const theirs = await applyOne(store, note('Theirs', { scope: 'ada', content: `I heard: ${SECRET}` }))
    const shared = await applyOne(store, topic('Shared', { content: SECRET }))
    await store.sessions.append('ada', 'chat', [{ text: SECRET }])
    await store.sessions.append('main', 'chat', [{ text: SECRET }])
    const there = await store.sessions.read('ada', 'chat')
    const { occurrences } = await store.purge([id], { origin: MAIN })
    expect(await store.get(theirs.id)).toEqual(theirs)
    expect(await store.get(shared.id)).toEqual(shared)
    expect(await store.sessions.read('ada', 'chat')).toEqual(there)
    expect((await store.sessions.read('main', 'chat'))?.records).toEqual([{ text: '[purged]' }])
    expect(occurrences).toContainEqual({ in: 'session', scope: 'ada', key: 'chat' })
    const named = occurrences.flatMap((one) => (one.in === 'entry' ? one.id : []))
    expect(named.sort()).toEqual([shared.id, theirs.id].sort())
  })

  it('is reported as incomplete while another process is reading an older state, and completes later', async () => {
    const { id } = await applyOne(store, note('Safe', { content: SECRET }))
    const reader = open()
    const image = await reader.image()
    const impatient = fileStore({ path, lockWaitMs: 30 })
    opened.push(impatient)
    const { outOfReach } = await impatient.purge([id], { origin: MAIN })
    expect(outOfReach[0]).toContain('another process is reading an older state')
    expect(await scanned(impatient)).toEqual([])
    await image.close()
    await impatient.close()
    await apply(open(), [note('the next write')])
    await expect.poll(() => filesWith(SECRET)).toEqual([])
  })

  it('that could not vacuum the file is finished by a later write of the same process', async () => {
    await apply(store, [note('first')])
    const { id } = await applyOne(store, note('Safe', { content: SECRET }))
    const image = await open().image()
    const impatient = fileStore({ path, lockWaitMs: 30 })
    opened.push(impatient)
    await apply(impatient, [note('before')])
    expect((await impatient.purge([id], { origin: MAIN })).outOfReach[0]).toContain('another process')
    await image.close()
    // Upkeep runs with every 256th change.
    for (let n = 0; n < 256; n++) await impatient.apply({ operations: [note(`later ${n}`)], origin: { by: 'user' } })
    await expect.poll(() => filesWith(SECRET)).toEqual([])
  })

  it('also removes the text of an entry that one change added and removed', async () => {
    await apply(store, [
      { op: 'add', scope: 'main', kind: 'memory', content: SECRET },
      { op: 'remove', id: derivedId('main', 'MEMORY.md') },
    ])
    const { id } = await applyOne(store, { op: 'add', scope: 'main', kind: 'memory', content: 'harmless' })
    expect(filesWith(SECRET)).not.toEqual([])
    await store.purge([id], { origin: MAIN })
    expect(filesWith(SECRET)).toEqual([])
  })

  it.each([
    ['writes', (next: FileStore) => apply(next, [note('the next write')])],
    ['appends to a session', (next: FileStore) => next.sessions.append('main', 'chat', [{ n: 1 }])],
  ])('that was interrupted before the file was vacuumed is finished by the next process that %s', async (_, write) => {
    const { id } = await applyOne(store, note('Safe', { content: SECRET }))
    await store.close()
    // What a process that is killed after COMMIT leaves: the rows are gone, their bytes are not.
    const killed = new Connection(path)
    killed.exec('PRAGMA secure_delete = OFF')
    for (const table of ['entries', 'names', 'versions']) await killed.run(`DELETE FROM ${table} WHERE id = ?`, [id])
    await killed.run("UPDATE changes SET operations = '[]'")
    killed.close()
    const { insert } = await import('./schema.ts')
    const setting = new Connection(path)
    await insert(setting, 'settings', { key: 'vacuum', value: 'some time' })
    setting.close()
    expect(filesWith(SECRET)).not.toEqual([])
    const next = open()
    await scanned(next)
    expect(filesWith(SECRET)).not.toEqual([])
    await write(next)
    await expect.poll(() => filesWith(SECRET)).toEqual([])
    await expect.poll(() => readSettings(path)).not.toContain('vacuum')
  })

  it('is reported as done when the store is closed before it could vacuum the file', async () => {
    const { id } = await applyOne(store, note('Safe', { content: SECRET }))
    const purging = store.purge([id], { origin: MAIN })
    await store.close()
    expect((await purging).cleaned).not.toEqual([])
  })

  it('is in no backup that is made afterwards', async () => {
    const memory = new Memory(store, 'main', Date.now)
    await memory.remember(SECRET, { name: 'Safe' })
    await memory.purge('Safe')
    const copy = fileStore({ path: join(folder, 'copy.keepsake') })
    opened.push(copy)
    const image = await store.image()
    await copy.adopt(image)
    await image.close()
    expect(existsSync(copy.path)).toBe(true)
    expect(filesWith(SECRET)).toEqual([])
  })
})

function readSettings(file: string): string[] {
  const connection = new Connection(file)
  try {
    return connection.allNow('SELECT key FROM settings').map(({ key }) => String(key))
  } finally {
    connection.close()
  }
}
