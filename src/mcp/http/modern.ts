/**
 * Clients of the 2026 protocol: no sessions, a server instance for each request, cancelled by hanging up. One kind of
 * request stays open, to be told of changes; while one does, the memory is watched.
 */
import {
  createMcpHandler,
  isJSONRPCRequest,
  type JSONRPCRequest,
  type McpHttpHandler,
  type McpServerFactory,
} from '@modelcontextprotocol/server'
import { type Subscriptions, type Wish, wishOf } from '../subscriptions.ts'

export class ModernEra {
  readonly #handler: McpHttpHandler
  readonly #subscriptions: Subscriptions
  #listened = 0

  constructor(factory: McpServerFactory, subscriptions: Subscriptions) {
    this.#handler = createMcpHandler(factory, { legacy: 'reject' })
    this.#subscriptions = subscriptions
    const { notify } = this.#handler
    subscriptions.tellTo({
      sendResourceUpdated: async ({ uri }) => notify.resourceUpdated(uri),
      sendResourceListChanged: async () => notify.resourcesChanged(),
    })
  }

  /** Answers a request that passed the guard; `over` is aborted when the last byte of the answer is sent or nobody takes it. */
  async handle(request: Request, body: unknown, over: AbortSignal): Promise<Response> {
    const response = await this.#handler.fetch(request, { parsedBody: body })
    // Before the client reads that it is listened for: what changes from that moment on is told.
    if (isAcknowledged(body, response)) await this.#listen(wishOf(body.params?.['notifications']), over)
    return response
  }

  async close(): Promise<void> {
    await Promise.all([this.#handler.close(), this.#subscriptions.close()])
  }

  async #listen(wish: Wish | undefined, over: AbortSignal): Promise<void> {
    if (!wish || over.aborted) return
    const key = this.#listened++
    const drop = () => void this.#subscriptions.drop(key).catch(() => undefined)
    over.addEventListener('abort', drop, { once: true })
    await this.#subscriptions.want(key, wish)
  }
}

/** Whether the SDK took on a request to listen: it refuses with an error in place of a stream. */
function isAcknowledged(body: unknown, { headers }: Response): body is JSONRPCRequest {
  const isStream = headers.get('content-type') === 'text/event-stream'
  return isStream && isJSONRPCRequest(body) && body.method === 'subscriptions/listen'
}
