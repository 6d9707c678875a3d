/** Live updates: what changed of what an agent sees, told over one open answer until its reader goes. */
import type { ServerResponse } from 'node:http'
import type { SeenChange } from '../follow/entry-changes.ts'
import { followMemory } from '../follow/follow-memory.ts'
import { HEADERS } from '../http/exchange.ts'
import type { Memory } from '../memory.ts'
import type { ChangeEvent } from './contract.ts'

/** So that nobody on the way takes it for dead, and we notice who has gone. */
const ALIVE_MS = 15_000
/** A reader that does not read is let go: what waits for it is held in memory. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024

export class EventStreams {
  readonly #open = new Set<ServerResponse>()

  /** Resolves when its reader has gone. */
  async stream(memory: Memory, res: ServerResponse): Promise<void> {
    const gone = new Promise<void>((resolve) => res.once('close', resolve))
    this.#open.add(res)
    const tell = (text: string): void => {
      if (res.writableLength > MOST_WAITING_BYTES) res.destroy()
      else res.write(text)
    }
    // First of all: what changes while the watch begins is told, too.
    res.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' }).flushHeaders()
    const watch = await followMemory(memory, (changes) =>
      tell(`event: change\ndata: ${JSON.stringify(eventOf(changes))}\n\n`),
    )
    const alive = setInterval(() => tell(': alive\n\n'), ALIVE_MS).unref()
    try {
      // What changes from here on is told: who reads this may load what it shows.
      tell('event: ready\ndata: {}\n\n')
      await gone
    } finally {
      clearInterval(alive)
      this.#open.delete(res)
      await watch.stop()
    }
  }

  close(): void {
    for (const res of this.#open) res.end()
  }
}

function eventOf(changes: readonly SeenChange[]): ChangeEvent {
  return {
    ids: changes.flatMap(({ is }) => is?.id ?? []),
    gone: changes.flatMap(({ was, is }) => (was && !is ? was.id : [])),
  }
}
