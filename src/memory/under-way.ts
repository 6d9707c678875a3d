/**
 * Work that goes on for long, such as an embedding, and must be over before the store is closed: a memory that closes tells it so, and
 * waits for it to put away what it has done. Not without end: what heeds no signal is left to fail at what is closed.
 */
import { KeepsakeError } from '../errors.ts'

const LONGEST_WAIT_MS = 2000

export class UnderWay {
  readonly #closing = new AbortController()
  readonly #works = new Set<Promise<unknown>>()

  async run<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#closing
    signal.throwIfAborted()
    const running = work(given ? AbortSignal.any([given, signal]) : signal)
    this.#works.add(running)
    try {
      return await running
    } finally {
      this.#works.delete(running)
    }
  }

  async end(): Promise<void> {
    this.#closing.abort(new KeepsakeError('CLOSED', 'the memory is closed', { hint: 'Open it again.' }))
    if (this.#works.size === 0) return
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LONGEST_WAIT_MS)
    })
    await Promise.race([Promise.allSettled(this.#works), tooLong])
    clearTimeout(timer)
  }
}
