/** The MCP server on two streams: one client, from its first line until its input ends. */
import type { Readable, Writable } from 'node:stream'
import { isJSONRPCRequest, type JSONRPCMessage, type Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { cancelledBy, LineTransport } from './line-transport.ts'
import { Subscriptions } from './notices.ts'
import { type ServedMemory, serverFor } from './server.ts'

export interface Streams {
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
}

/** Resolves when the input has ended, or the signal said so, and all is closed. The memory stays open. */
export async function serveMcpStdio(
  served: Promise<ServedMemory> | ServedMemory,
  { input, output, signal }: Streams,
): Promise<void> {
  const ready = await served
  const subscriptions = new Subscriptions(ready.memory)
  const transport = new LineTransport(input, output, (message) => followed(message, subscriptions))
  const handle = serveStdio(({ era }): Server => serverFor(ready, subscriptions, era), { transport })
  const stop = (): void => {
    handle.close()
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  await transport.closed
  signal.removeEventListener('abort', stop)
  await handle.close()
  await subscriptions.close()
}

/**
 * A subscription of the 2026 era is held by the SDK, which passes on what the server tells to those who asked for it; that
 * someone asked is seen only here. Awaited, so that what changes after its acknowledgement is told.
 */
function followed(message: JSONRPCMessage, subscriptions: Subscriptions): Promise<void> | undefined {
  const cancelled = cancelledBy(message)
  if (cancelled !== undefined) return subscriptions.drop(streamKey(cancelled))
  if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return undefined
  const { resourceSubscriptions, resourcesListChanged } = Object(message.params?.['notifications'])
  const uris = Array.isArray(resourceSubscriptions)
    ? resourceSubscriptions.filter((uri) => typeof uri === 'string')
    : []
  const list = resourcesListChanged === true
  return uris.length === 0 && !list ? undefined : subscriptions.want(streamKey(message.id), { uris, list })
}

/** Apart from the keys of the 2025 era, which a cancelled call there must not hit. */
function streamKey(id: string | number): string {
  return `stream ${JSON.stringify(id)}`
}
