/**
 * The file that version 1 wrote. It stays readable for ever: no change of the code may change version-1.keepsake or what
 * version-1.json says of it. KEEPSAKE_FIXTURE=write makes them anew, which is for a next version's files only.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FileStore, fileStore } from '../../src/stores/file/store.ts'
import { everythingOf, type Told } from './everything.ts'
import { DERIVED, makeVersion1 } from './fixtures/make-version-1.ts'

const BYTES = join(import.meta.dirname, 'fixtures/version-1.keepsake')
const TOLD = join(import.meta.dirname, 'fixtures/version-1.json')

if (process.env['KEEPSAKE_FIXTURE'] === 'write') {
  const { bytes, told } = await makeVersion1()
  writeFileSync(BYTES, bytes)
  writeFileSync(TOLD, `${JSON.stringify(told, undefined, 2)}\n`)
}

const told = JSON.parse(readFileSync(TOLD, 'utf8')) as Told

let folder: string
let path: string
let store: FileStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-fixture-'))
  path = join(folder, 'memory.keepsake')
  copyFileSync(BYTES, path)
  store = fileStore({ path })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

async function derivedTexts(): Promise<(string | undefined)[]> {
  const read = DERIVED.map(async ([key]) => Buffer.from((await store.derived.read(key)) ?? '').toString())
  return Promise.all(read)
}

describe('the file of version 1', () => {
  it('is the one that was committed first', () => {
    expect([sha256(BYTES), sha256(TOLD)]).toEqual([
      '0e9d8c1c618ef838090000f546a3da31a84f5f56afaf3dda31ce814913339c6a',
      '578914b541b133ee87189d2beb9f3156d6295dca2971de6bde379d386a4eaab0',
    ])
  })

  it('says what it said, and reading leaves it as it is', async () => {
    expect(await everythingOf(store)).toEqual(told)
    expect(await derivedTexts()).toEqual(DERIVED.map(([, text]) => text))
    expect((await store.resolve('main', 'Deploy checklist'))?.name).toBe('Release checklist')
    expect((await store.resolveKey('main', 'user.mood'))?.content).toBe('calm')
    await store.close()
    expect(readFileSync(path).equals(readFileSync(BYTES))).toBe(true)
  })

  it('goes on: what a crash left is cut off, and a write and a fold lose nothing', async () => {
    const { change } = await store.apply({
      operations: [{ op: 'add', scope: 'main', kind: 'note', name: 'New', content: 'a new one' }],
      origin: { by: 'agent', agent: 'main' },
    })
    expect(change?.number).toBe((told.feed as { number: number }).number + 1)
    await store.fold()
    await store.close()
    expect(readFileSync(path).includes('"torn"')).toBe(false)
    expect(existsSync(`${path}.lock`)).toBe(false)
    expect(statSync(path).size).toBeGreaterThan(1000)

    store = fileStore({ path })
    const now = await everythingOf(store)
    expect((now.entries as { name: string }[]).filter(({ name }) => name !== 'New')).toEqual(told.entries)
    expect((now.past as { changes: unknown[] }).changes.slice(0, -1)).toEqual(
      (told.past as { changes: unknown[] }).changes,
    )
    expect([now.settings, now.sessions, now.pages, now.files]).toEqual([
      told.settings,
      told.sessions,
      told.pages,
      told.files,
    ])
    expect(await derivedTexts()).toEqual(DERIVED.map(([, text]) => text))
  })
})
