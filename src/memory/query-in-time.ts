/** The vector of a query, within a time of its own: who searches waits for an answer, and a server may take its time or never answer. */
import { KeepsakeError } from '../errors.ts'
import type { CallOptions } from '../ports/store.ts'
import type { Meaning } from '../recall/vectors/meaning.ts'

export async function queryInTime(
  meaning: Meaning,
  text: string,
  withinMs: number,
  { signal }: CallOptions,
): Promise<Float32Array> {
  const clock = new AbortController()
  const timer = setTimeout(() => clock.abort(tooSlow(meaning.source.model, withinMs)), withinMs)
  const within = signal ? AbortSignal.any([signal, clock.signal]) : clock.signal
  try {
    // Not everything that embeds heeds a signal.
    return await Promise.race([meaning.queryVector(text, { signal: within }), aborted(within)])
  } finally {
    clearTimeout(timer)
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function tooSlow(model: string, withinMs: number): KeepsakeError {
  return new KeepsakeError('TIMEOUT', `${model} made no vector of the query within ${withinMs / 1000} s`, {
    hint: 'Is its server busy, or does it hang? Search by words meanwhile: mode lexical.',
    data: { withinMs },
  })
}
