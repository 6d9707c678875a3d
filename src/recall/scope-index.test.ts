/** Saved indexes that must not be what they could be: another agent's, or one with words that were purged. */
import { copyFileSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Letters } from '../../test/faults/letters.mjs'
import { type Memory, openMemory } from '../memory.ts'
import type { Operation } from '../model/operation.ts'
import { filesystemStore } from '../stores/filesystem/store.ts'

function notes(scope: string, called = scope): Operation[] {
  const names = Array.from({ length: 100 }, (_, n) => `${called} ${n}`)
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

it('holds no word that was purged, though other processes had it, one that searches and one that embeds', async () => {
  const root = mkdtempSync(join(tmpdir(), 'keepsake-scope-index-'))
  const traces = (): string[] => {
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    const files = paths.filter((path) => lstatSync(join(root, path)).isFile())
    return files.filter((path) => /zanzibar|xylophon/i.test(readFileSync(join(root, path), 'latin1')))
  }
  const open = (embed: Letters | 'none'): Promise<Memory> => openMemory({ store: filesystemStore({ root }), embed })
  const [writer, searcher, embedder] = await Promise.all([open('none'), open('none'), open(new Letters())])
  const found = async (memory: Memory, query: string): Promise<number> =>
    (await memory.search(query, { mode: 'lexical' })).hits.length
  const { entry } = await writer.remember('Zanzibar is the code.', { name: 'Xylophone' })
  await writer.remember('Zanzibar was the code.', { name: 'Gone' })
  await writer.apply(notes('main'))
  for (const other of [searcher, embedder]) expect(await found(other, 'zanzibar')).toBe(2)
  expect(traces()).toContain(join('.state/derived', 'words-en-main'))
  await writer.forget('Gone')
  for (const other of [searcher, embedder]) expect(await found(other, 'zanzibar')).toBe(1)

  await writer.purge('Gone')
  await writer.purge(entry.id)
  for (const [other, called] of [
    [searcher, 'first'],
    [embedder, 'second'],
  ] as const) {
    await writer.apply(notes('main', called))
    expect(await found(other, called)).toBeGreaterThan(0)
    if (other === embedder) await other.embed()
    expect(readdirSync(join(root, '.state/derived'))).toContain('words-en-main')
    expect(traces()).toEqual([])
  }
  for (const memory of [writer, searcher, embedder]) await memory.close()
  expect(traces()).toEqual([])
  rmSync(root, { recursive: true })
})
