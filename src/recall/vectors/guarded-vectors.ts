/**
 * The vectors of a store, with an eye on what keeps them from being asked: a search does without them then, and must be able to tell their
 * failure from any other.
 */
import { type ErrorCode, isKeepsakeError, KeepsakeError } from '../../errors.ts'
import type { CallOptions } from '../../ports/store.ts'
import type { NativeVectors, VectorProgress } from '../../ports/vectors.ts'

const OBSTACLES: readonly ErrorCode[] = ['IO', 'TIMEOUT', 'FOREIGN']

export class GuardedVectors implements NativeVectors {
  readonly #vectors: NativeVectors
  readonly #blamed = new WeakSet<KeepsakeError>()
  #obstacle: KeepsakeError | undefined

  constructor(vectors: NativeVectors) {
    this.#vectors = vectors
  }

  /** The error of the last call; missing where it went well. */
  get obstacle(): KeepsakeError | undefined {
    return this.#obstacle
  }

  /** Whether it was ever thrown here. */
  isBlamed(error: unknown): boolean {
    return isKeepsakeError(error) && this.#blamed.has(error)
  }

  /** Anything that is done for the vectors' sake. */
  async guard<T>(work: () => Promise<T>, { signal }: CallOptions = {}): Promise<T> {
    try {
      const done = await work()
      this.#obstacle = undefined
      return done
    } catch (error) {
      signal?.throwIfAborted()
      if (!isKeepsakeError(error) || !OBSTACLES.includes(error.code)) throw error
      this.#blamed.add(error)
      this.#obstacle = error
      throw error
    }
  }

  progress: NativeVectors['progress'] = (options) => this.guard(() => this.#vectors.progress(options), options)

  touchedAfter: NativeVectors['touchedAfter'] = (number, options) =>
    this.guard(() => this.#vectors.touchedAfter(number, options), options)

  begin: NativeVectors['begin'] = (progress, options) =>
    this.guard(() => this.#vectors.begin(progress, options), options)

  advance: NativeVectors['advance'] = (progress, options) =>
    this.guard(() => this.#vectors.advance(progress, options), options)

  put: NativeVectors['put'] = (entries, options) => this.guard(() => this.#vectors.put(entries, options), options)

  remove: NativeVectors['remove'] = (ids, options) => this.guard(() => this.#vectors.remove(ids, options), options)

  read: NativeVectors['read'] = (ids, options) => this.guard(() => this.#vectors.read(ids, options), options)

  nearest: NativeVectors['nearest'] = (query, wish) => this.guard(() => this.#vectors.nearest(query, wish), wish)
}

/** Why they can't be compared; missing where they can. `dimensions`: of what the model makes, where that is known. */
export function difference(
  progress: VectorProgress | undefined,
  model: string,
  dimensions: number | undefined,
): KeepsakeError | undefined {
  if (!progress) return undefined
  const isOther = progress.model !== model
  if (!isOther && (dimensions ?? progress.dimensions) === progress.dimensions) return undefined
  const problem = isOther
    ? `the vectors of this memory are of ${progress.model}, not of ${model}`
    : `the vectors of this memory have ${progress.dimensions} numbers, and ${model} makes ${dimensions} now`
  const back = isOther ? `Set embedding_model to ${progress.model}, or make` : 'Make'
  return new KeepsakeError('CONFLICT', problem, {
    hint: `${back} all of them anew, for every agent: keepsake embed --anew`,
    data: { made: progress.model, model },
  })
}
