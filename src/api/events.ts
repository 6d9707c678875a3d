/** Live updates: one open response per reader reports what changed for one agent, or for all of them. */
import type { ServerResponse } from 'node:http'
import type { Followed, SeenChange } from '../follow/entry-changes.ts'
import { followMemory } from '../follow/follow-memory.ts'
import { HEADERS } from '../http/exchange.ts'
import type { ChangeEvent, ReadyEvent } from './contract.ts'
import { memoryRevision } from './memory-revision.ts'

/** So that nobody on the way takes it for dead, and we notice who has gone. */
const ALIVE_MS = 15_000
/** A reader that does not read is let go: what waits for it is held in memory. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024

const EVENT_HEADERS = { ...HEADERS, 'Content-Type': 'text/event-stream' } as const

export class EventStreams {
  readonly #open = new Set<ServerResponse>()

  /** Resolves when its reader has gone. */
  async stream(memory: Followed, res: ServerResponse): Promise<void> {
    if (res.req.method === 'HEAD') return void res.writeHead(200, EVENT_HEADERS).end()
    const gone = new Promise<void>((resolve) => res.once('close', resolve))
    this.#open.add(res)
    const tell = (text: string): void => {
      if (res.writableLength > MOST_WAITING_BYTES) res.destroy()
      else res.write(text)
    }
    // First of all: what changes while the watch begins is told, too.
    res.writeHead(200, EVENT_HEADERS).flushHeaders()
    const watch = await followMemory(memory, (changes) =>
      tell(`event: change\ndata: ${JSON.stringify(eventOf(changes))}\n\n`),
    )
    const alive = setInterval(() => tell(': alive\n\n'), ALIVE_MS).unref()
    try {
      // The watch starts first, so no change is missed between this revision and the first event.
      tell(`event: ready\ndata: ${JSON.stringify(await readyEvent(memory))}\n\n`)
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

async function readyEvent({ store }: Followed): Promise<ReadyEvent> {
  try {
    return { revision: await memoryRevision(store, await store.heads({})) }
  } catch {
    return {} // Unreadable for now; each request reports why.
  }
}

function eventOf(changes: readonly SeenChange[]): ChangeEvent {
  return {
    ids: changes.flatMap(({ is }) => is?.id ?? []),
    gone: changes.flatMap(({ was, is }) => (was && !is ? was.id : [])),
    scopes: [...new Set(changes.flatMap(({ was, is }) => [was, is].flatMap((seen) => seen?.scope ?? [])))],
  }
}
