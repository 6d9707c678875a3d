/**
 * The MCP server: one definition for both eras of the protocol, for stdio and for HTTP. A server is made for each connection
 * or request, and costs little; the memory and its tools live outside and are shared by all of them.
 */
import {
  type JsonSchemaValidator,
  type McpRequestContext,
  type McpServerFactory,
  ResourceNotFoundError,
  Server,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import { lookAgain } from '../follow/follow-memory.ts'
import type { Memory } from '../memory.ts'
import type { Tool } from '../tools/index.ts'
import { canonicalUri } from './resource-uri.ts'
import { serveResources } from './resources.ts'
import { Subscriptions } from './subscriptions.ts'
import { serveTools } from './tools.ts'

export interface ServedMemory {
  readonly memory: Memory
  readonly tools: readonly Tool[]
  /** For the model, from the memory's directive. */
  readonly instructions: string
  readonly version: string
}

/** For what serves many connections; each server ends its subscriptions when it is closed. */
export function serverFactory(served: ServedMemory): McpServerFactory {
  return ({ era }) => {
    const subscriptions = new Subscriptions(served.memory)
    const server = serverFor(served, subscriptions, era)
    server.onclose = () => {
      subscriptions.close().catch(() => undefined)
    }
    return server
  }
}

export type Era = McpRequestContext['era']

export function serverFor(served: ServedMemory, subscriptions: Subscriptions, era: Era): Server {
  const { memory, tools, instructions, version } = served
  const server = new Server(
    { name: 'keepsake', title: 'Keepsake', version },
    {
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, completions: {} },
      instructions,
      jsonSchemaValidator: NEVER_ASKED,
    },
  )
  subscriptions.tellTo(server)
  serveTools(server, tools, () => lookAgain(memory))
  if (era === 'modern') {
    // Subscriptions are streams there, which whoever serves the connection holds.
    serveResources(server, memory, async () => undefined)
  } else {
    // Who has a list hears when it is out of date. Before that there is nothing to watch for.
    serveResources(server, memory, () => subscriptions.want(THE_LIST, { uris: [], list: true }))
    serveSubscriptions(server, subscriptions)
  }
  return server
}

/** The SDK validates only what it asks a client for, and we ask for nothing. Its own validator takes long to load. */
const NEVER_ASKED: NonNullable<ServerOptions['jsonSchemaValidator']> = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return () => ({ valid: false, data: undefined, errorMessage: 'nothing is validated here' })
  },
}

/** Not an address, so that no subscription can have this key. */
const THE_LIST = 'the list'

function serveSubscriptions(server: Server, subscriptions: Subscriptions): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (canonicalUri(uri) === undefined) throw new ResourceNotFoundError(uri)
    // There is no subscribing to the list in that era, and who follows a part of it wants to hear of it.
    await subscriptions.want(uri, { uris: [uri], list: true })
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    await subscriptions.drop(uri)
    return {}
  })
}
