// Clocks that misbehave. Days, zones and clock changes are in test/filesystem/clock.test.ts.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { localTime } from '../../src/model/time.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { scratchFolder } from './workspace.mjs'

let root: string
beforeEach(() => {
  root = scratchFolder('clock')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function open(clock: () => number, timezone?: string): Memory {
  const store = filesystemStore({ root, clock, ...(timezone === undefined ? {} : { timezone }) })
  return new Memory(store, 'main', clock)
}

describe('a clock', () => {
  it('that leaps at each reading gives file, heading and expiry of one', async () => {
    let ms = Date.parse('2026-03-14T00:00:00.000Z')
    const leaping = () => (ms += 11 * 3_600_000 + 59 * 60_000 + 7_001)
    const memory = open(leaping, 'Europe/Berlin')
    for (let n = 0; n < 20; n++) {
      const { entry } = await memory.remember(`text ${n}`)
      const { day, time } = localTime(entry.createdAt, 'Europe/Berlin')
      expect(entry.path).toBe(`agents/main/daily/${day}.md`)
      const text = readFileSync(join(root, entry.path ?? ''), 'utf8')
      expect(
        text
          .split(`text ${n}\n`)[0]
          ?.split('\n')
          .findLast((line) => line.startsWith('## ')),
      ).toBe(`## ${time}`)
      const context = (await memory.remember('v', { key: `k ${n}` })).entry
      expect(context.path).toBe(`agents/main/context/${localTime(context.createdAt, 'Europe/Berlin').day}.md`)
      expect(localTime(new Date(Date.parse(context.expiresAt ?? '') - 1).toISOString(), 'Europe/Berlin').day).toBe(
        localTime(context.createdAt, 'Europe/Berlin').day,
      )
    }
    await memory.close()
  })

  it('that goes back does not make a changed entry older', async () => {
    let ms = Date.parse('2026-03-14T12:00:00.000Z')
    const memory = open(() => ms, 'UTC')
    const { entry } = await memory.remember('one', { name: 'note' })
    ms -= 86_400_000
    const changed = (await memory.remember('two', { name: 'note' })).entry
    expect(changed.updatedAt).toBe(entry.updatedAt)
    await memory.close()
  })

  it('that stands still gives ids that are apart and in order', async () => {
    const memory = open(() => Date.parse('2026-03-14T12:00:00.000Z'), 'UTC')
    const written = await Promise.all(Array.from({ length: 50 }, (_, n) => memory.remember(`text ${n}`)))
    const ids = written.map(({ entry }) => entry.id)
    expect(new Set(ids).size).toBe(50)
    expect([...ids].sort()).toEqual(ids)
    await memory.close()
  })
})
