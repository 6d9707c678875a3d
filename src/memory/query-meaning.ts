/**
 * What a search by meaning waits for: the model, and the vector of its query. Each has its time, for a server may take its own or never
 * answer. Whatever goes wrong with a model, one that a program gave too, is an error of ours here.
 */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { Embed } from '../ports/embed.ts'
import type { CallOptions } from '../ports/store.ts'
import type { Meaning } from '../recall/vectors/meaning.ts'
import { inTime } from './in-time.ts'

/** Loading is not ended with the waiting: the next search may have it. */
export async function loadedInTime<T>(load: () => Promise<T>, withinMs: number, { signal }: CallOptions): Promise<T> {
  const tooSlow = (): KeepsakeError =>
    new KeepsakeError('TIMEOUT', `the embedding model was not loaded within ${withinMs / 1000} s`, {
      hint: 'Loading goes on. Search by words meanwhile: mode lexical.',
      data: { withinMs },
    })
  try {
    return await inTime({ withinMs, tooSlow, signal }, load)
  } catch (error) {
    signal?.throwIfAborted()
    throw modelFailure('the embedding model', error)
  }
}

/** `undefined`: the model does not tell texts like this apart, and `mayRefuse`. */
export async function queryInTime(
  { meaning, embed, text }: { readonly meaning: Meaning; readonly embed: Embed; readonly text: string },
  mayRefuse: boolean,
  withinMs: number,
  { signal }: CallOptions,
): Promise<Float32Array | undefined> {
  const { model } = meaning.source
  const tooSlow = (): KeepsakeError =>
    new KeepsakeError('TIMEOUT', `${model} made no vector of the query within ${withinMs / 1000} s`, {
      hint: 'Is its server busy, or does it hang? Search by words meanwhile: mode lexical.',
      data: { withinMs },
    })
  try {
    if (mayRefuse && embed.reads?.(text) === false) return undefined
    const vector = await inTime({ withinMs, tooSlow, signal }, (within) =>
      meaning.queryVector(text, { signal: within }),
    )
    if (vector.every(Number.isFinite)) return vector
  } catch (error) {
    signal?.throwIfAborted()
    throw modelFailure(model, error)
  }
  throw new KeepsakeError('MODEL', `${model} made a vector that holds what is no number`)
}

/** What is thrown may be anything. */
export function modelFailure(what: string, error: unknown): KeepsakeError {
  if (isKeepsakeError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new KeepsakeError('MODEL', `${what} failed: ${message.replace(/\.$/, '')}`, { cause: error })
}
