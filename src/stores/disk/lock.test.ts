import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { acquireLock, removeLock, tryLock } from './lock.ts'
import { formatOwner, isProvablyDead, parseOwner, thisProcess } from './owner.ts'

let folder: string

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'keepsake-lock-')), 'lock')
})
afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

const DEAD_PID = 2 ** 22 + 1 // above the highest pid that Linux gives

function heldBy(changes: Partial<ReturnType<typeof thisProcess>>): void {
  mkdirSync(folder, { recursive: true })
  symlinkSync(formatOwner({ ...thisProcess(), copy: 'ffffffff', ...changes }), join(folder, '7'))
}

describe('the lock', () => {
  it('is held by one at a time, and again when it is let go', async () => {
    const { held } = tryLock(folder)
    expect(held).toBeDefined()
    expect(tryLock(folder).held).toBeUndefined()
    held?.release()
    const again = await acquireLock(folder, 1000)
    expect(again.inherited).toBe(false)
    again.release()
  })

  it('names its holder in no more bytes than an inode of ext4 has room for', () => {
    const { held } = tryLock(folder)
    expect(readlinkSync(join(folder, '1')).length).toBeLessThan(60)
    const longest = { ...thisProcess(), host: 'z'.repeat(10), pid: 2 ** 22, start: 'z'.repeat(7) }
    expect(`${formatOwner(longest)}/zzzz`.length).toBeLessThan(60)
    held?.release()
  })

  it('goes by turns in a process, also where one takes it again at once', async () => {
    let served = false
    const greedy = (async () => {
      while (!served) {
        const lock = await acquireLock(folder, 1000)
        await new Promise(setImmediate)
        lock.release()
      }
    })()
    const patient = await acquireLock(folder, 300).finally(() => {
      served = true
    })
    patient.release()
    await greedy
  })

  it('keeps one generation and no litter', () => {
    for (let turn = 0; turn < 5; turn++) tryLock(folder).held?.release()
    expect(readdirSync(folder)).toEqual(['5.done'])
  })

  it.each([
    ['whose process is gone', { pid: DEAD_PID }],
    ['of an earlier boot', { boot: 'another' }],
    ['whose pid was given to another process', { start: '1' }],
  ])('passes over an owner %s, and says that it did', (_, changes) => {
    heldBy(changes)
    const { held } = tryLock(folder)
    expect(held?.inherited).toBe(true)
    held?.release()
    expect(readdirSync(folder)).toEqual(['8.done'])
  })

  it.each([
    ['of another host', { host: 'elsewhere', pid: DEAD_PID } as { pid?: number }],
    ['of another pid namespace', { namespace: '1', pid: DEAD_PID }],
    ['that lives', {}],
  ])('waits for an owner %s, then fails with its name', async (_, changes) => {
    heldBy(changes)
    const failure = await acquireLock(folder, 30).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'LOCKED', hint: expect.stringContaining('remove') })
    expect(String((failure as Error).message)).toContain(`process ${changes.pid ?? process.pid}`)
    expect(readdirSync(folder)).toEqual(['7'])
  })

  it('takes back a lower generation that it made too late', () => {
    mkdirSync(folder, { recursive: true })
    const { held } = tryLock(folder) // 1
    symlinkSync('x', join(folder, '9'))
    renameSync(join(folder, '9'), join(folder, '9.done'))
    held?.release()
    const next = tryLock(folder)
    expect(readdirSync(folder)).toEqual(['10'])
    next.held?.release()
  })

  it('frees itself when a release has failed', () => {
    mkdirSync(folder, { recursive: true })
    symlinkSync(formatOwner(thisProcess()), join(folder, '3')) // names this very module, but nobody here holds it
    expect(tryLock(folder).held?.inherited).toBe(true)
  })

  it('is not taken as left over when it is held by another path to the same folder', () => {
    const { held } = tryLock(folder)
    symlinkSync(join(folder, '..'), join(folder, '..', 'link'))
    expect(tryLock(join(folder, '..', 'link', 'lock')).held).toBeUndefined()
    held?.release()
  })

  it('is not taken with a number that was used and let go meanwhile', () => {
    tryLock(folder).held?.release() // 1.done
    symlinkSync('someone', join(folder, '1')) // as a slow process would make it now
    const { held } = tryLock(folder)
    // Whoever made it lives, for all we know: it is left to him, with what tells him to take it back.
    expect(readdirSync(folder).sort()).toEqual(['1', '1.done', '2'])
    held?.release()
  })

  it('sweeps away what a process made too late and then died', () => {
    mkdirSync(folder, { recursive: true })
    for (const name of ['5', '6', '6.done']) {
      symlinkSync(formatOwner({ ...thisProcess(), copy: 'ffffffff', pid: DEAD_PID }), join(folder, name))
    }
    const { held } = tryLock(folder)
    expect(readdirSync(folder)).toEqual(['7'])
    expect(held?.inherited).toBe(true)
  })

  it('is not taken over the head of one who began anew at a lower number', () => {
    mkdirSync(folder, { recursive: true })
    symlinkSync(formatOwner({ ...thisProcess(), copy: 'ffffffff' }), join(folder, '1'))
    symlinkSync(formatOwner({ ...thisProcess(), copy: 'eeeeeeee', pid: DEAD_PID }), join(folder, '7'))
    expect(tryLock(folder)).toEqual({ owner: `process ${process.pid} on this machine` })
    expect(readdirSync(folder).sort()).toEqual(['1', '7'])
  })

  it('tells the next holder when files were left unwritten', () => {
    tryLock(folder).held?.release('undone')
    const { held } = tryLock(folder)
    expect(held?.inherited).toBe(true)
    held?.release()
    expect(tryLock(folder).held?.inherited).toBe(false)
  })

  it('stops waiting when it is told to', async () => {
    heldBy({})
    await expect(acquireLock(folder, 10_000, AbortSignal.timeout(20))).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

describe('a lock that is removed', () => {
  it('is gone with its folder, and begins anew', () => {
    for (let turn = 0; turn < 3; turn++) tryLock(folder).held?.release()
    expect(removeLock(folder)).toBe(true)
    expect(existsSync(folder)).toBe(false)
    expect(removeLock(folder)).toBe(true)
    expect(existsSync(folder)).toBe(false)
    const { held } = tryLock(folder)
    expect(readdirSync(folder)).toEqual(['1'])
    expect(held?.inherited).toBe(true) // nothing says that all was left in order
    expect(held?.releaseAndRemove()).toBe(true)
    expect(existsSync(folder)).toBe(false)
  })

  it('stays while somebody holds it', () => {
    const { held } = tryLock(folder)
    expect(removeLock(folder)).toBe(false)
    expect(held?.isHeld()).toBe(true)
    held?.release()
    expect(removeLock(folder)).toBe(true)
  })

  it('stays, let go of, with what else is in its folder', () => {
    const { held } = tryLock(folder)
    writeFileSync(join(folder, 'unfinished'), '')
    expect(held?.releaseAndRemove()).toBe(false)
    expect(readdirSync(folder).sort()).toEqual(['1.done', 'unfinished'])
    expect(tryLock(folder).held?.inherited).toBe(false)
  })

  it('stays, without a word, where it can not be removed', () => {
    tryLock(folder).held?.release()
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file where a folder should be')
    expect(removeLock(folder)).toBe(false)
    expect(existsSync(folder)).toBe(true)
  })

  it('is removed after a crash too', () => {
    heldBy({ pid: DEAD_PID })
    expect(removeLock(folder)).toBe(true)
    expect(existsSync(folder)).toBe(false)
  })

  it('does not take the lock from one who made the folder anew', () => {
    tryLock(folder).held?.release()
    const { held } = tryLock(folder)
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    symlinkSync(formatOwner({ ...thisProcess(), copy: 'ffffffff' }), join(folder, '2'))
    expect(held?.releaseAndRemove()).toBe(false)
    expect(readdirSync(folder)).toEqual(['2'])
  })
})

describe('an owner', () => {
  it('reads back as it was written', () => {
    expect(parseOwner(formatOwner(thisProcess()))).toEqual(thisProcess())
    expect(parseOwner('nonsense')).toBeUndefined()
  })

  it('is not dead while it runs', () => {
    expect(isProvablyDead(thisProcess())).toBe(false)
  })
})
