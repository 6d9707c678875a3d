/** What was written before a search is found by it, whoever wrote it, whichever way the search goes, and whatever embeds meanwhile. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { type Memory, openMemory, type SearchBy } from '../../src/memory.ts'
import type { SearchMode } from '../../src/recall/found.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { Letters } from '../faults/letters.mjs'

let root: string
let other: Memory
const opened: Memory[] = []

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'keepsake-fresh-'))
  other = await open({})
})

afterEach(async () => {
  for (const memory of opened.splice(0)) await memory.close()
  rmSync(root, { recursive: true, force: true })
})

async function open(options: Parameters<typeof openMemory>[0]): Promise<Memory> {
  const memory = await openMemory({ store: filesystemStore({ root }), ...options })
  opened.push(memory)
  return memory
}

async function found(memory: Memory, query: string, mode: SearchMode | undefined): Promise<readonly string[]> {
  // By meaning alone only what has a vector is found, and no search waits for vectors.
  if (mode === 'semantic') await memory.embed()
  const { hits } = await memory.search(query, { minScore: 0, ...(mode === undefined ? {} : { mode }) })
  return hits.map(({ entry }) => entry.content.trim())
}

async function writesAreFound(memory: Memory, mode?: SearchMode): Promise<void> {
  await memory.remember('alpha', { name: 'first' })
  expect(await found(memory, 'alpha', mode)).toContain('alpha')
  await memory.remember('zebra', { name: 'own' })
  expect(await found(memory, 'zebra', mode)).toContain('zebra')
  await other.remember('okapi', { name: 'of another' })
  expect(await found(memory, 'okapi', mode)).toContain('okapi')
  writeFileSync(join(root, 'agents/main/entries/by-hand.md'), 'platypus\n')
  expect(await found(memory, 'platypus', mode)).toContain('platypus')
  await other.remember('quokka', { name: 'own' })
  expect(await found(memory, 'quokka', mode)).toContain('quokka')
  expect(await found(memory, 'zebra', mode)).not.toContain('zebra')
  await other.forget('own')
  expect(await found(memory, 'quokka', mode)).not.toContain('quokka')
  await other.remember('walrus', { name: 'animal' })
  expect((await memory.context({ message: 'tell me about the walrus' })).recall).toContain('walrus')
}

describe.each<SearchBy>(['words', 'meaning too', 'meaning too once loaded'])(
  'a memory that searches by %s',
  (searchBy) => {
    it.each<SearchMode | undefined>([undefined, 'lexical', 'hybrid', 'semantic'])(
      'finds what was written a moment ago: mode %s',
      async (mode) => {
        await writesAreFound(await open({ embed: new Letters(), searchBy }), mode)
      },
    )

    it('finds it while nothing can be embedded', async () => {
      const letters = new Letters()
      letters.before = () => {
        throw new KeepsakeError('MODEL', 'the model is out of order')
      }
      await writesAreFound(await open({ embed: letters, searchBy }))
    })

    it('finds it while only queries can be embedded', async () => {
      const letters = new Letters()
      letters.before = (texts: readonly string[]) => {
        if (texts.length > 1) throw new KeepsakeError('MODEL', 'the model is out of order')
      }
      await writesAreFound(await open({ embed: letters, searchBy }))
    })
  },
)
