/** `recall` without a query where it is tight, and where there is little: nothing is lost without a word. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Memory, openMemory } from '../memory.ts'
import { tokensOf } from '../prompt/budget.ts'
import { filesystemStore } from '../stores/filesystem/store.ts'
import { memoryStore } from '../stores/memory.ts'

const BUDGET = 8000
const WORDS = 'so many words '

let now: number
let memory: Memory

function at(text: string): void {
  now = Date.parse(text)
}

async function recalled(options: { days?: number; budgetTokens?: number } = {}): Promise<string> {
  return (await memory.recall(options)).text
}

beforeEach(async () => {
  at('2026-11-15T12:00:00.000Z')
  memory = await openMemory({ store: memoryStore({ clock: () => now }), clock: () => now })
})

describe('a MEMORY.md that alone is longer than the budget', () => {
  it.each([
    ['paragraphs', 'One two three.\nFour five six.\n\n', /six\.\n\n\(MEMORY/],
    ['lines', 'One two three.\n', /three\.\n\n\(MEMORY/],
    ['one endless line', WORDS, /(so|many|words)\n\n\(MEMORY/],
  ])('is cut, and the text says so: %s', async (_, piece, end) => {
    await memory.reflect(`The beginning. ${piece.repeat(10_000)}`)
    await memory.learnFact('people', WORDS.repeat(2000))
    await memory.remember(WORDS.repeat(2000))
    const text = await recalled()
    expect(text).toMatch(/^# Your Memory\n\nThe beginning\. /)
    expect(text).toMatch(end)
    expect(text).toContain('(MEMORY.md is too long to be shown whole; the rest is in the file.)')
    expect(text).toMatch(/\(2 more did not fit and were left out\.\)$/)
    expect(tokensOf(text)).toBeGreaterThan(BUDGET * 0.7)
    expect(tokensOf(text)).toBeLessThan(BUDGET * 1.01)
  })

  it('is named where nothing of it fits', async () => {
    await memory.reflect(WORDS.repeat(10))
    expect(await recalled({ budgetTokens: 1 })).toBe(
      '# Your Memory\n\n(MEMORY.md is too long to be shown whole; the rest is in the file.)',
    )
  })

  it('is whole where it just fits', async () => {
    await memory.reflect(WORDS.repeat(100))
    const text = await recalled()
    expect(await recalled({ budgetTokens: tokensOf(text) })).toBe(text)
    expect(await recalled({ budgetTokens: tokensOf(text) - 1 })).toContain('too long')
  })
})

describe('an entry that alone does not fit', () => {
  it.each([
    ['topics', (name: string, text: string) => memory.learnFact(name, `${name} ${text}`)],
    ['the log', (name: string, text: string) => memory.remember(`${name} ${text}`)],
  ])('is left out and counted, and takes none with it: %s', async (_, write) => {
    for (const [hour, name, text] of [
      [1, 'alpha', 'small'],
      [2, 'beta', WORDS.repeat(9000)],
      [3, 'gamma', 'small'],
      [4, 'delta', WORDS.repeat(90_000)],
    ] as const) {
      at(`2026-11-15T0${hour}:00:00.000Z`)
      await write(name, text)
    }
    const text = await recalled()
    expect(text).toContain('alpha small')
    expect(text).toContain('gamma small')
    expect(text).not.toMatch(/beta|delta/)
    expect(text).toMatch(/\(2 more did not fit and were left out\.\)$/)
  })

  it('is so for the room that the memory leaves, too', async () => {
    await memory.reflect(WORDS.repeat(1000))
    await memory.learnFact('old', 'small')
    at('2026-11-15T13:00:00.000Z')
    await memory.learnFact('new', WORDS.repeat(2000))
    const text = await recalled()
    expect(text).toContain('## old')
    expect(text).toMatch(/\(1 more did not fit and was left out\.\)$/)
  })

  it('is told where nothing else is there', async () => {
    await memory.remember(WORDS.repeat(9000))
    expect(await recalled()).toBe('Nothing fits a budget of 8000 tokens.\n\n(1 more did not fit and was left out.)')
  })
})

it('leaves out the oldest of each sort, and counts every one', async () => {
  await memory.reflect('my memory')
  for (let hour = 0; hour < 10; hour++) {
    at(`2026-11-15T0${hour}:00:00.000Z`)
    // The old ones are small: they must not slip in where a newer one had no room.
    const text = hour < 2 ? 'small' : WORDS.repeat(50)
    await memory.learnFact(`topic ${hour}`, text)
    await memory.remember(`hour ${hour} ${text}`)
  }
  const text = await recalled({ budgetTokens: 1000 })
  const shown = (pattern: RegExp): number[] => [...text.matchAll(pattern)].map(([, hour]) => Number(hour)).sort()
  const [topics, hours] = [shown(/^## topic (\d)/gm), shown(/^hour (\d)/gm)]
  expect(topics.length).toBeGreaterThan(2)
  expect(topics).toEqual([3, 4, 5, 6, 7, 8, 9].slice(-topics.length))
  expect(hours).toEqual([])
  expect(text).toContain(`(${20 - topics.length - hours.length} more did not fit and were left out.)`)
})

describe('a memory with none of what is asked for', () => {
  it('says what else there is', async () => {
    await memory.remember('a', { name: 'Note' })
    expect(await recalled()).toBe(
      'There is no shared knowledge, no MEMORY.md and no log of these days. There is 1 other entry; a search finds it.',
    )
    await memory.remember('b', { kind: 'fact' })
    expect(await recalled({ days: 0 })).toBe(
      'There is no shared knowledge and no MEMORY.md. There are 2 other entries; a search finds them.',
    )
  })

  it('says which day is the last, also when no day is asked for', async () => {
    await memory.remember('long ago')
    expect(await recalled({ days: 0 })).toBe(
      'There is no shared knowledge and no MEMORY.md. The last log is of 2026-11-15.',
    )
    at('2026-12-24T12:00:00.000Z')
    expect(await recalled()).toBe(
      'There is no shared knowledge, no MEMORY.md and no log of these days. The last log is of 2026-11-15.',
    )
  })

  it('does not count what has expired and what is not its own', async () => {
    await memory.remember('a', { name: 'Short', ttl: '1h' })
    await memory.as('other').remember('b', { name: 'Note' })
    at('2026-11-16T12:00:00.000Z')
    expect(await recalled()).toBe('Nothing is remembered yet.')
  })

  it.each([
    ['MEMORY.md', 'agents/main/MEMORY.md'],
    ['a note', 'agents/main/entries/note.md'],
  ])('says what could not be read: %s', async (_, path) => {
    const root = mkdtempSync(join(tmpdir(), 'keepsake-beginning-'))
    mkdirSync(join(root, 'agents/main/entries'), { recursive: true })
    writeFileSync(join(root, path), Uint8Array.of(0xff, 0xfe))
    memory = await openMemory({ store: filesystemStore({ root }) })
    const { text, warnings } = await memory.recall()
    await memory.close()
    rmSync(root, { recursive: true })
    expect(warnings).toEqual([expect.stringContaining(path)])
    expect(text).toBe(
      `No shared knowledge, no MEMORY.md and no log of these days could be read.\n\n(Could not be read: ${warnings[0]}.)`,
    )
  })
})
