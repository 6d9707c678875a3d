/** How far back the past goes: by age and by size, by whole segments, and never under 30 days. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { type FilesystemStoreOptions, filesystemStore } from '../../src/stores/filesystem/store.ts'

const DAY = 86_400_000
const START = Date.parse('2026-01-01T12:00:00Z')

let base: string
let root: string
let ms: number
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-retention-'))
  root = join(base, 'ws')
  ms = START
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

/** Each call is a process of its own, as a command would be. */
async function process<T>(
  run: (memory: Memory) => Promise<T>,
  options: Partial<FilesystemStoreOptions> = {},
): Promise<T> {
  const clock = (): number => ms
  const memory = new Memory(filesystemStore({ root, timezone: 'UTC', clock, ...options }), 'main', clock)
  try {
    return await run(memory)
  } finally {
    await memory.close()
  }
}

function journal(): string[] {
  return readdirSync(join(root, '.state/journal')).sort()
}

async function writeDaily(days: number, text = 'text', options: Partial<FilesystemStoreOptions> = {}): Promise<void> {
  for (let day = 0; day < days; day++) {
    await process(async (memory) => {
      await memory.remember(`${text} of day ${day}`, { name: `Note ${day % 5}` })
      await memory.remember(`line of day ${day}`)
    }, options)
    ms += DAY
  }
}

describe('retention', () => {
  it('folds what is older than the workspace keeps, and can undo everything younger to the byte', async () => {
    await writeDaily(60, 'text', { retentionDays: 30 })
    expect(journal().filter((name) => name.endsWith('.base'))).toHaveLength(1)
    const changes = await process((memory) => memory.log({ limit: 1000 }))
    const oldest = Date.parse(changes.at(-1)?.change.at ?? '')
    // At least 30 days, at most a segment more.
    expect(ms - oldest).toBeGreaterThanOrEqual(30 * DAY)
    expect(ms - oldest).toBeLessThan((30 + 2 * 7 + 2) * DAY)

    const then = new Date(ms - 25 * DAY - 1).toISOString()
    const past = await process(async (memory) => (await (await memory.asOf(then)).list()).map(({ content }) => content))
    expect(past).toContain('line of day 0')
    expect(past).toContain('line of day 34')
    expect(past).not.toContain('line of day 35')
    await expect(process((memory) => memory.asOf('2026-01-02T00:00:00Z'))).rejects.toThrow(/not known any more/)

    const kept = changes.length
    await process(async (memory) => {
      for (let n = 0; n < kept; n++) await memory.undo()
      await expect(memory.undo()).rejects.toThrow(/no such change/)
    })
    const day = Math.round((oldest - START) / DAY)
    const text = readFileSync(join(root, `agents/main/entries/note-${(day + 4) % 5}.md`), 'utf8')
    expect(text).toContain(`text of day ${day - 1}`)
    expect(readdirSync(join(root, 'agents/main/daily')).sort().at(-1)).toBe(
      `${new Date(START + (day - 1) * DAY).toISOString().slice(0, 10)}.md`,
    )
  })

  it('leaves nothing to find of what is purged after it was folded', async () => {
    const secret = 'a-secret-from-very-long-ago'
    await process((memory) => memory.remember(secret, { name: 'Old' }), { retentionDays: 30 })
    await writeDaily(60, 'text', { retentionDays: 30 })
    expect(journal().some((name) => name.endsWith('.base'))).toBe(true)
    await process(async (memory) => {
      await memory.store.sessions.append('main', 's', [{ role: 'user', content: `keep ${secret}` }])
      await memory.remember('harmless by now', { name: 'Old' })
      await memory.purge('Old')
    })
    const files = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((item) =>
      item.isFile(),
    )
    const holding = files.filter((item) => readFileSync(join(item.parentPath, item.name)).includes(secret))
    expect(holding.map(({ name }) => name)).toEqual([])
  })

  it('folds for size, but never what is younger than 30 days', async () => {
    const large = 'x'.repeat(100_000)
    await writeDaily(80, large, { retentionDays: 365, retentionMb: 1 })
    const changes = await process((memory) => memory.log({ limit: 1000 }))
    const age = ms - Date.parse(changes.at(-1)?.change.at ?? '')
    expect(age).toBeGreaterThanOrEqual(30 * DAY)
    expect(age).toBeLessThan(46 * DAY)
  })

  it('keeps everything while it is young and small', async () => {
    await writeDaily(40, 'text', { retentionDays: 90 })
    expect(await process((memory) => memory.log({ limit: 1000 }))).toHaveLength(80)
    expect(journal().some((name) => name.endsWith('.base'))).toBe(false)
    expect(journal().length).toBeGreaterThan(3)
  })
})
