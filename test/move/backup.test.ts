// Backups of every store to one file, and restores to every store, with real files: complete, of one moment, never overwriting anything.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ReadOnlyError } from '../../src/errors.ts'
import { type Backup, type BackupSource, backUp, openBackup, restore } from '../../src/move/backup.ts'
import type { Moved } from '../../src/move/move-memory.ts'
import type { Movable, Store } from '../../src/ports/store.ts'
import { formatOwner, thisProcess } from '../../src/stores/disk/owner.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { collected } from '../../src/testing/images.ts'
import { apply, applyOne, note } from '../../src/testing/requests.ts'
import { differentFiles, livedInFolder } from './lived-in-folder.ts'
import { fillSample, sampleStore } from './sample.ts'

let base: string
const opened: Store[] = []
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-backup-'))
})
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  rmSync(base, { recursive: true, force: true })
})

function open<S extends Store>(store: S): S {
  opened.push(store)
  return store
}

const at = (...names: string[]): string => join(base, ...names)

const STORES: Readonly<Record<string, () => BackupSource>> = {
  folder: () => open(filesystemStore({ root: at('folder'), timezone: 'UTC' })),
  file: () => open(fileStore({ path: at('memory.keepsake'), timezone: 'UTC' })),
  'store in RAM': () => open(memoryStore({ settings: { timezone: 'UTC' } })),
}

async function restored(file: string, to: Store & Movable): Promise<Moved> {
  const backup = await openBackup(file)
  try {
    return await restore(backup, to)
  } finally {
    await backup.close()
  }
}

describe('a backup', () => {
  it.each(Object.keys(STORES))(
    'of a %s is a complete memory in one file, and restores to every store',
    async (name) => {
      const from = (STORES[name] as () => BackupSource)()
      await fillSample(from)
      const expected = await collected(await from.image())
      const made = await backUp(from, { to: at('b.keepsake') })
      const { size, mode } = statSync(at('b.keepsake'))
      const counts = { entries: 5, changes: 3, sessions: 2, files: 0 }
      expect(made).toEqual({ ...counts, path: made.path, bytes: size, change: 3, warnings: [] })
      expect([basename(made.path), mode & 0o777]).toEqual(['b.keepsake', 0o600])
      expect(readdirSync(base).filter((found) => found.includes('backup') || found.startsWith('b.'))).toEqual([
        'b.keepsake',
      ])
      for (const target of Object.values(STORES)) {
        rmSync(at('folder'), { recursive: true, force: true })
        for (const ending of ['', '-wal', '-shm']) rmSync(at(`memory.keepsake${ending}`), { force: true })
        const to = target()
        expect(await restored(made.path, to)).toEqual({ ...counts, warnings: [] })
        expect(await collected(await to.image())).toEqual(expected)
      }
    },
  )

  it('of a lost folder restores the same files and history', async () => {
    const root = at('folder')
    const from = await livedInFolder({ root, entries: 40 })
    const expected = await collected(await from.image())
    await backUp(from, { to: at('b.keepsake') })
    await from.close()
    cpSync(root, at('before'), { recursive: true })
    rmSync(root, { recursive: true })
    const to = open(filesystemStore({ root }))
    await restored(at('b.keepsake'), to)
    expect(differentFiles(root, at('before'))).toEqual([])
    expect(await collected(await to.image())).toEqual(expected)
  })

  it('names what is left out', async () => {
    const from = STORES['folder']?.() as BackupSource
    await fillSample(from)
    symlinkSync('/etc', at('folder/world/etc'))
    writeFileSync(at('folder/todo.txt'), 'not part of a memory')
    const { warnings } = await backUp(from, { to: at('b.keepsake') })
    expect(warnings).toEqual(['not part of the memory, and not taken along: world/etc, todo.txt'])
  })

  it('replaces a file only with force', async () => {
    const from = open(await sampleStore())
    await backUp(from, { to: at('b.keepsake') })
    const bytes = readFileSync(at('b.keepsake'))
    await apply(from, [note('later')])
    await expect(backUp(from, { to: at('b.keepsake') })).rejects.toMatchObject({
      code: 'CONFLICT',
      hint: expect.stringContaining('--force'),
    })
    expect(readFileSync(at('b.keepsake')).equals(bytes)).toBe(true)
    expect((await backUp(from, { to: at('b.keepsake'), force: true })).change).toBe(4)
  })

  it.each<[string, string, string]>([
    ['the memory itself', 'memory.keepsake', 'part of the memory'],
    ['a folder', 'shelf', 'is not a file'],
    ['a file in a folder that is missing', 'missing/b.keepsake', 'there is no folder'],
    ['the name of an archive', 'b.tar.gz', 'name of an archive'],
    ['a memory that is open elsewhere', 'open.keepsake', 'is using'],
  ])('never writes to %s, with or without force', async (_, name, message) => {
    const from = STORES['file']?.() as BackupSource
    await fillSample(from)
    mkdirSync(at('shelf'))
    for (const file of ['open.keepsake', 'open.keepsake-wal']) writeFileSync(at(file), 'x')
    const files = (): string[] =>
      readdirSync(base).map((found) => (statSync(at(found)).isFile() ? readFileSync(at(found), 'latin1') : found))
    await from.close()
    const before = files()
    for (const force of name === 'memory.keepsake' ? [true] : [true, false]) {
      const refused = await backUp(from, { to: at(name), force }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: expect.any(String), hint: expect.any(String) })
      if (force) expect(String(refused)).toContain(message)
    }
    expect(files()).toEqual(before)
  })

  it('is never written inside the folder that it copies', async () => {
    const from = STORES['folder']?.() as BackupSource
    await fillSample(from)
    await expect(backUp(from, { to: at('folder/world/b.keepsake') })).rejects.toMatchObject({ code: 'INVALID' })
  })

  it('leaves nothing when it is interrupted, and removes what a killed one left', async () => {
    const from = open(await sampleStore())
    const dead = formatOwner({ ...thisProcess(), pid: 2 ** 30 }).replaceAll(':', '_')
    mkdirSync(at(`.keepsake.backup-${dead}_00`))
    const stop = new AbortController()
    const onProgress = (): void => stop.abort(new Error('enough'))
    await expect(backUp(from, { to: at('b.keepsake'), signal: stop.signal, onProgress })).rejects.toThrow('enough')
    expect(readdirSync(base)).toEqual([])
    await backUp(from, { to: at('b.keepsake') })
    expect(readdirSync(base)).toEqual(['b.keepsake'])
  })

  it('does not contain what is purged while it is made', async () => {
    const store = open(await sampleStore())
    const secret = await applyOne(store, note('secret', { content: 'the door code is 7391 to the left' }))
    let notes = 0
    const from = {
      ...store,
      async noteBackup(path: string) {
        if (++notes === 1) await store.purge([secret.id])
        return store.noteBackup(path)
      },
    }
    await backUp(from, { to: at('b.keepsake') })
    expect(notes).toBe(2)
    expect(readFileSync(at('b.keepsake')).includes('door code')).toBe(false)
    expect(readdirSync(base)).toEqual(['b.keepsake'])
  })

  it.each(['folder', 'file', 'store in RAM'])(
    'is named by a purge of the %s, and by a purge of a memory restored from it',
    async (name) => {
      const from = (STORES[name] as () => BackupSource)()
      await fillSample(from)
      const { path } = await backUp(from, { to: at('b.keepsake') })
      const copy = open(filesystemStore({ root: at('copy') }))
      await restored(path, copy)
      for (const store of [from, copy]) {
        const brief = await store.resolve('main', 'Brief')
        const { outOfReach } = await store.purge([brief?.id ?? ''])
        expect(outOfReach.join('\n')).toContain(`the backup ${path}: delete it`)
      }
    },
  )

  it('of a read-only memory warns that no purge will name it', async () => {
    const store = open(await sampleStore())
    const noteBackup = async (): Promise<void> => Promise.reject(new ReadOnlyError('/memory', undefined))
    const { path, warnings }: Backup = await backUp({ ...store, noteBackup }, { to: at('b.keepsake') })
    expect(warnings).toEqual([expect.stringContaining(`a purge will not name ${path}: `)])
  })
})

describe('a restore', () => {
  async function backup(): Promise<string> {
    return (await backUp(open(await sampleStore()), { to: at('b.keepsake') })).path
  }

  it.each(['folder', 'file', 'store in RAM'])('never replaces a %s, even an identical one', async (name) => {
    const file = await backup()
    const to = (STORES[name] as () => BackupSource)()
    await restored(file, to)
    const same = await collected(await to.image())
    const again = async (): Promise<unknown> => restored(file, to)
    await expect(again()).rejects.toMatchObject({ code: 'CONFLICT', hint: expect.stringContaining('Nothing was') })
    expect(await collected(await to.image())).toEqual(same)
    await apply(to, [note('mine')])
    const mine = await collected(await to.image())
    await expect(again()).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await collected(await to.image())).toEqual(mine)
  })

  it.each<[string, () => void, string]>([
    ['a file that is missing', () => undefined, 'NOT_FOUND'],
    ['a folder', () => mkdirSync(at('x')), 'INVALID'],
    ['an archive of 0.1', () => writeFileSync(at('x'), gzipSync('keepsake-backup.json')), 'INVALID'],
    ['a file of another program', () => writeFileSync(at('x'), 'dear diary, '.repeat(99)), 'FOREIGN'],
    ['half a backup', () => writeFileSync(at('x'), readFileSync(at('b.keepsake')).subarray(0, 2000)), 'DAMAGED'],
  ])('of %s is refused, and creates nothing', async (_, make, code) => {
    await backup()
    make()
    const before = readdirSync(base)
    const refused = (async () => restored(at('x'), open(filesystemStore({ root: at('folder') }))))()
    await expect(refused).rejects.toMatchObject({ code, hint: expect.any(String) })
    expect(readdirSync(base)).toEqual(before)
  })

  it('to a read-only folder creates nothing', async ({ skip }) => {
    if (process.getuid?.() === 0) return skip('the superuser may write anywhere')
    const file = await backup()
    mkdirSync(at('closed'))
    chmodSync(at('closed'), 0o500)
    const to = open(filesystemStore({ root: at('closed/memory') }))
    await expect(restored(file, to)).rejects.toMatchObject({ code: 'READ_ONLY' })
    expect(existsSync(at('closed/memory'))).toBe(false)
    chmodSync(at('closed'), 0o700)
  })
})
