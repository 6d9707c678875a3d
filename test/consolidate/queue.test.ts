/** One at a time for each agent; who gives up waiting leaves the queue, and one that fails does not stop it. */
import { describe, expect, it, vi } from 'vitest'
import { inQueue } from '../../src/consolidate/queue.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/stores/memory.ts'

function opened(): Memory {
  return new Memory(memoryStore(), 'main', Date.now)
}

function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

describe('the queue of those who condense', () => {
  it('lets one in at a time, in the order they came, and others of other agents at once', async () => {
    const memory = opened()
    const order: string[] = []
    const first = gate()
    const runs = [
      inQueue(memory, {}, async () => {
        order.push('first begins')
        await first.passed
        order.push('first ends')
        throw new Error('but badly')
      }).catch((error: Error) => error.message),
      inQueue(memory.as('main'), {}, async () => order.push('second')),
      inQueue(memory, {}, async () => order.push('third')),
    ]
    await inQueue(memory.as('other'), {}, async () => order.push('of another agent'))
    first.open()
    expect((await Promise.all(runs))[0]).toBe('but badly')
    expect(order).toEqual(['first begins', 'of another agent', 'first ends', 'second', 'third'])
  })

  it('waits for who holds the lease elsewhere, and says so once', async () => {
    const memory = opened()
    const lease = await memory.store.lease('condense-main')
    let waits = 0
    const asked = vi.spyOn(memory.store, 'lease')
    const run = inQueue(memory, { onWait: () => waits++ }, async () => 'done')
    await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(2), { timeout: 30_000 })
    await lease?.release()
    expect(await run).toBe('done')
    expect(waits).toBe(1)
    expect(await memory.store.lease('condense-main')).toBeDefined()
  })

  it('lets go of who gives up, before and during the wait', async () => {
    const memory = opened()
    const lease = await memory.store.lease('condense-main')
    const [early, late] = [new AbortController(), new AbortController()]
    const ran: string[] = []
    const first = inQueue(memory, { signal: early.signal }, async () => ran.push('first'))
    const second = inQueue(memory, { signal: late.signal }, async () => ran.push('second'))
    late.abort(new Error('second gave up'))
    await expect(second).rejects.toThrow('second gave up')
    early.abort(new Error('first gave up'))
    await expect(first).rejects.toThrow('first gave up')
    await expect(inQueue(memory, { signal: early.signal }, async () => ran.push('never'))).rejects.toThrow('gave up')
    await lease?.release()
    await inQueue(memory, {}, async () => ran.push('third'))
    expect(ran).toEqual(['third'])
  })
})
