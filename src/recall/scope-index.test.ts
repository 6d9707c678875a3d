/** A saved index in the wrong place: whole, but not of this agent. */
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openMemory } from '../memory.ts'
import type { Operation } from '../model/operation.ts'
import { filesystemStore } from '../stores/filesystem/store.ts'

function notes(scope: string): Operation[] {
  const names = Array.from({ length: 100 }, (_, n) => `${scope} ${n}`)
  return names.map((name) => ({ op: 'add', kind: 'note', scope, name, content: `a heron of ${name}` }))
}

it("is not taken for the agent's own when another agent's is put in its place", async () => {
  const root = mkdtempSync(join(tmpdir(), 'keepsake-scope-index-'))
  const heronsOf = async (agent: string): Promise<readonly string[]> => {
    const memory = await openMemory({ store: filesystemStore({ root, agent }), agent })
    const { hits } = await memory.search('heron', { limit: 50 })
    await memory.close()
    return hits.map(({ entry }) => entry.scope)
  }
  const memory = await openMemory({ store: filesystemStore({ root }) })
  await memory.apply(notes('main'))
  await memory.as('scout').apply(notes('scout'))
  await memory.close()
  const before = [await heronsOf('main'), await heronsOf('scout')]
  expect(before.map((scopes) => new Set(scopes))).toEqual([new Set(['main']), new Set(['scout'])])

  const folder = join(root, '.state/derived')
  const saved = readdirSync(folder)
  const fileOf = (agent: string): string => join(folder, saved.find((name) => name.endsWith(agent)) ?? '')
  copyFileSync(fileOf('scout'), fileOf('main'))
  expect(await heronsOf('main')).toEqual(before[0])
  rmSync(root, { recursive: true })
})
