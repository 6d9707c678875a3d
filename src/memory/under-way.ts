/**
 * Long work, such as embedding, that must end before the store is closed: closing a memory aborts it and waits until its results are
 * saved. The wait is limited: work that ignores the signal fails later, on the closed store. Background work runs one job at a
 * time, and is aborted when a caller does the same in the foreground.
 */
import { KeepsakeError } from '../errors.ts'
import { onAbort } from '../model/on-abort.ts'

const LONGEST_WAIT_MS = 2000

export class UnderWay {
  /** Each with what ends it. One signal for all would gather whoever ever listened to it. */
  readonly #works = new Map<Promise<unknown>, AbortController>()
  #isEnded = false
  #background: { readonly ending: AbortController; readonly done: Promise<void> } | undefined
  /** How many callers do the same work in the foreground. */
  #foreground = 0

  /** `CLOSED` where it is ended already. */
  async run<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#isEnded) throw memoryClosed()
    given?.throwIfAborted()
    const ending = new AbortController()
    const leave = given && onAbort(given, () => ending.abort(given.reason))
    const running = work(ending.signal)
    this.#works.set(running, ending)
    try {
      return await running
    } finally {
      this.#works.delete(running)
      leave?.()
    }
  }

  /** Starts background work, unless some is running. The work must handle its own failures. */
  startInBackground(work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#background || this.#foreground > 0) return
    const ending = new AbortController()
    const ended = (): void => {
      this.#background = undefined
    }
    this.#background = { ending, done: this.run(ending.signal, work).then(ended, ended) }
  }

  /** Like `run`, after it has stopped the background work. None starts meanwhile. */
  runInForeground<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.run(given, async (signal) => {
      this.#foreground++
      try {
        this.#background?.ending.abort()
        await this.#background?.done
        return await work(signal)
      } finally {
        this.#foreground--
      }
    })
  }

  async end(): Promise<void> {
    this.#isEnded = true
    if (this.#works.size === 0) return
    for (const ending of this.#works.values()) ending.abort(memoryClosed())
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LONGEST_WAIT_MS)
    })
    await Promise.race([Promise.allSettled(this.#works.keys()), tooLong])
    clearTimeout(timer)
  }
}

export function memoryClosed(): KeepsakeError {
  return new KeepsakeError('CLOSED', 'the memory is closed', { hint: 'Open it again.' })
}
