/** Lines that a program writes, or a file holds: each is a message, nothing is asked, and an interruption ends all of it. */
import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'
import type { Lines } from './lines.ts'

export function pipedLines(input: Readable, stopped: AbortSignal): Lines {
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  stopped.addEventListener('abort', () => reader.close(), { once: true })
  const lines = reader[Symbol.asyncIterator]()
  return {
    next: async () => {
      const { done, value } = await lines.next()
      return done || stopped.aborted ? undefined : value
    },
    during: (work) => work(stopped),
    close: () => reader.close(),
  }
}
