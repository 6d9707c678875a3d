/**
 * What failed a moment ago, and is not tried again for as long: a server that hangs or is gone costs one search its patience, and not
 * every one.
 */
import type { KeepsakeError } from '../errors.ts'

const PAUSE_MS = 30_000

export class RecentFailures {
  readonly #failures = new WeakMap<object, { readonly error: KeepsakeError; readonly atMs: number }>()

  of(what: object): KeepsakeError | undefined {
    const failure = this.#failures.get(what)
    return failure && performance.now() - failure.atMs < PAUSE_MS ? failure.error : undefined
  }

  add(what: object, error: KeepsakeError): void {
    this.#failures.set(what, { error, atMs: performance.now() })
  }

  forget(what: object): void {
    this.#failures.delete(what)
  }
}
