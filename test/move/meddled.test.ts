// A folder that was lived in, moved to one file, changed there at random, and moved back: files that were kept for a hand's sake
// are written anew where their entries changed, and the past goes on through all of it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import type { Operation } from '../../src/model/operation.ts'
import { moveMemory } from '../../src/move/move-memory.ts'
import type { Store } from '../../src/ports/store.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { type Random, seededRandom } from '../../src/testing/random.ts'
import { scanned } from '../../src/testing/requests.ts'
import { stateDifference } from '../../src/testing/state-equality.ts'
import { isNightly } from '../tier.ts'
import { differentFiles, livedInFolder } from './lived-in-folder.ts'

const SEEDS = isNightly ? 40 : 1

const folder = mkdtempSync(join(tmpdir(), 'keepsake-meddled-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  'moves on after random changes in between (seed %i)',
  { timeout: 60_000 },
  async (seed) => {
    const random = seededRandom(seed + 1)
    const at = (name: string): string => join(folder, `${seed}-${name}`)
    const first = await livedInFolder({ root: at('first'), entries: 60 })
    const file = fileStore({ path: at('second.keepsake') })
    const third = filesystemStore({ root: at('third') })
    const [again, back] = [fileStore({ path: at('fourth.keepsake') }), filesystemStore({ root: at('fifth') })]
    await moveMemory(first, file)
    expect(await meddle(file, random)).toBeGreaterThan(5)
    await moveMemory(file, third)
    await meddle(third, random)
    await moveMemory(third, again)
    await moveMemory(again, back)
    expect(differentFiles(at('fifth'), at('third'))).toEqual([])
    expect(stateDifference(await scanned(back), await scanned(third))).toBeUndefined()
    for (const store of [first, file, third, again, back]) await store.close()
  },
)

/** How many of the changes were taken. */
async function meddle(store: Store, random: Random): Promise<number> {
  let taken = 0
  for (let n = 0; n < 20; n++) {
    const { id, name, scope } = random.pick(await store.heads())
    const operations: Operation[] = [
      random.pick<Operation>([
        { op: 'write', id, content: `meddled with ${n}` },
        { op: 'write', id, metadata: { n } },
        { op: 'rename', id, name: `${name} ${n}` },
        { op: 'alias', id, alias: `${n} of ${scope}` },
        { op: 'remove', id },
      ]),
    ]
    const refused = await store.apply({ operations, origin: { by: 'agent', agent: 'main' } }).then(() => 0, refusal)
    taken += refused === 0 ? 1 : 0
  }
  return taken
}

/** Logs have no names, and history is not rewritten: that is refused, as it should be. */
function refusal(error: unknown): number {
  if (isKeepsakeError(error)) return 1
  throw error
}
