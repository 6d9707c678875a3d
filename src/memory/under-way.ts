/**
 * Work that goes on for long, such as an embedding or a search that embeds, and must be over before the store is closed: a memory that
 * closes tells it so, and waits for it to put away what it has done. Not without end: what heeds no signal is left to fail at what is
 * closed.
 */
import { KeepsakeError } from '../errors.ts'
import { onAbort } from './on-abort.ts'

const LONGEST_WAIT_MS = 2000

export class UnderWay {
  /** Each with what ends it. One signal for all would gather whoever ever listened to it. */
  readonly #works = new Map<Promise<unknown>, AbortController>()
  #isEnded = false

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
