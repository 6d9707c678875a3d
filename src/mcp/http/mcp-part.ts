/** The one path where MCP is served, to both eras of the protocol: a request has its body read within bounds, and goes to the era that it speaks. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import { readJson } from '../../http/body.ts'
import { refuse } from '../../http/exchange.ts'
import { bodyRefusal, methodRefusal, tokenRefusal } from '../../http/guard.ts'
import type { Part } from '../../http/part.ts'
import type { Serving } from '../../http/serve.ts'
import type { Clock } from '../../ports/clock.ts'
import { type ServedMemory, serverFactory } from '../server.ts'
import { Subscriptions } from '../subscriptions.ts'
import { errorText, send, webRequest } from './exchange.ts'
import { ModernEra } from './modern.ts'
import { LegacySessions } from './sessions.ts'

export const MCP_PATH = '/mcp'

const METHODS = ['POST', 'GET', 'DELETE']

export function mcpPart(served: ServedMemory, { token, limits }: Serving, clock: Clock = Date.now): Part {
  const factory = serverFactory(served)
  const modern = new ModernEra(factory, new Subscriptions(served.memory))
  const sessions = new LegacySessions(factory, limits, clock)
  const sweep = setInterval(() => sessions.closeIdle(), limits.sessionIdleMs / 30).unref()

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = req.method === 'POST' ? await readJson(req, res, limits) : { value: undefined }
    if (body === undefined || res.destroyed) return
    if ('status' in body) return refuse(req, res, body, errorText(body.message))
    const over = new AbortController()
    res.once('close', () => over.abort())
    const request = webRequest(req, over.signal)
    const era = (await isLegacyRequest(request, body.value)) ? sessions : modern
    await send(res, await era.handle(request, body.value, over.signal))
  }

  return {
    // An absolute URL, a query, a dot segment or an escape is another path.
    owns: (target) => target === MCP_PATH,
    refusalOf: (req) => methodRefusal(req, METHODS) ?? tokenRefusal(req, token) ?? bodyRefusal(req),
    errorText: ({ message }) => errorText(message),
    answer,
    close: async () => {
      clearInterval(sweep)
      await Promise.all([modern.close(), sessions.close()])
    },
  }
}
