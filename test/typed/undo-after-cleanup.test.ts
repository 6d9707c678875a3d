/** Undo among lives that end and cleanups: never stuck while there is something to take back, and redone it is as it was. */
import { describe, expect, it } from 'vitest'
import { type Memory, openMemory } from '../../src/memory.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { isNightly } from '../tier.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const WRITES = ['write', 'write', 'write', 'context', 'forget'] as const

interface Desk {
  readonly memory: Memory
  readonly wait: (ms: number) => void
  readonly shown: () => Promise<string[]>
}

async function newDesk(): Promise<Desk> {
  let now = Date.parse('2026-01-01T10:00:00.000Z')
  const clock = (): number => ++now
  const memory = await openMemory({ store: memoryStore({ clock, settings: { timezone: 'UTC' } }), clock })
  return {
    memory,
    wait: (ms) => {
      now += ms
    },
    shown: async () => (await memory.list()).map(({ name, key, content }) => `${name ?? key}: ${content}`).sort(),
  }
}

describe('undo alone, after a cleanup', () => {
  it('passes over what made room and was cleaned up itself', async () => {
    const { memory, wait, shown } = await newDesk()
    await memory.remember('important', { name: 'keepme' })
    await memory.remember('v1', { name: 'a', ttl: '1s' })
    wait(2 * SECOND)
    await memory.remember('v2', { name: 'a', ttl: '1s' })
    await memory.remember('v3', { name: 'a', ttl: '1s' })
    wait(2 * SECOND)
    await memory.cleanup()
    expect((await memory.undo()).undone.map(({ change }) => change.number)).toEqual([1])
    expect(await shown()).toEqual([])
    await expect(memory.undo()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('takes back what shortened a life although it was shortened twice', async () => {
    const { memory, wait, shown } = await newDesk()
    await memory.remember('keep me', { name: 'n' })
    await memory.remember('short', { name: 'n', ttl: '1s' })
    await memory.remember('shorter', { name: 'n', ttl: '1s' })
    wait(2 * SECOND)
    await memory.cleanup()
    await memory.undo({ changes: [2] })
    expect(await shown()).toEqual(['n: keep me'])
    expect((await memory.undo()).undone.map(({ change }) => change.number)).toEqual([1])
  })

  it('is done again after it was undone', async () => {
    const { memory, wait, shown } = await newDesk()
    await memory.remember('first', { name: 'z' })
    await memory.remember('keep me', { name: 'n' })
    await memory.remember('short', { name: 'n', ttl: '1s' })
    wait(2 * SECOND)
    await memory.cleanup()
    const { change } = await memory.undo()
    await memory.undo({ changes: [change?.number ?? 0] })
    expect(await shown()).toEqual(['z: first'])
    expect((await memory.undo()).undone.map(({ change: one }) => one.number)).toEqual([3])
    expect(await shown()).toEqual(['n: keep me', 'z: first'])
  })

  it('takes back first what was redone last, which may hold a name that is wanted', async () => {
    const { memory, shown } = await newDesk()
    await memory.remember('one', { name: 'a' })
    const { change } = await memory.undo()
    await memory.remember('two', { name: 'a' })
    await memory.forget('a')
    await memory.undo({ changes: [change?.number ?? 0] })
    expect(await shown()).toEqual(['a: one'])
    await memory.undo()
    expect(await shown()).toEqual([])
    await memory.undo()
    expect(await shown()).toEqual(['a: two'])
  })

  it('of one origin says that there is nothing, where all was cleaned up', async () => {
    const { memory, wait } = await newDesk()
    await memory.remember('short', { name: 'n', ttl: '1s' })
    wait(2 * SECOND)
    await memory.cleanup()
    await expect(memory.undo({ by: 'agent' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(memory.undo()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it.each(Array.from({ length: isNightly ? 60 : 20 }, (_, index) => index + 1))(
    'is never stuck, seed %i',
    async (seed) => {
      const random = randomOf(seed)
      const pick = <T>(from: readonly [T, ...T[]]): T => from[Math.floor(random() * from.length)] ?? from[0]
      const { memory, wait, shown } = await newDesk()
      const told: string[] = []
      for (let step = 0; step < 25; step++) {
        const what = pick([...WRITES, 'wait', 'wait', 'cleanup', 'undo', 'undo', 'redo'])
        told.push(what)
        if (what === 'write') {
          const ttl = pick<{ readonly ttl?: string }>([{}, { ttl: '1h' }, { ttl: '3h' }])
          await memory.remember(`text ${step}`, { name: pick(['a', 'b']), ...ttl })
        } else if (what === 'context') await memory.setContext('k', `value ${step}`)
        else if (what === 'forget') for (const { id } of (await memory.list()).slice(0, 1)) await memory.forget(id)
        else if (what === 'wait') wait(pick([2, 4, 30]) * HOUR)
        else if (what === 'cleanup') await memory.cleanup()
        else if (what === 'undo') {
          const before = await shown()
          const number = await undone(memory)
          if (number === undefined || random() < 0.5) continue
          told.push('and redo')
          await memory.undo({ changes: [number] })
          expect(await shown(), told.join(', ')).toEqual(before)
        } else {
          const newest = (await memory.log({ limit: 100 })).find(
            (one) => one.change.reverts !== undefined && one.undoneBy === undefined,
          )
          if (newest) await memory.undo({ changes: [newest.change.number], withLater: true })
        }
      }
      // To the very beginning, one by one.
      for (let left = 100; (await undone(memory)) !== undefined; left--)
        expect(left, told.join(', ')).toBeGreaterThan(0)
      expect(await shown(), told.join(', ')).toEqual([])
    },
  )
})

/** The number of the undo; `undefined`: there was nothing to take back. Anything else in its way is a failure. */
async function undone(memory: Memory): Promise<number | undefined> {
  try {
    const { change } = await memory.undo()
    expect(change).toBeDefined()
    return change?.number
  } catch (error) {
    expect(error).toMatchObject({ code: 'NOT_FOUND' })
    return undefined
  }
}

function randomOf(seed: number): () => number {
  let state = seed * 7919
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}
