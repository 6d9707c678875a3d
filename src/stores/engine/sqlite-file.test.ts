/** Where a memory can be, leftovers of unfinished files, and files that Windows says are in use. */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { networkFileSystem, retryInUse } from '../disk/platform.ts'
import { Connection } from './sqlite.ts'
import { buildFile, buildingPath, findFile } from './sqlite-file.ts'

const LOCK_WAIT = { lockWaitMs: 10_000 }
const NOTHING = async (): Promise<void> => undefined
let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-file-'))
  path = join(folder, 'memory.keepsake')
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

describe('networkFileSystem', () => {
  it.each([
    [0x6969, 'NFS'],
    [0xff534d42, 'CIFS'],
    [0xff534d42 | 0, 'CIFS'],
    [0xfe534d42 | 0, 'SMB2'],
    [0x65735546, 'FUSE'],
    [0x01021997, '9p'],
    [0xef53, undefined],
    [0x01021994, undefined],
  ])('knows %i as %s', (type, name) => {
    expect(networkFileSystem('/anywhere', () => type)).toBe(name)
  })

  it('treats a folder of unknown type as local', () => {
    const fail = (): number => {
      throw new Error('ENOSYS')
    }
    expect(networkFileSystem('/anywhere', fail)).toBeUndefined()
    expect(networkFileSystem(folder)).toBeUndefined()
  })
})

describe('retryInUse', () => {
  const failing = (times: number, code: string): { run: () => Promise<string>; calls: () => number } => {
    let calls = 0
    const run = async (): Promise<string> => {
      if (++calls <= times) throw Object.assign(new Error(code), { code })
      return 'done'
    }
    return { run, calls: () => calls }
  }

  it.each(['EPERM', 'EACCES', 'EBUSY'])('tries again on Windows after %s', async (code) => {
    const { run, calls } = failing(3, code)
    expect(await retryInUse(run, 'win32')).toBe('done')
    expect(calls()).toBe(4)
  })

  it('gives up after a number of tries, with the last error', async () => {
    const { run, calls } = failing(1000, 'EBUSY')
    await expect(retryInUse(run, 'win32')).rejects.toMatchObject({ code: 'EBUSY' })
    expect(calls()).toBe(20)
  })

  it('does not try again after another error, or elsewhere', async () => {
    for (const [code, system] of [
      ['ENOSPC', 'win32'],
      ['EBUSY', 'linux'],
      ['EACCES', 'darwin'],
    ] as const) {
      const { run, calls } = failing(1, code)
      await expect(retryInUse(run, system)).rejects.toMatchObject({ code })
      expect(calls()).toBe(1)
    }
  })
})

describe('a new file', () => {
  it('is private, and nothing is beside it', async () => {
    expect(await buildFile(path, NOTHING, LOCK_WAIT)).toBe(true)
    expect(readdirSync(folder)).toEqual(['memory.keepsake'])
    expect(lstatSync(path).mode & 0o777).toBe(0o600)
    expect(findFile(path)).toMatchObject({ ino: lstatSync(path).ino })
    expect(await buildFile(path, NOTHING, LOCK_WAIT)).toBe(false)
  })

  it('is not there when filling or checking it fails, nor is anything else', async () => {
    const fail = async (): Promise<void> => {
      throw new Error('no')
    }
    await expect(buildFile(path, fail, LOCK_WAIT)).rejects.toThrow('no')
    await expect(buildFile(path, NOTHING, { ...LOCK_WAIT, check: fail })).rejects.toThrow('no')
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    ['an empty file', () => writeFileSync(buildingPath(path), '')],
    ['a finished one', finishedButUnnamed],
    ['its journal', () => writeFileSync(`${buildingPath(path)}-journal`, Buffer.alloc(600, 7))],
    ['an empty -wal whose file is gone', () => writeFileSync(`${path}-wal`, '')],
  ])('is created where a killed process left %s', async (_, leave) => {
    await leave()
    const seen: unknown[] = []
    const fill = async (built: Connection): Promise<void> => {
      seen.push(...(await built.all('SELECT count(*) AS rows FROM entries')))
    }
    expect(await buildFile(path, fill, LOCK_WAIT)).toBe(true)
    expect(seen).toEqual([{ rows: 0 }])
    expect(readdirSync(folder)).toEqual(['memory.keepsake'])
  })

  it('is refused beside a -wal with changes of a file that is gone, which stays', async () => {
    writeFileSync(`${path}-wal`, Buffer.alloc(600, 7))
    await expect(buildFile(path, NOTHING, LOCK_WAIT)).rejects.toMatchObject({ code: 'FOREIGN' })
    expect(readdirSync(folder)).toEqual(['memory.keepsake-wal'])
  })

  it('is not written through a link, or into a folder, that has its unfinished name', async () => {
    const elsewhere = join(folder, 'elsewhere')
    symlinkSync(elsewhere, buildingPath(path))
    await expect(buildFile(path, NOTHING, LOCK_WAIT)).rejects.toMatchObject({ code: 'FOREIGN' })
    expect(existsSync(elsewhere)).toBe(false)
    rmSync(buildingPath(path))
    mkdirSync(buildingPath(path))
    await expect(buildFile(path, NOTHING, LOCK_WAIT)).rejects.toMatchObject({ code: 'FOREIGN' })
  })

  it('waits for another process that is building it, and then fails with LOCKED', async () => {
    writeFileSync(buildingPath(path), '', { mode: 0o600 })
    const other = new Connection(buildingPath(path))
    other.exec('BEGIN EXCLUSIVE')
    await expect(buildFile(path, NOTHING, { lockWaitMs: 20 })).rejects.toMatchObject({ code: 'LOCKED' })
    other.exec('ROLLBACK')
    other.close()
    expect(await buildFile(path, NOTHING, LOCK_WAIT)).toBe(true)
  })
})

/** What a process that is killed between COMMIT and rename leaves. */
async function finishedButUnnamed(): Promise<void> {
  const other = join(folder, 'other')
  await buildFile(other, NOTHING, LOCK_WAIT)
  const { renameSync } = await import('node:fs')
  renameSync(other, buildingPath(path))
}
