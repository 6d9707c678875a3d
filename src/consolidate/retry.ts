/**
 * What fell back, tried again: each raw archive becomes what it would have been, in one change, oldest first. Turns that are still live are
 * condensed as ever, and what a failure leaves of them is kept raw again. Those that a session has left behind are asked about apart, and
 * nothing in that session moves. One that fails again stays as it is, and so do those that were done before it.
 */
import { isKeepsakeError } from '../errors.ts'
import type { Memory, Turn } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import { opensExchange } from '../model/opens-exchange.ts'
import { requireOptions } from '../model/options.ts'
import { condenseThrough } from './consolidate.ts'
import { CONDENSING_OPTIONS, type CondensingOptions, type Consolidated, nothingDone } from './consolidated.ts'
import { inQueue } from './queue.ts'
import { isRaw, rawArchives } from './raw-archives.ts'
import { retryApart } from './retry-apart.ts'
import { type Run, runOf, withWarningsOf } from './run.ts'

export async function retryFallbacks(memory: Memory, options: CondensingOptions): Promise<readonly Consolidated[]> {
  requireOptions(options, 'retryFallbacks', CONDENSING_OPTIONS)
  const done: Consolidated[] = []
  const call = options.signal ? { signal: options.signal } : {}
  // Where a crash came between, it is all done but for the files.
  const warnings = [...(await memory.absorb(call)).warnings]
  for (const { id, metadata } of await rawArchives(memory, call)) {
    const run = runOf(memory, String(metadata['session']), options)
    run.warnings.push(...warnings.splice(0))
    const queue = { ...run.call, onWait: () => run.told('waiting') }
    const retried = await inQueue(memory, queue, () => retry(run, id)).catch((error) => failedAlone(run, error))
    if (retried) done.push(withWarningsOf(run, retried))
  }
  return done
}

/** What can't be written now is told, and the next is tried; who gives up wants none of them. */
function failedAlone({ session, call }: Run, error: unknown): Consolidated {
  call.signal?.throwIfAborted()
  if (!isKeepsakeError(error)) throw error
  return { ...nothingDone(session.key), outcome: 'fell back', failure: error }
}

/** `undefined`: it was condensed, or taken away, meanwhile. */
async function retry(run: Run, id: string): Promise<Consolidated | undefined> {
  const raw = await run.memory.get(id, run.call)
  if (!raw || !isRaw(raw)) return undefined
  const { turns } = await run.session.view(run.call)
  const through = liveEnd(turns, raw)
  if (through === undefined) return retryApart(run, raw)
  const reason = raw.metadata['reason'] === 'trim' ? 'trim' : 'compact'
  return condenseThrough(run, turns, { through, reason })
}

/** The last turn of the exchange that the archive ends in, where its turns are live; that exchange may have gone on since. */
function liveEnd(turns: readonly Turn[], { metadata }: Entry): string | undefined {
  const last = turns.findLastIndex(({ id }) => id === metadata['through'])
  if (last < 0 || metadata['reason'] === 'new') return undefined
  const next = turns.findIndex((turn, index) => index > last && opensExchange(turn))
  return turns.at(next < 0 ? -1 : next - 1)?.id
}
