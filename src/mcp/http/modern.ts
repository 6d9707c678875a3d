/**
 * Clients of the 2026 protocol: no sessions, a server instance for each request, cancelled by hanging up. One kind of
 * request stays open, to be told of changes; while one does, the memory is watched.
 */
import { createMcpHandler, type McpHttpHandler, type McpServerFactory } from '@modelcontextprotocol/server'
import type { Subscriptions } from '../notices.ts'

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
    const wish = listenWish(body)
    // Before the SDK says that it listens: what changes from that moment on is told.
    if (wish !== undefined) await this.#listen(wish, over)
    return this.#handler.fetch(request, { parsedBody: body })
  }

  async close(): Promise<void> {
    await Promise.all([this.#handler.close(), this.#subscriptions.close()])
  }

  async #listen(wish: { readonly uris: readonly string[]; readonly list: boolean }, over: AbortSignal): Promise<void> {
    const key = this.#listened++
    const drop = () => void this.#subscriptions.drop(key).catch(() => undefined)
    over.addEventListener('abort', drop, { once: true })
    await this.#subscriptions.want(key, wish)
    if (over.aborted) drop()
  }
}

/** What a request to listen wants to hear of. Whether it is well formed is for the SDK to say. */
function listenWish(body: unknown): { readonly uris: readonly string[]; readonly list: boolean } | undefined {
  if (field(body, 'method') !== 'subscriptions/listen') return undefined
  const wanted = field(field(body, 'params'), 'notifications')
  const uris = field(wanted, 'resourceSubscriptions')
  return {
    uris: Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [],
    list: field(wanted, 'resourcesListChanged') === true,
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
