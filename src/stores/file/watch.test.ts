import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DamagedError } from '../../errors.ts'
import type { Watch } from '../../ports/store.ts'
import { watchFile } from './watch.ts'

let root: string
let path: string
let looks: number
let calls: number
let heard: () => void
let watch: Watch | undefined
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'keepsake-watch-'))
  path = join(root, 'memory.keepsake')
  looks = 0
  calls = 0
})
afterEach(async () => {
  await watch?.stop()
  rmSync(root, { recursive: true, force: true })
})

/** The size stands for what is in it. */
function begin(): void {
  const stateOf = (): string => {
    looks++
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size === 3) throw new DamagedError(path, 'it is three bytes long', 'Add one.')
    return String(size)
  }
  watch = watchFile(path, stateOf, () => {
    calls++
    heard()
  })
}

function nextCall(): Promise<void> {
  return new Promise((resolve) => {
    heard = resolve
  })
}

it('tells of what is appended to the file, made, put in its place, or can not be read any more', async () => {
  begin()
  for (const change of [
    () => writeFileSync(path, '1'),
    () => appendFileSync(path, '2'),
    () => appendFileSync(path, '3'),
    () => appendFileSync(path, '4'),
    () => {
      writeFileSync(join(root, 'fold'), '12345')
      renameSync(join(root, 'fold'), path)
    },
    () => appendFileSync(path, '6'),
  ]) {
    const called = nextCall()
    change()
    await called
  }
  expect(calls).toBe(6)
})

it('says nothing of what is as it was, and does not look for the sake of other files', async () => {
  writeFileSync(path, '1')
  begin()
  const before = looks
  for (let n = 0; n < 20; n++) writeFileSync(join(root, `other-${n}`), '')
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(looks).toBe(before)
  const called = nextCall()
  writeFileSync(path, '2')
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect([calls, looks > before]).toEqual([0, true])
  appendFileSync(path, '3')
  await called
})

it('finds the folder when it comes later', async () => {
  path = join(root, 'later', 'memory.keepsake')
  begin()
  const called = nextCall()
  mkdirSync(join(root, 'later'))
  writeFileSync(path, '1')
  await called
})
