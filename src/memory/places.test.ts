/** Entries in the plane as one agent sees them: who has a place, who has none, and what is said of these. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Letters } from '../../test/faults/letters.mjs'
import { type Memory, openMemory, type PlaceOptions } from '../memory.ts'
import { memoryStore } from '../stores/memory.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')

interface Opened {
  readonly memory: Memory
  readonly letters: Letters
  pass(ms: number): void
}

async function opened(): Promise<Opened> {
  let now = NOW
  const clock = (): number => now
  const letters = new Letters()
  const memory = await openMemory({ store: memoryStore({ clock }), clock, embed: letters })
  return {
    memory,
    letters,
    pass: (ms) => {
      now += ms
    },
  }
}

async function namesIn(memory: Memory, options: PlaceOptions = {}): Promise<(string | null)[]> {
  return (await memory.places(options)).entries.map(({ entry }) => entry.name)
}

describe('places', () => {
  it('are of what the agent sees and has vectors, what is alike nearer than what is not', async () => {
    const { memory } = await opened()
    for (const [name, content] of Object.entries({ A: 'aaaa aaaa', B: 'aaaa aaab', C: 'zzzz zzzz' })) {
      await memory.remember(content, { name })
    }
    await memory.learnFact('Known to all', 'zzzz zzzy')
    await memory.as('scout').remember('aaaa', { name: 'Secret of scout' })
    await memory.as('scout').embed()
    await memory.embed()
    const { entries, missing } = await memory.places()
    expect(entries.map(({ entry }) => entry.name)).toEqual(['A', 'B', 'C', 'Known to all'])
    expect(missing).toBe(0)
    const [a, b, c] = entries as [(typeof entries)[0], (typeof entries)[0], (typeof entries)[0]]
    expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeLessThan(Math.hypot(a.x - c.x, a.y - c.y))
    expect(await namesIn(memory.as('scout'))).toEqual(['Known to all', 'Secret of scout'])
  })

  it('are not there for what has no vector yet, or none of its text as it is', async () => {
    const { memory, letters } = await opened()
    await memory.remember('aaaa', { name: 'A' })
    await memory.remember('bbbb', { name: 'B' })
    await memory.embed()
    await memory.remember('bbbc', { name: 'B' })
    await memory.remember('cccc', { name: 'C' })
    letters.take()
    expect(await memory.places()).toMatchObject({ entries: [{ entry: { name: 'A' } }], missing: 2 })
    expect(letters.take()).toEqual([])
  })

  it('are not there for what has expired, nor is it missing', async () => {
    const { memory, pass } = await opened()
    await memory.remember('aaaa', { name: 'A' })
    await memory.remember('bbbb', { kind: 'context', key: 'task', ttl: '1h' })
    await memory.embed()
    await memory.remember('cccc', { kind: 'context', key: 'other', ttl: '1h' })
    expect(await memory.places()).toMatchObject({ entries: [{}, {}], missing: 1 })
    pass(3_700_000)
    expect(await memory.places()).toMatchObject({ entries: [{ entry: { name: 'A' } }], missing: 0 })
  })

  it('are those of the newest, where there are too many', async () => {
    const { memory } = await opened()
    for (const name of ['A', 'B', 'C']) await memory.remember(`${name} `.repeat(3), { name })
    await memory.embed()
    expect(await namesIn(memory, { limit: 2 })).toEqual(['B', 'C'])
    expect((await memory.places({ limit: 2 })).missing).toBe(1)
    await expect(memory.places({ limit: 0 })).rejects.toMatchObject({ code: 'INVALID' })
  })

  it('are none in an empty memory, and an error where nothing makes vectors', async () => {
    const { memory } = await opened()
    expect(await memory.places()).toEqual({ entries: [], missing: 0 })
    const without = await openMemory({ store: memoryStore(), embed: 'none' })
    await expect(without.places()).rejects.toMatchObject({ code: 'NO_EMBEDDINGS' })
  })

  it('end with who asked, and with the memory', async () => {
    const { memory } = await opened()
    const text = (n: number): string => `${'abcdefghijklm'[n % 13]?.repeat(1 + (n % 5))} ${'nopqrst'[n % 7]}${n}`
    await memory.apply(
      Array.from({ length: 60 }, (_, n) => ({ op: 'add', scope: 'main', kind: 'experience', content: text(n) })),
    )
    await memory.embed()
    const ending = new AbortController()
    // On this clock every step is slow enough to yield after it.
    let steps = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      if (++steps === 10) ending.abort(new Error('gone'))
      return steps * 1000
    })
    onTestFinished(() => clock.mockRestore())
    await expect(memory.places({ signal: ending.signal })).rejects.toThrow('gone')
    expect(steps).toBeLessThan(15)
    const refused = expect(memory.places()).rejects.toMatchObject({ code: 'CLOSED' })
    await memory.close()
    await refused
  })
})
