/**
 * `backup` and `restore` with a kill, an error and a full disk at the calls they make, one after the other. CI plays a
 * sample that is the same each time, with every rename in it; the nightly run plays all.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readArchive } from '../../src/stores/filesystem/backup/archive-read.ts'
import { buildShim, type FaultMode, type FaultyResult, runFaulty } from '../faults/tools.mjs'
import { isNightly } from '../tier.ts'
import { Desk, freshFolder, MAIN } from './keepsake.ts'
import { visibleTree } from './visible-tree.ts'

const shim = buildShim()
if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)

/** A restore makes many more calls than a backup, and most of them are alike: one file after the other. */
const EVERY = { backup: isNightly ? 1 : 31, restore: isNightly ? 1 : 193 } as const
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
      const isRename = name.startsWith('rename') && !path.includes('/.state/')
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

async function desk(): Promise<Desk> {
  const made = await Desk.furnished()
  made.edit('notes.txt', 'x'.repeat(100_000))
  mkdirSync(join(made.workspace, 'empty'))
  return made
}

describe.skipIf('missing' in shim)('a fault at any call', { timeout: 600_000 }, () => {
  it('of a backup leaves a whole archive or none', async () => {
    const original = await desk()
    const before = visibleTree(original.workspace)
    const played = await playAll(original, ['backup', 'a.tar.gz', '--quiet'], async ({ folder, result, isKilled }) => {
      const archive = join(folder, 'a.tar.gz')
      if (existsSync(archive)) await readArchive(archive)
      else expect(result.status).not.toBe(0)
      if (!isKilled && result.status !== 0) {
        const left = readdirSync(folder).filter((name) => name !== '.keepsake' && name !== 'a.tar.gz')
        expect(left).toEqual([])
      }
      expect(visibleTree(join(folder, '.keepsake'))).toBe(before)
    })
    expect(played).toBeGreaterThan(8)
  })

  it('of a restore leaves the old workspace or the new one, whole', async () => {
    const original = await desk()
    await original.make(['backup', 'a.tar.gz'])
    const saved = visibleTree(original.workspace)
    writeFileSync(join(original.workspace, 'later.txt'), 'later')
    const present = visibleTree(original.workspace)
    let between = 0
    const played = await playAll(original, ['restore', 'a.tar.gz', '--yes', '--quiet'], async (game) => {
      const { folder, result, isKilled } = game
      const beside = (mark: string): string => {
        const name = readdirSync(folder).find((found) => found.startsWith(`.keepsake.${mark}-`))
        return join(folder, name ?? `no ${mark}`)
      }
      const root = join(folder, '.keepsake')
      if (!existsSync(root)) {
        expect(isKilled).toBe(true)
        expect([visibleTree(beside('restored')), visibleTree(beside('before-restore'))]).toEqual([saved, present])
        between++
        return
      }
      const now = visibleTree(root)
      expect([saved, present]).toContain(now)
      if (result.status === 0) expect(now).toBe(saved)
      if (now === saved) expect(visibleTree(beside('before-restore'))).toBe(present)
      else if (!isKilled) expect(readdirSync(folder).filter((name) => name.startsWith('.keepsake.'))).toEqual([])
      execFileSync(process.execPath, [MAIN, 'restore', 'a.tar.gz', '--yes', '--quiet'], { cwd: folder, stdio: 'pipe' })
      expect(visibleTree(root)).toBe(saved)
    })
    expect(played).toBeGreaterThan(12)
    expect(between).toBeGreaterThan(0)
  })
})
