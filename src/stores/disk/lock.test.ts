import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { acquireLock, tryLock } from './lock.ts'
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
    expect(readdirSync(folder)).toEqual(['2'])
    held?.release()
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

describe('an owner', () => {
  it('reads back as it was written', () => {
    expect(parseOwner(formatOwner(thisProcess()))).toEqual(thisProcess())
    expect(parseOwner('nonsense')).toBeUndefined()
  })

  it('is not dead while it runs', () => {
    expect(isProvablyDead(thisProcess())).toBe(false)
  })
})
