/** A folder that was lived in, moved to PostgreSQL, to one file and back to a folder: equal to the byte, with its history. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import { moveMemory } from '../../src/move/move-memory.ts'
import type { Movable, Store } from '../../src/ports/store.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { collected } from '../../src/testing/images.ts'
import { scanned } from '../../src/testing/requests.ts'
import { stateDifference } from '../../src/testing/state-equality.ts'
import { differentFiles, livedInFolder } from '../move/lived-in-folder.ts'
import { isNightly } from '../tier.ts'
import { describeOnPostgres } from './server.ts'

const ENTRIES = isNightly ? 10_000 : 60

describeOnPostgres('a memory that is moved', (server) => {
  it.each(['agents', 'flat'] as const)(
    'from a folder (%s) to PostgreSQL, to one file and back is equal to the byte, with its log and its undo',
    { timeout: 600_000 },
    async (layout) => {
      const folder = mkdtempSync(join(tmpdir(), 'keepsake-move-'))
      const [root, back] = [join(folder, 'from'), join(folder, 'back')]
      const from = await livedInFolder({ root, entries: ENTRIES, layout })
      const place = parsePostgresAddress(server.freshUrl())
      const ways: (Store & Movable)[] = [
        from,
        postgresStore({ place }),
        fileStore({ path: join(folder, 'between.keepsake') }),
        filesystemStore({ root: back }),
      ]
      const first = await moveMemory(from, ways[1] as Store & Movable)
      expect([first.warnings, first.entries > ENTRIES / 2, first.files > 0]).toEqual([[], true, true])
      for (const [n, to] of ways.entries()) {
        const before = ways[n - 1]
        if (before && n > 1) expect(await moveMemory(before, to)).toEqual(first)
      }
      expect(differentFiles(back, root)).toEqual([])
      const [image, ...images] = await Promise.all(ways.map(async (store) => collected(await store.image())))
      for (const other of images) expect(other).toEqual(image)
      expect((await moveMemory(from, ways[1] as Store & Movable)).alreadyThere).toBe(true)

      const [expected, ...pasts] = await Promise.all(ways.map(pastOf))
      for (const { changes, before, after } of pasts) {
        expect(changes).toEqual(expected?.changes)
        expect(stateDifference(before, expected?.before ?? [], { withoutState: true })).toBeUndefined()
        expect(stateDifference(after, expected?.after ?? [], { withoutState: true })).toBeUndefined()
      }
      for (const store of ways) await store.close()
    },
  )
})

/** The log, and the entries before and after an early change and all that built on it were undone. */
async function pastOf(store: Store) {
  const memory = new Memory(store, 'main', Date.now)
  const changes = (await memory.log({ limit: 1000 })).map(({ change }) => change)
  expect(changes.length).toBeGreaterThan(10)
  const before = await scanned(store)
  await memory.undo({ changes: [3], withLater: true })
  const after = await scanned(store)
  expect(after.length).toBeLessThan(before.length)
  return { changes, before, after }
}
