/** The lock for who has no store open: let go of whatever happens, and not taken through a link. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sidecarOf, tidySidecar, underLock } from './sidecar.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-beside-'))
  path = join(folder, 'memory.keepsake')
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

it('is let go of, and its folder is gone, also when what was done under it fails', async () => {
  const failing = underLock(path, 0, async () => {
    expect(existsSync(sidecarOf(path))).toBe(true)
    throw new Error('the disk is full')
  })
  await expect(failing).rejects.toThrow('the disk is full')
  expect(readdirSync(folder)).toEqual([])
  expect(await underLock(path, 0, async () => 'done')).toBe('done')
})

it('is not taken through a link, nor is that taken away', async () => {
  mkdirSync(join(folder, 'elsewhere'))
  symlinkSync(join(folder, 'elsewhere'), sidecarOf(path))
  await expect(underLock(path, 0, async () => undefined)).rejects.toMatchObject({ code: 'FOREIGN' })
  await tidySidecar(path)
  expect([existsSync(sidecarOf(path)), readdirSync(join(folder, 'elsewhere'))]).toEqual([true, []])
})
