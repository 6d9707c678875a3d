/** Hostile names through the real store: nothing outside the workspace, no two names on one file, every name comes back. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import type { AddOperation } from '../../src/model/operation.ts'
import type { Store } from '../../src/ports/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { seededRandom } from '../../src/testing/random.ts'
import { isNightly } from '../tier.ts'

const NAMES = isNightly ? 30_000 : 300
const PER_BATCH = 1000
const PIECES = [
  '..', '/', '\\', '.', ' ', '-', '_', 'C', 'c', '++', '#', '!', 'con', 'NUL', 'aux.md', 'é', 'e\u0301', 'ß', 'SS', 'İ', 'ﬁ',
  '日本', '한국', 'हिन्दी', '🎉', '\u200d', '\ufeff', '\u202e', '~', '$HOME', '%2e%2e', ':', '*', '?', '"', '<', '|', '\0', '\n', 'a'.repeat(50),
  '漢'.repeat(40), 'MEMORY', 'world', 'md', '1', '2',
] // biome-ignore format: a list of pieces reads best as one

function generated(count: number): string[] {
  const random = seededRandom(20_261_115)
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random.int(5) }, () => random.pick(PIECES)).join(''),
  )
}

async function entriesOf(store: Store): Promise<Map<string, string>> {
  const out = new Map<string, string>()
  for (const head of await store.heads()) out.set(head.id, `${head.scope}\n${head.kind}\n${head.name}`)
  return out
}

describe(`${NAMES} generated names`, () => {
  it('stay inside, apart, and as they were', { timeout: 600_000 }, async () => {
    const base = mkdtempSync(join(tmpdir(), 'keepsake-names-'))
    const root = join(base, 'deep', 'ws')
    const store = filesystemStore({ root, timezone: 'UTC' })
    const kept = new Map<string, string>()
    let refused = 0
    try {
      let batch: AddOperation[] = []
      const flush = async (): Promise<void> => {
        const { entries } = await store.apply({ operations: batch, origin: { by: 'agent', agent: 'main' } })
        for (const { id, scope, kind, name } of entries) kept.set(id, `${scope}\n${kind}\n${name}`)
        batch = []
      }
      const taken = new Set<string>()
      for (const [index, name] of generated(NAMES).entries()) {
        const topic = index % 2 === 0
        const scope = topic ? 'world' : agentId(name, index)
        const key = `${scope.toLowerCase()}\n${name.normalize('NFC').trim()}`
        if (taken.has(key)) continue
        taken.add(key)
        const operation: AddOperation = { op: 'add', scope, kind: topic ? 'topic' : 'note', name, content: 'x' }
        if (await isRefused(operation)) refused++
        else batch.push(operation)
        if (batch.length >= PER_BATCH) await flush()
      }
      if (batch.length > 0) await flush()
      expect(refused).toBeGreaterThan(NAMES / 20)
      expect(kept.size).toBeGreaterThan(NAMES / 20)
      const paths = (await store.heads()).map((head) => head.path ?? '')
      expect(new Set(paths.map((path) => path.normalize('NFKC').toLowerCase())).size).toBe(kept.size)
      for (const path of paths)
        expect(path).toMatch(/^(world|agents\/[a-z0-9_-][a-z0-9._-]*\/entries)\/[\p{L}\p{N}\p{M}-]+\.md$/u)
      expect(readdirSync(base)).toEqual(['deep'])
      expect(readdirSync(join(base, 'deep'))).toEqual(['ws'])
      expect(readdirSync(root).sort()).toEqual(['.state', 'agents', 'keepsake.yaml', 'world'])
      await store.close()
      rmSync(join(root, '.state'), { recursive: true })
      const again = filesystemStore({ root, timezone: 'UTC' })
      expect(await entriesOf(again)).toEqual(kept)
      expect(await again.problems()).toEqual([])
      await again.close()
    } finally {
      await store.close()
      rmSync(base, { recursive: true, force: true })
    }
  })
})

/** Some of the names as agent ids too: most are refused. */
function agentId(name: string, index: number): string {
  return index % 16 === 1 ? name : 'main'
}

/** Asks an empty store in RAM, so that a batch of a thousand is not refused for one of them. */
async function isRefused(operation: AddOperation): Promise<boolean> {
  const { memoryStore } = await import('../../src/stores/memory.ts')
  try {
    await memoryStore().apply({ operations: [operation], origin: { by: 'hand' } })
    return false
  } catch (error) {
    if (isKeepsakeError(error) && error.code === 'INVALID') return true
    throw error
  }
}
