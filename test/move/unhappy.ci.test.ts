// Sources that can only be read or are written to meanwhile, and targets without room: files and folders, no stand-ins.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { moveMemory } from '../../src/move/move-memory.ts'
import type { MemoryImage, Movable, Store } from '../../src/ports/store.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { collected } from '../../src/testing/images.ts'
import { apply, note, scanned, withoutPath } from '../../src/testing/requests.ts'
import { treeHash } from '../cli/keepsake.ts'
import { smallTmpfs } from '../faults/tools.mjs'
import { fillSample, sampleStore } from './sample.ts'

const NOBODY = 65_534
const base = mkdtempSync(join(tmpdir(), 'keepsake-unhappy-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** The two sorts that are on a disk. */
const SORTS: readonly ['folder' | 'file', (path: string) => Store & Movable][] = [
  ['folder', (path) => filesystemStore({ root: path })],
  ['file', (path) => fileStore({ path: `${path}.keepsake` })],
]

let made = 0
function freshPlace(): string {
  const place = join(base, `${++made}`)
  mkdirSync(place)
  return join(place, 'memory')
}

describe.each(SORTS)('a %s', (sort, open) => {
  it('that can only be read is moved as it stands, with what hands did, and nothing is written to it', async () => {
    const place = freshPlace()
    const source = open(place)
    await fillSample(source)
    await source.close()
    if (sort === 'folder') writeFileSync(join(place, 'world/by-hand.md'), 'not journaled yet\n')
    const folder = dirname(place)
    chmodSync(base, 0o755)
    execFileSync('chmod', ['-R', 'a+rX,a-w', folder])
    const before = treeHash(folder)
    const shelf = mkdtempSync(join(base, 'shelf-'))
    if (process.getuid?.() === 0) chownSync(shelf, NOBODY, NOBODY)
    // What is loaded on the way is read with the right to.
    const warm = open(place)
    await memoryStore().adopt(await warm.image())
    await warm.close()
    const [from, to] = [open(place), fileStore({ path: join(shelf, 'copy.keepsake') })]
    await moveMemory(memoryStore(), open(freshPlace()))
    const moved = await asNobody(() => moveMemory(from, to))
    expect(moved.entries).toBe(sort === 'folder' ? 6 : 5)
    expect((await scanned(to)).map(withoutPath)).toEqual((await scanned(from)).map(withoutPath))
    expect(treeHash(folder)).toBe(before)
    for (const store of [from, to]) await store.close()
    execFileSync('chmod', ['-R', 'u+w', folder])
  })

  it('that is written to meanwhile is moved with what was written', async () => {
    const place = freshPlace()
    const [store, other] = [open(place), open(place)]
    await fillSample(store)
    for (const target of SORTS.map(([, openTarget]) => openTarget(freshPlace()))) {
      let readings = 0
      const from = { ...store, image: async () => interrupting(await store.image()) }
      const interrupting = (image: MemoryImage): MemoryImage => ({
        ...image,
        async *entries() {
          yield* image.entries()
          if (++readings === 1) await apply(other, [note(`late ${made++}`)])
        },
      })
      const { warnings } = await moveMemory(from, target)
      expect(warnings).toEqual(['The source changed while it was being copied; it was copied again.'])
      expect(await collected(await target.image())).toEqual(await collected(await store.image()))
      await target.close()
    }
    for (const one of [store, other]) await one.close()
  })

  it('on a disk that is full is not there, and comes when there is room', async ({ skip }) => {
    const disk = smallTmpfs(4 * 1024 * 1024)
    if ('missing' in disk) {
      console.warn(`SKIPPED: ${disk.missing}`)
      return skip(disk.missing)
    }
    try {
      const source = await sampleStore()
      const long = Array.from({ length: 300 }, (_, n) => note(`long ${n}`, { content: `${n} `.repeat(900) }))
      await apply(source, long)
      const place = join(disk.folder, 'memory')
      disk.fill(128 * 1024)
      const to = open(place)
      await expect(moveMemory(source, to)).rejects.toMatchObject({ code: 'IO', hint: expect.stringContaining('full') })
      expect(existsSync(sort === 'folder' ? place : `${place}.keepsake`)).toBe(false)
      disk.release()
      await moveMemory(source, to)
      expect(await collected(await to.image())).toEqual(await collected(await source.image()))
      await to.close()
      expect(readdirSync(disk.folder)).toEqual([sort === 'folder' ? 'memory' : 'memory.keepsake'])
    } finally {
      disk.free()
    }
  })
})

async function asNobody<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run()
  process.seteuid?.(NOBODY)
  try {
    return await run()
  } finally {
    process.seteuid?.(0)
  }
}
