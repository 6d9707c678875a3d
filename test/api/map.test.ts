/** The map, by its own route: what it shows, when it is drawn anew, and what it says where there is nothing to draw. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { AgentMemories } from '../../src/agents/agent-memories.ts'
import type { MapAnswer } from '../../src/api/contract.ts'
import { map } from '../../src/api/routes/map.ts'
import { Served } from '../../src/api/served.ts'
import { KeepsakeError } from '../../src/errors.ts'
import { type Memory, type MemoryOptions, openMemory } from '../../src/memory.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { freshFolder } from '../cli/keepsake.ts'
import { Letters } from '../faults/letters.mjs'

interface Asked {
  readonly memory: Memory
  ask(query?: string, signal?: AbortSignal): Promise<MapAnswer>
}

async function served(options: MemoryOptions = { store: memoryStore() }): Promise<Asked> {
  const memory = await openMemory({ embed: new Letters(), ...options })
  const around = {
    version: '0',
    root: '',
    store: 'memory',
    doctor: async () => ({ findings: [], checked: 0 }),
    wrote: () => undefined,
    needsToken: false,
  } as const
  const all = new Served(new AgentMemories(memory), around)
  return {
    memory,
    ask: async (query = '', signal = new AbortController().signal) =>
      // What the route answers is checked against its schema elsewhere.
      (await map.run(
        { inPath: {}, query: new URLSearchParams(query), body: undefined },
        { served: all, signal },
      )) as MapAnswer,
  }
}

async function fill(memory: Memory): Promise<void> {
  await memory.remember('aaaa aaaa', { name: 'Deploys' })
  await memory.remember('bbbb bbbb\nand more')
  await memory.remember('cccc cccc', { kind: 'context', key: 'task' })
  await memory.learnFact('Heron', 'dddd dddd')
  await memory.as('scout').remember('eeee', { name: 'Secret of scout' })
}

describe('GET /map', () => {
  it('shows what the agent sees, each by what people call it', async () => {
    const { memory, ask } = await served()
    await fill(memory)
    await memory.embed()
    await memory.remember('ffff', { name: 'New' })
    const { points, missing, unsupported } = await ask()
    expect(points.map(({ kind, scope, label }) => [kind, scope, label])).toEqual([
      ['note', 'main', 'Deploys'],
      ['experience', 'main', 'bbbb bbbb and more'],
      ['context', 'main', 'task'],
      ['topic', 'world', 'Heron'],
    ])
    expect([missing, unsupported]).toEqual([1, undefined])
    expect(new Set(points.map(({ x, y }) => `${x} ${y}`)).size).toBe(4)
    for (const { x, y } of points) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(1)
    await memory.as('scout').embed()
    expect((await ask('agent=scout')).points.map(({ label }) => label)).toEqual(['Heron', 'Secret of scout'])
  })

  it('is drawn once, and anew after what was written, embedded or has expired', async () => {
    let now = Date.parse('2026-11-15T12:00:00Z')
    const clock = (): number => now
    const { memory, ask } = await served({ store: memoryStore({ clock }), clock })
    await fill(memory)
    await memory.embed()
    const first = await ask()
    expect(await ask('agent=main')).toBe(first)
    await memory.remember('ffff', { name: 'New' })
    expect(await ask()).toMatchObject({ points: first.points, missing: 1 })
    await memory.embed()
    const second = await ask()
    expect([second.points.length, second.missing]).toEqual([5, 0])
    now += 86_400_000
    expect((await ask()).points.map(({ label }) => label)).toEqual(['Deploys', 'bbbb bbbb and more', 'Heron', 'New'])
  })

  it('is drawn anew after an edit by hand', async () => {
    const workspace = freshFolder()
    const { memory, ask } = await served({ workspace })
    await memory.remember('aaaa', { name: 'Deploys' })
    const { entry } = await memory.remember('bbbb', { name: 'Posters' })
    await memory.embed()
    const first = await ask()
    const path = join(workspace, entry.path ?? '')
    writeFileSync(path, readFileSync(path, 'utf8').replace('bbbb', 'cccc'))
    await memory.embed()
    expect(await ask()).not.toBe(first)
    await memory.close()
  })

  it('ends with who asked, and is drawn for the next', async () => {
    const { memory, ask } = await served()
    await memory.apply(
      Array.from({ length: 60 }, (_, n) => ({
        op: 'add',
        scope: 'main',
        kind: 'experience',
        content: `${'abcdefghijklm'[n % 13]?.repeat(1 + (n % 5))} ${'nopqrst'[n % 7]}${n}`,
      })),
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
    await expect(ask('', ending.signal)).rejects.toThrow('gone')
    expect(steps).toBeLessThan(15)
    clock.mockRestore()
    expect((await ask()).points).toHaveLength(60)
  })

  it('says what to do where there is no model, or no vector yet', async () => {
    const without = await served({ store: memoryStore(), embed: 'none' })
    await fill(without.memory)
    expect(await without.ask()).toEqual({
      points: [],
      missing: 4,
      unsupported: expect.stringContaining('keepsake setup embeddings'),
    })
    const { memory, ask } = await served()
    expect(await ask()).toEqual({ points: [], missing: 0 })
    await fill(memory)
    expect((await ask()).unsupported).toBe('No entry has a vector yet. "keepsake embed --agent main" makes them.')
  })

  it('says why there are no vectors, where that is known', async () => {
    const letters = new Letters()
    letters.before = () => {
      throw new KeepsakeError('MODEL', 'the model is out of order')
    }
    const { memory, ask } = await served({ store: memoryStore(), embed: letters })
    await fill(memory)
    await memory.embed().catch(() => undefined)
    expect((await ask()).unsupported).toContain('No entry has a vector yet: the model is out of order. ')
  })
})
