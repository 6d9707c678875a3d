/** After a purge no byte of the file tells of the entry; all others, and their past, are as they were. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MemoryImage } from '../../ports/store.ts'
import { collected, imageFrom } from '../../testing/images.ts'
import { apply, applyOne, note, scanned } from '../../testing/requests.ts'
import { formatOwner, thisProcess } from '../disk/owner.ts'
import { backUpFile } from './backup.ts'
import { planFileRestore, restoreFile } from './restore.ts'
import { type FileStore, fileStore } from './store.ts'

const SECRET = 'a secret that must go at once'
const DAY_MS = 86_400_000

let folder: string
let path: string
let ms: number
let store: FileStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-purge-'))
  path = join(folder, 'memory.keepsake')
  ms = Date.parse('2026-03-14T09:26:53.589Z')
  store = fileStore({ path, clock: () => ms, timezone: 'UTC' })
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** An entry with a past: in the base, in changes of its own, and in one together with another entry. */
async function withSecret(): Promise<{ readonly secret: string; readonly other: string }> {
  const { entries } = await apply(store, [
    note('first', { content: 'x' }),
    note('hidden name', { content: SECRET, aliases: ['hidden alias'], metadata: { hidden: 'meta' } }),
    note('other', { content: 'the text of another' }),
  ])
  const [, secret, other] = entries.map(({ id }) => id)
  await apply(store, [
    { op: 'write', id: other ?? '', content: 'another text of another' },
    { op: 'write', id: secret ?? '', content: `${SECRET}, twice` },
  ])
  return { secret: secret ?? '', other: other ?? '' }
}

function expectNoTrace(id: string, at = path): void {
  const bytes = readFileSync(at)
  for (const trace of [SECRET, 'hidden name', 'hidden alias', '"hidden"', id]) {
    expect(bytes.includes(trace), trace).toBe(false)
  }
}

describe('a purge', () => {
  it.each(['as it was written', 'folded', 'in the base'])('leaves no trace of an entry that lies %s', async (where) => {
    const { secret, other } = await withSecret()
    if (where === 'in the base') ms += 100 * DAY_MS
    if (where !== 'as it was written') await store.fold()
    await store.derived.write('index', Buffer.from(SECRET))
    const before = await store.get(other)
    const cursor = (await store.changes('now')).cursor
    const { cleaned } = await store.purge([secret])
    expect(cleaned[0]).toContain('the entries')
    expectNoTrace(secret)
    expect(await store.get(other)).toEqual(before)
    expect((await scanned(store)).map(({ name }) => name)).toEqual(['first', 'other'])
    expect((await store.changes(cursor)).restarted).toBe(true)
    expect((await store.changes('now')).cursor.number).toBe(cursor.number + 1)
    const last = [...(await store.history()).changes].at(-1)
    expect([last?.change.number, last?.touched]).toEqual([cursor.number + 1, []])
    await apply(store, [note('hidden name', { content: 'the name is free' })])
    const again = fileStore({ path })
    expect((await scanned(again)).map(({ content }) => content)).toEqual(['x', before?.content, 'the name is free'])
    await again.close()
  })

  it('purges the history of a deleted entry, and lists the places it does not change', async () => {
    const { secret, other } = await withSecret()
    await apply(store, [{ op: 'remove', id: secret }])
    await apply(store, [{ op: 'write', id: other, content: `I know ${SECRET}` }])
    await store.sessions.append('main', 'chat', [{ text: `he said: ${SECRET}` }, { text: 'and went' }])
    await store.fold()
    await store.sessions.append('main', 'chat', [{ text: 'later' }])
    const { cleaned, occurrences, outOfReach } = await store.purge([secret])
    expect(cleaned).toContain('1 session that contained it')
    expect(occurrences).toEqual([{ in: 'entry', scope: 'main', id: other, kind: 'note', name: 'other' }])
    expect(outOfReach.join('\n')).toContain('copies of the file')
    expect((await store.sessions.read('main', 'chat'))?.records).toEqual([
      { text: 'he said: [purged]' },
      { text: 'and went' },
      { text: 'later' },
    ])
    expect((await store.changes('now')).cursor.number).toBe(5)
    await store.purge([other])
    expectNoTrace(secret)
  })

  it('takes the kept files along that hold its text, and leaves the others', async () => {
    const { secret } = await withSecret()
    const image = await collected(await store.image())
    const revision = image.entries.find(({ id }) => id === secret)?.revision ?? ''
    const moved: MemoryImage = imageFrom({
      ...image,
      files: [
        { path: 'agents/main/entries/a.md', bytes: Buffer.from(SECRET), entries: [{ id: secret, revision }] },
        { path: 'directives/memory.md', bytes: Buffer.from('Keep it.\n'), entries: [] },
        { path: 'directives/other.md', bytes: Buffer.from(`Never say: ${SECRET}\n`), entries: [] },
      ],
    })
    await store.close()
    rmSync(path)
    store = fileStore({ path, clock: () => ms })
    await store.adopt(moved)
    expect(readFileSync(path).includes('agents/main/entries/a.md')).toBe(true)
    const { occurrences } = await store.purge([secret])
    expect(occurrences).toEqual([{ in: 'file', path: 'directives/other.md' }])
    expect(readFileSync(path).includes('agents/main/entries/a.md')).toBe(false)
    expect(await store.document('directives/memory.md')).toBe('Keep it.\n')
  })

  it('takes along what stopped programs left since this one began, and tells of what others may be at', async () => {
    const { secret } = await withSecret()
    const dead = formatOwner({ ...thisProcess(), pid: 2 ** 30 }).replaceAll(':', '_')
    const left = ['fold-1', 'new-1', 'moving-1'].map((name) => join(`${path}.lock`, name))
    const beside = ['backup', 'restore'].map((what) => join(folder, `.keepsake.${what}-${dead}_00`))
    const foreign = join(folder, '.keepsake.backup-of-somebody')
    for (const copy of [...left, ...beside, foreign]) copyFileSync(path, copy)
    const { outOfReach } = await store.purge([secret])
    expect([...left, ...beside].filter((copy) => existsSync(copy))).toEqual([])
    expect(existsSync(foreign)).toBe(true)
    expect(outOfReach.join('\n')).toContain(`${foreign}, an unfinished backup or restore`)
  })

  it('takes the words out of a transcript that is not UTF-8 throughout, and leaves its other bytes', async () => {
    const { secret } = await withSecret()
    const image = await collected(await store.image())
    const lines = [
      `{"text":"he said: ${SECRET}"}\n`,
      `{"text":"\xff and ${SECRET}, twice \xfe"}\n`,
      '{"text":"\xff"}\n',
    ]
    const text = Buffer.from(lines.join(''), 'latin1')
    await store.close()
    rmSync(path)
    store = fileStore({ path, clock: () => ms })
    await store.adopt(imageFrom({ ...image, sessions: [{ scope: 'main', key: 'chat', text }] }))
    expect((await store.purge([secret])).cleaned).toContain('1 session that contained it')
    expectNoTrace(secret)
    const after = (await collected(await store.image())).sessions[0]?.text ?? new Uint8Array()
    expect(Buffer.from(after).toString('latin1')).toBe(
      '{"text":"he said: [purged]"}\n{"text":"\xff and [purged] \xfe"}\n{"text":"\xff"}\n',
    )
  })

  it('gives a name that two claim to who is left', async () => {
    const a = await applyOne(store, note('a'))
    await apply(store, [{ op: 'remove', id: a.id }])
    const b = await applyOne(store, note('a', { content: 'the second' }))
    const { content, ...rest } = a
    const { revision: _, ...fields } = rest
    await store.apply({ operations: [{ op: 'add', ...fields, content }], origin: { by: 'undo' }, reverts: [2] })
    expect((await store.resolve('main', 'a'))?.id).toBe(b.id)
    await store.fold()
    expect((await store.resolve('main', 'a'))?.id).toBe(b.id)
    await store.purge([b.id])
    expect((await store.resolve('main', 'a'))?.id).toBe(a.id)
  })

  it('reaches into the backups that were made of it, also by way of a restore', async () => {
    const { secret, other } = await withSecret()
    const [first, second] = [join(folder, 'first.keepsake'), join(folder, 'second.keepsake')]
    await store.sessions.append('main', 'chat', [{ text: `he said: ${SECRET}` }])
    await backUpFile(store, { to: first })
    await store.fold()
    await backUpFile(store, { to: second })
    await restoreFile(await planFileRestore(second, path), { nowMs: ms })
    const gone = join(folder, 'gone.keepsake')
    await backUpFile(store, { to: gone })
    rmSync(gone)
    const unreadable = join(folder, 'unreadable.keepsake')
    await backUpFile(store, { to: unreadable })
    truncateSync(unreadable, 200)
    const { cleaned, outOfReach } = await store.purge([secret])
    expect(cleaned.filter((one) => one.includes('backup'))).toEqual([`the backup ${first}`, `the backup ${second}`])
    expect(outOfReach[0]).toContain(`the backup ${unreadable}: `)
    for (const each of [path, first, second]) {
      expectNoTrace(secret, each)
      const copy = fileStore({ path: each })
      expect((await copy.get(other))?.content).toBe('another text of another')
      await copy.close()
    }
    // They are still known, and one that is another memory by now is left alone.
    const elsewhere = fileStore({ path: join(folder, 'elsewhere.keepsake'), timezone: 'UTC' })
    await apply(elsewhere, [note('mine')])
    await elsewhere.close()
    renameSync(join(folder, 'elsewhere.keepsake'), first)
    const again = await store.purge([other])
    expect(again.cleaned.filter((one) => one.includes('backup'))).toEqual([`the backup ${second}`])
    expect(readdirSync(folder).filter((name) => name.endsWith('.lock'))).toEqual(['memory.keepsake.lock'])
  })

  it("does not change other entries' texts in the backups, and names those backups", async () => {
    const { secret } = await withSecret()
    await store.sessions.append('bob', 'chat', [{ text: `he said: ${SECRET}` }])
    const to = join(folder, 'backup.keepsake')
    await backUpFile(store, { to })
    const { outOfReach } = await store.purge([secret])
    expect(outOfReach[0]).toBe(`the backup ${to}: other entries or sessions in it have the same words`)
    const copy = fileStore({ path: to })
    expect((await copy.sessions.read('bob', 'chat'))?.records).toEqual([{ text: `he said: ${SECRET}` }])
    await copy.close()
  })
})
