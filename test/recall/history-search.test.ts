/** The history in real files, by words and dates: each entry once, although it stands in the file of its month and in HISTORY.md. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Memory, SearchOptions } from '../../src/index.ts'
import type { Operation } from '../../src/model/operation.ts'
import { Workspace } from '../session/workspace.ts'

let workspace: Workspace
beforeEach(() => {
  workspace = new Workspace()
})
afterEach(() => workspace.remove())

const HISTORY = ['history'] as const

async function texts(memory: Memory, query: string, options: SearchOptions): Promise<string[]> {
  const { hits } = await memory.search(query, { kinds: HISTORY, limit: 100, ...options })
  return hits.map(({ entry }) => entry.content).sort()
}

function file(name: string): string {
  return join(workspace.root, 'agents/main', name)
}

describe('the history', () => {
  it('is found once by words and dates, with and without the files of the months', async () => {
    const memory = workspace.open()
    const added = (createdAt: string, content: string, metadata = {}): Operation => {
      return { op: 'add', scope: 'main', kind: 'history', createdAt, content, metadata }
    }
    await memory.apply([
      added('2026-09-30T23:00:00.000Z', '[2026-09-30 23:00] Postgres was thought of.'),
      added('2026-10-01T00:00:00.000Z', '[2026-10-01 00:00] Postgres was tried.', { archive: 'a', session: 'chat' }),
      added('2026-10-31T09:00:00.000Z', '[2026-10-31 09:00] Postgres was chosen by all.'),
      added('2026-11-01T09:00:00.000Z', '[2026-11-01 09:00] Postgres is in use.', { archive: 'b', session: 'chat' }),
    ])
    for (const month of ['-2026-09', '-2026-10', '-2026-11', ''])
      expect(existsSync(file(`HISTORY${month}.md`))).toBe(true)
    const october = { since: '2026-10-01T00:00:00Z', until: '2026-11-01T00:00:00Z' }
    const inOctober = ['[2026-10-01 00:00] Postgres was tried.', '[2026-10-31 09:00] Postgres was chosen by all.']
    const holds = async (): Promise<void> => {
      const fresh = workspace.open()
      expect(await texts(fresh, 'postgres', october)).toEqual(inOctober)
      expect(await texts(fresh, 'postgres', {})).toHaveLength(4)
      expect(await texts(fresh, 'tried', { since: '2026-10-02T00:00:00Z' })).toEqual([])
    }
    await holds()
    await memory.close()
    rmSync(join(workspace.root, '.state'), { recursive: true })
    await holds()
    // As somebody would bring a history along who has the one file only.
    for (const month of ['-2026-09', '-2026-10', '-2026-11']) rmSync(file(`HISTORY${month}.md`))
    await holds()
  })

  it('that a hand has written into HISTORY.md alone is found once, also when a month gets its file', async () => {
    mkdirSync(join(workspace.root, 'agents/main'), { recursive: true })
    writeFileSync(
      file('HISTORY.md'),
      '## 2026-10-05T09:00:00.000Z\n\nThe boiler was repaired.\n\n## 2026-11-05T09:00:00.000Z\n\nThe boiler is new.\n',
    )
    const since = '2026-11-01T00:00:00Z'
    expect(await texts(workspace.open(), 'boiler', { since })).toEqual(['The boiler is new.'])
    expect(await texts(workspace.open(), 'boiler', { until: since })).toEqual(['The boiler was repaired.'])
    const memory = workspace.open()
    await memory.apply([
      {
        op: 'add',
        scope: 'main',
        kind: 'history',
        createdAt: '2026-11-06T09:00:00.000Z',
        content: 'The boiler leaks.',
      },
    ])
    expect(await texts(workspace.open(), 'boiler', { since })).toEqual(['The boiler is new.', 'The boiler leaks.'])
    expect(await texts(workspace.open(), 'boiler', {})).toHaveLength(3)
    expect(await workspace.open().list({ kinds: ['history'] })).toHaveLength(3)
  })
})
