// What a sync that fails leaves: nothing is acknowledged before the name of the file is on the disk, by whichever process, and who
// has read a change that was taken back learns of the one that took its number.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { FileStore, FileStoreOptions } from '../../src/stores/file/store.ts'
import { apply, note } from '../../src/testing/requests.ts'

type Sync = typeof fs.fsync
type Done = (error: NodeJS.ErrnoException | null) => void

/** No process has this number. */
const NOBODY = 2 ** 30

const real = { fsync: fs.fsync, fdatasync: fs.fdatasync, openSync: fs.openSync }
const paths = new Map<number, string>()
/** What was synced, by path. */
let synced: string[] = []
/** Called before each sync; what it gives is the error of it. */
let fault: (path: string) => Error | undefined = () => undefined
let meanwhile: () => Promise<void> = async () => undefined
let fileStore: (options: FileStoreOptions) => FileStore

function watched(sync: Sync): Sync {
  const call = (fd: number, done: Done): void => {
    const path = paths.get(fd) ?? ''
    const error = fault(path)
    if (!error) synced.push(path)
    if (error) void meanwhile().then(() => done(error))
    else sync(fd, done)
  }
  return Object.assign(call, { __promisify__: sync.__promisify__ })
}

function failOnce(isMeant: (path: string) => boolean): void {
  fault = (path) => {
    if (!isMeant(path)) return undefined
    fault = () => undefined
    return Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
  }
}

let folder: string
const opened: FileStore[] = []
function open(path: string): FileStore {
  const store = fileStore({ path, timezone: 'UTC' })
  opened.push(store)
  return store
}

beforeAll(async () => {
  fs.openSync = (...given: Parameters<typeof fs.openSync>) => {
    const fd = real.openSync(...given)
    paths.set(fd, String(given[0]))
    return fd
  }
  fs.fsync = watched(real.fsync)
  fs.fdatasync = watched(real.fdatasync)
  syncBuiltinESMExports()
  fileStore = (await import('../../src/stores/file/store.ts')).fileStore
})
afterAll(() => {
  Object.assign(fs, real)
  syncBuiltinESMExports()
})
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'keepsake-syncs-'))
  fault = () => undefined
  meanwhile = async () => undefined
})
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

it('syncs every folder that it makes a folder in, and again where that failed', async () => {
  const path = join(folder, 'a', 'b', 'memory.keepsake')
  const store = open(path)
  failOnce((one) => one === folder)
  await expect(apply(store, [note('x')])).rejects.toMatchObject({ code: 'IO' })
  synced = []
  await apply(store, [note('x')])
  expect(synced).toEqual(expect.arrayContaining([folder, join(folder, 'a', 'b'), path]))
})

it('syncs the folder of a first file before it acknowledges anything in it, where that failed at first', async () => {
  const path = join(folder, 'memory.keepsake')
  const store = open(path)
  failOnce((one) => one === folder)
  await expect(apply(store, [note('x')])).rejects.toMatchObject({ code: 'IO' })
  synced = []
  await apply(store, [note('x')])
  expect(synced).toEqual([folder, path])
})

it.each(['is open', 'was closed', 'was killed'])(
  'syncs the folder for another one that could not, and %s',
  async (how) => {
    const path = join(folder, 'memory.keepsake')
    const [one, other] = [open(path), open(path)]
    await apply(one, [note('x')])
    if (how === 'was killed') {
      // As it stands when the file was renamed: its lock is that of a process that is gone.
      const { formatOwner, thisProcess } = await import('../../src/stores/disk/owner.ts')
      fs.symlinkSync(`${formatOwner({ ...thisProcess(), pid: NOBODY })}/1`, join(`${path}.lock`, '7'))
    } else {
      fault = (name) => (name === folder ? Object.assign(new Error('EIO'), { code: 'EIO' }) : undefined)
      await expect(one.fold()).rejects.toMatchObject({ code: 'IO' })
      if (how === 'was closed') await one.close()
      fault = () => undefined
    }
    synced = []
    await apply(other, [note('y')])
    expect(synced).toEqual([folder, path])
  },
)

it('lets nobody take the next change for one that was taken back', async () => {
  const path = join(folder, 'memory.keepsake')
  const [one, other] = [open(path), open(path)]
  await apply(one, [note('x')])
  let { cursor } = await other.changes('now')
  meanwhile = async () => {
    const feed = await other.changes(cursor)
    expect(feed.changes.map(({ number }) => number)).toEqual([2])
    cursor = feed.cursor
  }
  failOnce((name) => name === path)
  await expect(apply(one, [note('ghost')])).rejects.toMatchObject({ code: 'IO' })
  await apply(one, [note('real')])
  const feed = await other.changes(cursor)
  expect([feed.restarted, feed.cursor.epoch === cursor.epoch]).toEqual([true, false])
  expect((await other.heads()).map(({ name }) => name)).toEqual(['x', 'real'])
})
