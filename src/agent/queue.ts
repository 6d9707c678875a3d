/**
 * What is said in one session stands in a queue, in this process: an answer is to what came before it. By store, so that two
 * agents made on one memory share it.
 */
import type { Memory } from '../memory.ts'
import { abortable } from '../model/abortable.ts'
import type { Store } from '../ports/store.ts'

const QUEUES = new WeakMap<Store, Map<string, Promise<void>>>()

/** Who gives up waiting never runs; who runs is not cut short here. */
export async function inTurn<T>(
  { store, agent }: Memory,
  session: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const queue = QUEUES.get(store) ?? new Map<string, Promise<void>>()
  QUEUES.set(store, queue)
  const key = JSON.stringify([agent, session])
  const before = queue.get(key) ?? Promise.resolve()
  const mine = abortable(() => before, signal).then(work)
  const after = Promise.allSettled([before, mine]).then(() => undefined)
  queue.set(key, after)
  void after.then(() => {
    if (queue.get(key) === after) queue.delete(key)
  })
  return mine
}
