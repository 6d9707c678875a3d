/** Moving to a folder by programs that are killed, and by two at once: the folder is there whole, or not at all. */

import { type ExecFileException, execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compareImages } from '../../src/move/compare-images.ts'
import { type FilesystemStore, filesystemStore } from '../../src/stores/filesystem/store.ts'
import { isNightly } from '../tier.ts'
import { fill, grow, treeOf } from './move-images.ts'

const STOPS = isNightly ? Array.from({ length: 20 }, (_, index) => 1 + index * 10) : [3, 150]
const FEWEST_STEPS = 150
const PROGRAM = join(import.meta.dirname, 'move-adopter.mjs')

let base: string
let from: FilesystemStore
let ms = Date.parse('2026-05-01T08:00:00Z')
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-adopters-'))
  from = filesystemStore({ root: join(base, 'from'), clock: () => ms })
  const tick = (by: number): void => {
    ms += by
  }
  await fill(from, 300, tick)
  await grow(from, tick)
  await from.absorb()
})
afterAll(async () => {
  await from.close()
  rmSync(base, { recursive: true, force: true })
})

function adopt(to: string, stop?: number): Promise<string> {
  const stopping = stop === undefined ? [] : [String(stop)]
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, from.root, join(base, to), ...stopping], (error, stdout, stderr) => {
      const { signal = undefined } = (error ?? {}) as ExecFileException
      resolve(signal ?? `${stdout}${stderr}`)
    })
  })
}

async function expectWhole(name: string): Promise<void> {
  const to = filesystemStore({ root: join(base, name) })
  expect(treeOf(to.root)).toEqual(treeOf(from.root))
  expect(await compareImages(await from.image(), await to.image())).toEqual([])
  await to.close()
  expect(readdirSync(base).filter((other) => other.includes(`${name}.moving`))).toEqual([])
}

it('starts over after a killed move', { timeout: 300_000 }, async () => {
  for (const stop of STOPS) {
    const name = `killed-${stop}`
    const told = await adopt(name, stop)
    // There are not so many steps.
    if (told === 'done' && stop > FEWEST_STEPS) break
    expect(told).toBe('SIGKILL')
    expect(statSync(join(base, name), { throwIfNoEntry: false })).toBeUndefined()
    expect(await adopt(name)).toBe('done')
    await expectWhole(name)
  }
})

it('lets one of two have the place, and the other say that it is taken', async () => {
  const told = await Promise.all([adopt('both'), adopt('both')])
  expect(told.sort()).toEqual(['CONFLICT', 'done'])
  await expectWhole('both')
})
