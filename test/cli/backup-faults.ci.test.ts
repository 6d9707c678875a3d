/**
 * `backup` and `restore` with a kill, an error or a full disk at each of their system calls in turn. CI runs a fixed sample that includes
 * every rename and link; the nightly run covers all calls.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareImages } from '../../src/move/compare-images.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { buildShim, type FaultMode, type FaultyResult, runFaulty } from '../faults/tools.mjs'
import { isNightly } from '../tier.ts'
import { Desk, freshFolder, MAIN } from './keepsake.ts'
import { visibleTree } from './visible-tree.ts'

const shim = buildShim()
if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)

const EVERY = { backup: isNightly ? 1 : 19, restore: isNightly ? 1 : 23 } as const
const MODES: readonly FaultMode[] = ['kill', 'kill-after', 'errno:EIO', 'errno:ENOSPC']

interface Played {
  readonly folder: string
  readonly result: FaultyResult
  readonly isKilled: boolean
}

/** Runs a command in copies of a folder, with each fault at each call in turn. */
async function playAll(
  desk: Desk,
  [verb, ...args]: readonly [keyof typeof EVERY, ...string[]],
  check: (played: Played) => Promise<void>,
): Promise<number> {
  const copy = (): string => {
    const folder = join(freshFolder(), 'desk')
    execFileSync('cp', ['-a', desk.folder, folder])
    return folder
  }
  const run = (folder: string, fault: { at?: number; mode?: FaultMode }): Promise<FaultyResult> =>
    runFaulty({ args: [MAIN, verb, ...args], root: folder, cwd: folder, ...fault })
  const { calls, status, stderr } = await run(copy(), {})
  expect([status, stderr]).toEqual([0, ''])
  let played = 0
  for (const [number, mode] of MODES.entries()) {
    for (const { index, name, path } of calls) {
      const isRename = /^(rename|link)/.test(name) && !path.includes('/.state/')
      if (!isRename && (index + number) % EVERY[verb] !== 0) continue
      const folder = copy()
      const result = await run(folder, { at: index, mode })
      const what = `${mode} at call ${index}, ${name} of ${basename(path)}: ${result.stderr}`
      try {
        expect(result.stderr).not.toContain('this should not happen')
        await check({ folder, result, isKilled: mode.startsWith('kill') })
      } catch (error) {
        throw new Error(`${what}\n${error instanceof Error ? error.message : error}`, { cause: error })
      }
      rmSync(folder, { recursive: true })
      played++
    }
  }
  return played
}

function run(folder: string, args: readonly string[]): void {
  execFileSync(process.execPath, [MAIN, ...args, '--quiet'], { cwd: folder, stdio: 'pipe' })
}

/** The names in a folder, except the known ones. */
function leftovers(folder: string, ...known: readonly string[]): string[] {
  return readdirSync(folder).filter((name) => !known.includes(name))
}

describe.skipIf('missing' in shim)('a fault at any call', { timeout: 600_000 }, () => {
  it('of a backup leaves a complete copy or none, and the next backup succeeds', async () => {
    const desk = await Desk.furnished()
    const before = visibleTree(desk.workspace)
    const played = await playAll(desk, ['backup', 'b.keepsake', '--quiet'], async ({ folder, result, isKilled }) => {
      const made = existsSync(join(folder, 'b.keepsake'))
      const isClean = leftovers(folder, '.keepsake', 'b.keepsake').length === 0
      if (result.status === 0) expect(made).toBe(true)
      else if (!isKilled) expect(result.stderr).toMatch(/^keepsake: \S/)
      if (!isKilled && !isClean) expect(result.stderr).toContain('could not be removed')
      // The next backup also removes what a kill left.
      if (!made || isKilled || !isClean) run(folder, ['backup', 'b.keepsake', '--force'])
      expect(leftovers(folder, '.keepsake', 'b.keepsake')).toEqual([])
      const [memory, copy] = [
        filesystemStore({ root: join(folder, '.keepsake') }),
        fileStore({ path: join(folder, 'b.keepsake') }),
      ]
      expect(await compareImages(await memory.image(), await copy.image())).toEqual([])
      for (const store of [memory, copy]) await store.close()
      expect(visibleTree(join(folder, '.keepsake'))).toBe(before)
    })
    expect(played).toBeGreaterThan(8)
  })

  it('of a restore leaves the whole memory or nothing, and the next restore succeeds', async () => {
    const desk = await Desk.furnished()
    await desk.make(['backup', 'b.keepsake'])
    const saved = visibleTree(desk.workspace)
    rmSync(desk.workspace, { recursive: true })
    const played = await playAll(desk, ['restore', 'b.keepsake', '--quiet'], async ({ folder, result, isKilled }) => {
      const made = existsSync(join(folder, '.keepsake'))
      if (result.status === 0) expect(made).toBe(true)
      else if (!isKilled) {
        expect(result.stderr).toMatch(/^keepsake: \S/)
        expect(leftovers(folder, '.keepsake', 'b.keepsake')).toEqual([])
      }
      if (!made) run(folder, ['restore', 'b.keepsake'])
      expect(visibleTree(join(folder, '.keepsake'))).toBe(saved)
      // A move that is killed at its very end leaves its lock, a folder that doctor reports.
      const lock = made && isKilled ? ['..keepsake.moving.lock'] : []
      // SQLite removes what a killed reader left beside the file at the next close.
      const copy = fileStore({ path: join(folder, 'b.keepsake') })
      await copy.settings()
      await copy.close()
      expect(leftovers(folder, '.keepsake', 'b.keepsake', ...lock)).toEqual([])
      run(folder, ['remember', 'all is well'])
    })
    expect(played).toBeGreaterThan(12)
  })
})
