/** The MCP server on two streams: one client, from its first line until its input ends. */
import type { Readable, Writable } from 'node:stream'
import { isJSONRPCRequest, type JSONRPCMessage, type RequestId, type Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { LineTransport, type Passage } from './line-transport.ts'
import { acknowledgedBy, cancelledBy } from './message.ts'
import { type ServedMemory, serverFor } from './server.ts'
import { Subscriptions, wishOf } from './subscriptions.ts'

export interface Streams {
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
}

/**
 * Resolves when the input has ended, or the signal said so, and all is closed: whether all calls before the input's end were
 * answered. The memory stays open.
 */
export async function serveMcpStdio(
  served: ServedMemory,
  { input, output, signal }: Streams,
): Promise<'answered' | 'cut off'> {
  const subscriptions = new Subscriptions(served.memory)
  const transport = new LineTransport(input, output, new Streamed(subscriptions))
  const handle = serveStdio(({ era }): Server => serverFor(served, subscriptions, era), { transport })
  const stop = (): void => {
    handle.close().catch(() => transport.close())
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  await transport.closed
  signal.removeEventListener('abort', stop)
  await handle.close()
  await subscriptions.close()
  return transport.hasCutOff ? 'cut off' : 'answered'
}

/**
 * A subscription of the 2026 era is held by the SDK, which passes on what the server tells to those who asked for it. Which
 * ones it takes on is seen only as it says so; that waits until the memory is watched, so that what changes after it is told.
 */
class Streamed implements Passage {
  readonly #subscriptions: Subscriptions
  /** Neither taken on yet, nor refused, nor cancelled. */
  readonly #asked = new Set<RequestId>()

  constructor(subscriptions: Subscriptions) {
    this.#subscriptions = subscriptions
  }

  arriving(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') this.#asked.add(message.id)
    const cancelled = cancelledBy(message)
    if (cancelled === undefined) return
    this.#asked.delete(cancelled)
    this.#subscriptions.drop(streamKey(cancelled)).catch(() => undefined)
  }

  async leaving(message: JSONRPCMessage): Promise<void> {
    const acknowledged = acknowledgedBy(message)
    if (acknowledged) await this.#follow(acknowledged.id, acknowledged.notifications)
    else if (!('method' in message) && message.id !== undefined) this.#asked.delete(message.id)
  }

  async #follow(id: RequestId, notifications: unknown): Promise<void> {
    const wish = wishOf(notifications)
    if (this.#asked.delete(id) && wish) await this.#subscriptions.want(streamKey(id), wish)
  }
}

/** Apart from the keys of the 2025 era, which a cancelled call there must not hit. */
function streamKey(id: RequestId): string {
  return `stream ${JSON.stringify(id)}`
}
