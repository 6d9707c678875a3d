/**
 * The one path where MCP is served, to both eras of the protocol. Each request passes the guard, then has its body read
 * within bounds, then goes to the era that it speaks. Nothing is logged.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import { readJson } from './body.ts'
import { isRefused, refuse, send, sendText, webRequest } from './exchange.ts'
import { MCP_PATH, type Rules, refusalOf } from './guard.ts'
import type { HttpLimits } from './limits.ts'
import type { ModernEra } from './modern.ts'
import type { LegacySessions } from './sessions.ts'

const ABOUT = `Keepsake: a memory for AI agents, served over MCP. Connect a client to ${MCP_PATH}.\n`

export interface Endpoint {
  readonly rules: Rules
  readonly limits: HttpLimits
  readonly modern: ModernEra
  readonly sessions: LegacySessions
}

export async function answer(req: IncomingMessage, res: ServerResponse, endpoint: Endpoint): Promise<void> {
  try {
    await answerWell(req, res, endpoint)
  } catch {
    // A mistake of ours, or the end of the server: the client learns no more than that.
    if (res.headersSent) res.destroy()
    else refuse(req, res, { status: 500, message: 'Internal server error.' })
  }
}

async function answerWell(req: IncomingMessage, res: ServerResponse, endpoint: Endpoint): Promise<void> {
  if (isRefused(req)) return
  const { rules, limits, modern, sessions } = endpoint
  const refusal = refusalOf(req, rules)
  if (refusal !== undefined) return refuse(req, res, refusal)
  if (req.url === '/') return sendText(res, ABOUT)

  const body = req.method === 'POST' ? await readJson(req, res, limits) : { value: undefined }
  if (body === undefined || res.destroyed) return
  if ('status' in body) return refuse(req, res, body)

  const over = new AbortController()
  res.once('close', () => over.abort())
  const request = webRequest(req, over.signal)
  const era = (await isLegacyRequest(request, body.value)) ? sessions : modern
  await send(res, await era.handle(request, body.value, over.signal))
}
