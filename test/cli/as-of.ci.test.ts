/** `--as-of`, and the dates that it, `--since` and `--until` take. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Arguments } from '../../src/cli/arguments.ts'
import { parseAsOf, parseDates } from '../../src/cli/date-options.ts'
import { isKeepsakeError, openMemory } from '../../src/index.ts'
import { jsonAt, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

beforeAll(() => sitDownAt(new Desk()))

// 23:30 on the 14th in UTC is 08:30 on the 15th in Tokyo.
const PRESENT = { zone: 'Asia/Tokyo', nowMs: Date.parse('2026-11-14T23:30:00.000Z') }

function options(values: Readonly<Record<string, string>>): Arguments {
  return new Arguments([], new Map(Object.entries(values).map(([name, value]) => [name, [value]])))
}

function hintOf(read: () => unknown): string | undefined {
  try {
    read()
  } catch (error) {
    if (isKeepsakeError(error)) return `${error.message} ${error.hint}`
  }
  return undefined
}

describe('a date', () => {
  it.each([
    ['2026-11-10', '2026-11-09T15:00:00.000Z', '2026-11-10T15:00:00.000Z', '2026-11-10T14:59:59.999Z'],
    ['today', '2026-11-14T15:00:00.000Z', '2026-11-15T15:00:00.000Z', '2026-11-14T23:30:00.000Z'],
    ['2026-11-15', '2026-11-14T15:00:00.000Z', '2026-11-15T15:00:00.000Z', '2026-11-14T23:30:00.000Z'],
    ['yesterday', '2026-11-13T15:00:00.000Z', '2026-11-14T15:00:00.000Z', '2026-11-14T14:59:59.999Z'],
    ['now', '2026-11-14T23:30:00.000Z', '2026-11-14T23:30:00.000Z', '2026-11-14T23:30:00.000Z'],
    ['90m', '2026-11-14T22:00:00.000Z', '2026-11-14T22:00:00.000Z', '2026-11-14T22:00:00.000Z'],
    ['2h', '2026-11-14T21:30:00.000Z', '2026-11-14T21:30:00.000Z', '2026-11-14T21:30:00.000Z'],
    ['3d', '2026-11-11T23:30:00.000Z', '2026-11-11T23:30:00.000Z', '2026-11-11T23:30:00.000Z'],
    ['2w', '2026-10-31T23:30:00.000Z', '2026-10-31T23:30:00.000Z', '2026-10-31T23:30:00.000Z'],
    ['2026-11-10T09:00+09:00', '2026-11-10T00:00:00.000Z', '2026-11-10T00:00:00.000Z', '2026-11-10T00:00:00.000Z'],
    ['2026-10', '2026-09-30T15:00:00.000Z', '2026-10-31T15:00:00.000Z', '2026-10-31T14:59:59.999Z'],
    ['last week', '2026-11-01T15:00:00.000Z', '2026-11-08T15:00:00.000Z', '2026-11-08T14:59:59.999Z'],
    ['This Month', '2026-10-31T15:00:00.000Z', '2026-11-30T15:00:00.000Z', '2026-11-14T23:30:00.000Z'],
    ['3 days ago', '2026-11-11T15:00:00.000Z', '2026-11-12T15:00:00.000Z', '2026-11-12T14:59:59.999Z'],
    ['999999999w', '1000-01-01T00:00:00.000Z', '1000-01-01T00:00:00.000Z', '1000-01-01T00:00:00.000Z'],
  ])('%s is a start, an end, or the last moment that counts', (text, since, until, asOf) => {
    expect(parseDates(options({ since: text }), PRESENT)).toEqual({ since })
    expect(parseDates(options({ until: text }), PRESENT)).toEqual({ until })
    expect(parseAsOf(options({ 'as-of': text }), PRESENT)).toBe(asOf)
  })

  it('of a day that the clocks make longer ends when that day ends', () => {
    const berlin = { zone: 'Europe/Berlin', nowMs: Date.parse('2026-12-01T00:00:00Z') }
    expect(parseDates(options({ since: '2026-10-25', until: '2026-10-25' }), berlin)).toEqual({
      since: '2026-10-24T22:00:00.000Z',
      until: '2026-10-25T23:00:00.000Z',
    })
  })

  it.each(['soon', '2026-02-30', '2026-11-15T14:00:00', '3', 'd', '-2d', '2y', 'todays', ''])('is not "%s"', (text) => {
    const hint = hintOf(() => parseAsOf(options({ 'as-of': text }), PRESENT))
    expect(hint).toContain(`as-of: "${text}" is not a date`)
    for (const form of ['2026-11-15', 'today', 'yesterday', 'now', 'Z)', '90m', '2h', '3d', '2w']) {
      expect(hint).toContain(form)
    }
  })

  it.each(['2026-11-16', '2026-11-14T23:30:00.001Z', '2027', '9999-12-31'])(
    'to look back to is not ahead: %s',
    (text) => {
      expect(hintOf(() => parseAsOf(options({ 'as-of': text }), PRESENT))).toContain(
        `as-of: "${text}" lies in the future`,
      )
    },
  )
})

const DAY_MS = 86_400_000

/** With a past: a note of two days ago, rewritten yesterday, and another agent's. */
async function aged(): Promise<Desk> {
  const desk = new Desk()
  const now = Date.now()
  const write = async (daysAgo: number, content: string, name: string): Promise<void> => {
    const memory = await openMemory({
      workspace: desk.workspace,
      timezone: 'UTC',
      clock: () => now - daysAgo * DAY_MS,
    })
    await memory.remember(content, { name })
    await memory.learnFact('Server', content)
    await memory.close()
  }
  await write(3, 'first', 'Plan')
  await write(2, 'second', 'Plan')
  await write(0, 'third', 'Plan')
  await write(0, 'new', 'Other')
  return desk
}

function daysAgo(count: number): string {
  return new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10)
}

describe.concurrent('--as-of', () => {
  it('shows an entry as it was, says so first, and writes nothing', async () => {
    const desk = await aged()
    const before = desk.hash()
    const { stdout } = await desk.run(['show', 'Plan', '--as-of', daysAgo(3)])
    expect(stdout).toMatch(
      new RegExp(`^As of ${daysAgo(3)} 23:59 \\(UTC\\):\\n\\nPlan \\(note\\)\\n(.*\\n)*\\nfirst\\n$`),
    )
    expect(await jsonAt(desk, ['show', 'Plan', '--as-of', 'yesterday'])).toMatchObject({
      entry: { content: 'second' },
      asOf: `${daysAgo(1)}T23:59:59.999Z`,
    })
    expect((await desk.run(['show', 'Plan', '--as-of', '36h', '--quiet'])).stdout).toBe('second\n')
    expect((await jsonAt(desk, ['show', 'Plan', '--as-of', 'now'])).entry.content).toBe('third')
    expect((await jsonAt(desk, ['show', 'Plan'])).asOf).toBeUndefined()
    expect(desk.hash()).toBe(before)
  })

  it('lists what was there', async () => {
    const desk = await aged()
    const names = async (...args: string[]): Promise<string[]> =>
      (await jsonAt(desk, ['list', ...args])).entries.map((entry: Printed) => entry.name)
    expect(await names('--as-of', 'yesterday')).toEqual(['Plan', 'Server'])
    expect(await names()).toEqual(['Plan', 'Server', 'Other'])
    expect(await names('--as-of', 'yesterday', '--kind', 'topic')).toEqual(['Server'])
    expect((await desk.run(['list', '--as-of', 'yesterday'])).stdout).toMatch(/^As of .*:\n\n.*Plan/)
  })

  it('recalls what was known', async () => {
    const desk = await aged()
    const { stdout } = await desk.run(['recall', '--as-of', 'yesterday'])
    expect(stdout).toMatch(/^As of .*\(UTC\):\n\n# World Knowledge\n\n## Server\n\nsecond\n/)
    expect(await jsonAt(desk, ['recall', '--as-of', 'yesterday'])).toMatchObject({
      text: expect.stringContaining('second'),
      asOf: expect.any(String),
    })
  })

  it('before the first write shows that nothing was there', async () => {
    const desk = await aged()
    expect(await jsonAt(desk, ['list', '--as-of', '2020-01-01'])).toMatchObject({ status: 0, entries: [] })
    expect((await desk.run(['list', '--as-of', '2020-01-01'])).stdout).toContain('Nothing is there.')
  })

  it('names the earliest moment that is known, where files were there before the first write', async () => {
    const desk = new Desk()
    mkdirSync(join(desk.workspace, 'world'), { recursive: true })
    writeFileSync(join(desk.workspace, 'world/old.md'), 'older than the journal\n')
    await desk.run(['remember', 'first'])
    const { status, error } = await jsonAt(desk, ['list', '--as-of', '2020-01-01'])
    expect([status, error.code]).toEqual([3, 'NOT_FOUND'])
    expect(error.hint).toContain(daysAgo(0))
  })

  it('does not find what was not there yet', async () => {
    expect(await jsonAt(await aged(), ['show', 'Other', '--as-of', 'yesterday'])).toMatchObject({
      status: 3,
      error: { code: 'NOT_FOUND' },
    })
  })
})
