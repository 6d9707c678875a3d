// A folder that was lived in, moved to another store and back: equal to the byte, with its past.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import type { Entry } from '../../src/model/entry.ts'
import type { Change } from '../../src/model/operation.ts'
import { moveMemory } from '../../src/move/move-memory.ts'
import type { Movable, Store } from '../../src/ports/store.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { scanned } from '../../src/testing/requests.ts'
import { stateDifference } from '../../src/testing/state-equality.ts'
import { isNightly } from '../tier.ts'
import { differentFiles, livedInFolder } from './lived-in-folder.ts'

const ENTRIES = isNightly ? 10_000 : 40

const folder = mkdtempSync(join(tmpdir(), 'keepsake-move-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const BETWEEN: Readonly<Record<string, (name: string) => Store & Movable>> = {
  'one file': (name) => fileStore({ path: join(folder, `${name}.keepsake`) }),
  'another folder': (name) => filesystemStore({ root: join(folder, `${name} between`) }),
  RAM: () => memoryStore(),
}

it.each(['agents', 'flat'] as const)(
  'a folder (%s) is equal to the byte when it is moved to each store and back, with its log and its undo',
  { timeout: 600_000 },
  async (layout) => {
    const root = join(folder, layout)
    const from = await livedInFolder({ root, entries: ENTRIES, layout })
    const backs: Store[] = []
    // One store in between is enough for the second layout: stores other than a folder have none.
    const ways = layout === 'agents' || isNightly ? Object.entries(BETWEEN) : Object.entries(BETWEEN).slice(-1)
    for (const [label, open] of ways) {
      const back = join(folder, `${layout} back from ${label}`)
      const [between, to] = [open(`${layout} in ${label}`), filesystemStore({ root: back })]
      const there = await moveMemory(from, between)
      const again = await moveMemory(between, to)
      expect([label, there.warnings, again.warnings]).toEqual([label, [], []])
      expect(again).toEqual(there)
      expect([label, differentFiles(back, root)]).toEqual([label, []])
      await between.close()
      backs.push(to)
    }
    const expected = await pastOf(from)
    for (const to of backs) {
      const { changes, before, after } = await pastOf(to)
      expect(isDeepStrictEqual(changes, expected.changes)).toBe(true)
      expect(stateDifference(before, expected.before)).toBeUndefined()
      expect(stateDifference(after, expected.after, { withoutState: true })).toBeUndefined()
      await to.close()
    }
    await from.close()
  },
)

interface Past {
  readonly changes: readonly Change[]
  readonly before: readonly Entry[]
  readonly after: readonly Entry[]
}

/** What people ask the past for; and the entries before and after an early change and all that built on it was taken back. */
async function pastOf(store: Store): Promise<Past> {
  const memory = new Memory(store, 'main', Date.now)
  const changes = (await memory.log({ limit: 1000 })).map(({ change }) => change)
  expect(changes.length).toBeGreaterThan(10)
  const before = await scanned(store)
  await memory.undo({ changes: [3], withLater: true })
  const after = await scanned(store)
  expect(after.length).toBeLessThan(before.length)
  return { changes, before, after }
}
