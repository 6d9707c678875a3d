/** What is kept for the next process comes back to the byte, or not at all. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FilesystemStore, filesystemStore } from './store.ts'

const BYTES = Uint8Array.from({ length: 100 }, (_, n) => n * 7)

let root: string
let store: FilesystemStore
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'keepsake-derived-'))
  store = filesystemStore({ root })
  await store.init()
  await store.derived.write('index', BYTES)
})
afterEach(async () => {
  await store.close()
  rmSync(root, { recursive: true, force: true })
})

const file = (): string => join(root, '.state/derived/index')

test('with any one byte changed is not given out', async () => {
  const whole = readFileSync(file())
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 0x10
    writeFileSync(file(), damaged)
    expect(await store.derived.read('index'), `byte ${at}`).toBeUndefined()
  }
  writeFileSync(file(), whole)
  expect(Buffer.from((await store.derived.read('index')) ?? [])).toEqual(Buffer.from(BYTES))
})

test('cut at any length, or longer than it was, is not given out', async () => {
  const whole = readFileSync(file())
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(file(), whole.subarray(0, length))
    expect(await store.derived.read('index'), `${length} bytes`).toBeUndefined()
  }
  writeFileSync(file(), Buffer.concat([whole, Buffer.alloc(8)]))
  expect(await store.derived.read('index')).toBeUndefined()
})
