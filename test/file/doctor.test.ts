/** `doctor` of a memory in one file while other programs use it: it sees one moment, and --fix loses no write. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { examineFile, repairFile } from '../../src/stores/doctor/file.ts'
import { type FileStore, fileStore } from '../../src/stores/file/store.ts'
import { apply, note } from '../../src/testing/requests.ts'

let folder: string
let path: string
let store: FileStore

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-doctor-'))
  path = join(folder, 'memory.keepsake')
  store = fileStore({ path })
  for (let n = 0; n < 30; n++) await apply(store, [note(`note ${n}`)])
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

it('finds nothing wrong in a file that is being written to', async () => {
  for (let round = 0; round < 5; round++) {
    const batches = Array.from({ length: 20 }, (_, n) => apply(store, [note(`more ${round} ${n}`)]))
    const [{ findings }] = await Promise.all([examineFile(path), ...batches])
    expect(findings).toEqual([])
  }
})

it('repairs nothing while another program has the file open, says so, and then loses none of its writes', async () => {
  await store.close()
  const bytes = readFileSync(path)
  const at = bytes.lastIndexOf('note 17')
  writeFileSync(path, bytes.fill(0, at, at + 16))
  store = fileStore({ path })
  await apply(store, [note('beside it')])
  const refused = await repairFile(path, { lockWaitMs: 50 })
  expect([refused.mended, refused.backup]).toEqual([[], undefined])
  expect(refused.warnings.join()).toContain('locked by another process')
  await apply(store, [note('and after')])
  await store.close()
  expect((await repairFile(path)).backup).toMatch(/\.damaged-/)
  store = fileStore({ path })
  for (const name of ['beside it', 'and after']) expect(await store.resolve('main', name)).toBeDefined()
})

it('finds nothing wrong in a read-only file', async () => {
  await store.close()
  chmodSync(path, 0o400)
  expect((await examineFile(path)).findings).toEqual([])
  chmodSync(path, 0o600)
})
