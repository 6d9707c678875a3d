/** Days, headings and the clock: one reading for file and heading, whatever the clocks do. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'

let base: string
let now = 0
const memories: Memory[] = []

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-clock-'))
})
afterEach(async () => {
  for (const memory of memories.splice(0)) await memory.close()
  rmSync(base, { recursive: true, force: true })
})

function open(timezone: string): Memory {
  const store = filesystemStore({ root: join(base, 'ws'), clock: () => now, timezone })
  const memory = new Memory(store, 'main', () => now)
  memories.push(memory)
  return memory
}

function days(): Record<string, string[]> {
  const folder = join(base, 'ws/agents/main/daily')
  const out: Record<string, string[]> = {}
  for (const name of readdirSync(folder).sort()) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    expect(lines.filter((line) => line.startsWith('# '))).toEqual([`# ${name.slice(0, 10)}`])
    out[name.slice(0, 10)] = lines.filter((line) => line.startsWith('## ')).map((line) => line.slice(3))
  }
  return out
}

describe.each<[string, string, readonly string[], Record<string, string[]>]>([
  [
    'midnight',
    'Europe/Berlin',
    ['2026-11-15T22:59:59.999Z', '2026-11-15T23:00:00.000Z'],
    { '2026-11-15': ['23:59'], '2026-11-16': ['00:00'] },
  ],
  [
    'the end of the year',
    'Asia/Kolkata',
    ['2026-12-31T18:29:00.000Z', '2026-12-31T18:30:00.000Z'],
    { '2026-12-31': ['23:59'], '2027-01-01': ['00:00'] },
  ],
  [
    'clocks that go forward',
    'Europe/Berlin',
    ['2026-03-29T00:59:00.000Z', '2026-03-29T01:00:00.000Z'],
    { '2026-03-29': ['01:59', '03:00'] },
  ],
  [
    'clocks that go back, the same minute twice',
    'Europe/Berlin',
    ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z', '2026-10-25T02:30:00.000Z'],
    { '2026-10-25': ['02:30', '02:30', '03:30'] },
  ],
  [
    'a zone far ahead',
    'Pacific/Kiritimati',
    ['2026-11-15T09:59:00.000Z', '2026-11-15T10:00:00.000Z'],
    { '2026-11-15': ['23:59'], '2026-11-16': ['00:00'] },
  ],
  [
    'a clock that is set back',
    'UTC',
    ['2026-11-15T12:00:00.000Z', '2026-11-15T11:00:00.000Z', '2026-11-15T12:00:00.000Z'],
    { '2026-11-15': ['12:00', '11:00', '12:00'] },
  ],
  [
    'two of one minute',
    'America/New_York',
    ['2026-11-15T12:00:00.000Z', '2026-11-15T12:00:00.000Z'],
    { '2026-11-15': ['07:00', '07:00'] },
  ],
])('%s', (_, zone, times, expected) => {
  it('puts each entry under its own day and minute, in the order they came, also after a restart without .state/', async () => {
    const memory = open(zone)
    for (const [index, time] of times.entries()) {
      now = Date.parse(time)
      const { entry } = await memory.remember(`entry ${index}`)
      expect(entry.createdAt).toBe(time)
    }
    expect(days()).toEqual(expected)
    const contents = times.map((_time, index) => `entry ${index}`)
    expect((await memory.list()).map((entry) => entry.content)).toEqual(contents)
    rmSync(join(base, 'ws/.state'), { recursive: true })
    const again = await open(zone).list()
    expect(new Map(again.map((entry) => [entry.content, entry.createdAt]))).toEqual(
      new Map(contents.map((content, index) => [content, times[index]])),
    )
    const byTime = [...times.keys()].sort((a, b) =>
      (times[a] ?? '') < (times[b] ?? '') ? -1 : (times[a] ?? '') > (times[b] ?? '') ? 1 : a - b,
    )
    expect(again.map((entry) => entry.content)).toEqual(byTime.map((index) => `entry ${index}`))
  })
})
