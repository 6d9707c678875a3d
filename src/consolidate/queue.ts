/**
 * One at a time: of all that condense for one agent, in this process in the order they came, and across processes by a lease. So
 * the memory that a model is shown holds what the one before has written. The store's lock is not held meanwhile, only this.
 */
import { KeepsakeError } from '../errors.ts'
import type { Memory } from '../memory.ts'
import type { CallOptions, Lease, Store } from '../ports/store.ts'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1000
const MOST_WAITING_MS = 600_000

const tails = new WeakMap<Store, Map<string, Promise<unknown>>>()

interface QueueOptions extends CallOptions {
  /** Called once, where it has to wait. */
  readonly onWait?: () => void
}

export async function inQueue<T>(
  { store, agent }: Pick<Memory, 'store' | 'agent'>,
  { signal, onWait = () => undefined }: QueueOptions,
  run: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const queue = tails.get(store) ?? new Map<string, Promise<unknown>>()
  tails.set(store, queue)
  const before = queue.get(agent)
  if (before) onWait()
  const begun = new AbortController()
  const turn = (before ?? Promise.resolve()).then(() => {
    // From here on it ends when its own steps do: who is told of an abort must know that nothing is written after it.
    begun.abort()
    return leased(store, agent, { ...(signal ? { signal } : {}), ...(before ? {} : { onWait }) }, run)
  })
  const tail = turn.catch(() => undefined).finally(() => queue.get(agent) === tail && queue.delete(agent))
  queue.set(agent, tail)
  return signal ? Promise.race([turn, abortedBefore(begun.signal, signal)]) : turn
}

/** Who gives up waits no longer for those before; the place in the queue passes by. */
function abortedBefore(begun: AbortSignal, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: begun })
  })
}

async function leased<T>(store: Store, agent: string, options: QueueOptions, run: () => Promise<T>): Promise<T> {
  options.signal?.throwIfAborted()
  const lease = await patientLease(store, agent, options)
  try {
    return await run()
  } finally {
    await lease.release()
  }
}

async function patientLease(
  store: Store,
  agent: string,
  { signal, onWait = () => undefined }: QueueOptions,
): Promise<Lease> {
  let waitedMs = 0
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const lease = await store.lease(`condense-${agent}`)
    if (lease) return lease
    if (waitedMs === 0) onWait()
    if (waitedMs >= MOST_WAITING_MS) throw stillCondensing(agent, waitedMs)
    await pause(pauseMs, signal)
    waitedMs += pauseMs
  }
}

function stillCondensing(agent: string, waitedMs: number): KeepsakeError {
  const minutes = Math.round(waitedMs / 60_000)
  return new KeepsakeError(
    'LOCKED',
    `another program has been condensing for agent "${agent}" for ${minutes} minutes`,
    {
      hint: 'Nothing is lost: the conversation stays as it is. End that program, or try again later.',
      data: { agent, waitedMs },
    },
  )
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) onAbort()
  })
}
