/** A memory served over Streamable HTTP and nothing besides: `keepsake mcp --http`. */
import { sendText } from '../../http/exchange.ts'
import { bodyRefusal, methodRefusal, READ_METHODS } from '../../http/guard.ts'
import { HTTP_LIMITS, type HttpLimits } from '../../http/limits.ts'
import type { Part } from '../../http/part.ts'
import { type HttpOptions, serveHttp } from '../../http/serve.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ServedMemory } from '../server.ts'
import { errorText } from './exchange.ts'
import { MCP_PATH, mcpPart } from './mcp-part.ts'

export interface McpServing {
  readonly url: string
  readonly closed: Promise<void>
}

const ABOUT = `Keepsake: a memory for AI agents, served over MCP. Connect a client to ${MCP_PATH}.\n`

export async function serveMcpHttp(
  served: ServedMemory,
  options: HttpOptions,
  limits: HttpLimits = HTTP_LIMITS,
  clock: Clock = Date.now,
): Promise<McpServing> {
  const partsOf = (serving: Parameters<typeof mcpPart>[1]): Part[] => [mcpPart(served, serving, clock), aboutPart()]
  const { origin, closed } = await serveHttp(options, partsOf, limits)
  return { url: `${origin}${MCP_PATH}`, closed }
}

/** It says nothing about the memory, and a person's browser has no token to show. */
function aboutPart(): Part {
  return {
    owns: (target) => target === '/',
    refusalOf: (req) => methodRefusal(req, READ_METHODS) ?? bodyRefusal(req),
    errorText: ({ message }) => errorText(message),
    answer: async (_, res) => sendText(res, ABOUT),
    close: async () => undefined,
  }
}
