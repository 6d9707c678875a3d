/**
 * The sessions of clients of the 2025 protocols: a server instance each, which lives from `initialize` until the client
 * ends it, is idle for too long, or is the oldest idle one when there is no room. Newer clients have none.
 * A session's id is not a right: whoever sends one has passed the same checks as for a new session.
 */
import { randomBytes } from 'node:crypto'
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  type McpServer,
  type McpServerFactory,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Clock } from '../../ports/clock.ts'
import { errorText } from './exchange.ts'

const ID_BYTES = 24

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  server: McpServer | Server | undefined
  /** Answers under way, each with the calls that it is to answer; none on the stream of notices. With one it is not idle. */
  readonly open: Set<readonly RequestId[]>
  idleSince: number
}

export interface SessionLimits {
  readonly sessions: number
  readonly sessionIdleMs: number
}

export class LegacySessions {
  readonly #sessions = new Map<string, Session>()
  readonly #factory: McpServerFactory
  readonly #limits: SessionLimits
  readonly #clock: Clock

  constructor(factory: McpServerFactory, limits: SessionLimits, clock: Clock) {
    this.#factory = factory
    this.#limits = limits
    this.#clock = clock
  }

  /** Answers a request that passed the guard; `over` is aborted when the last byte of the answer is sent or nobody takes it. */
  async handle(request: Request, body: unknown, over: AbortSignal): Promise<Response> {
    this.closeIdle()
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const session = this.#sessions.get(id)
      return session === undefined ? refused(404, 'Session not found.') : this.#answer(session, request, body, over)
    }
    if (isInitializeRequest(body)) return this.#begin(request, body, over)
    return refused(400, 'A request other than initialize needs its Mcp-Session-Id header.')
  }

  /** Ends what no client has used for long. */
  closeIdle(): void {
    const before = this.#clock() - this.#limits.sessionIdleMs
    for (const [id, session] of this.#sessions) {
      if (session.open.size === 0 && session.idleSince <= before) this.#end(id)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)))
  }

  async #begin(request: Request, body: unknown, over: AbortSignal): Promise<Response> {
    if (!this.#makeRoom()) return refused(503, 'Too many sessions are in use. Try again later.')
    const id = randomBytes(ID_BYTES).toString('base64url')
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#end(id),
    })
    const session: Session = { transport, server: undefined, open: new Set(), idleSince: this.#clock() }
    // Before anything is waited for: many that begin at once count each other.
    this.#sessions.set(id, session)
    const beginning: RequestId[] = []
    session.open.add(beginning)
    try {
      session.server = await this.#factory({ era: 'legacy', requestInfo: request })
      await session.server.connect(transport)
    } catch (error) {
      this.#sessions.delete(id)
      throw error
    } finally {
      session.open.delete(beginning)
    }
    const response = await this.#answer(session, request, body, over)
    if (!response.ok) await this.#end(id)
    return response
  }

  async #answer(session: Session, request: Request, body: unknown, over: AbortSignal): Promise<Response> {
    if (over.aborted) return refused(400, 'The client has gone.')
    const calls = [body].flat().flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []))
    const ended = () => {
      session.open.delete(calls)
      session.idleSince = this.#clock()
    }
    session.open.add(calls)
    over.addEventListener('abort', ended, { once: true })
    return session.transport.handleRequest(request, { parsedBody: body })
  }

  /** Whether one more may begin, after the oldest idle one had to make room for it. */
  #makeRoom(): boolean {
    if (this.#sessions.size < this.#limits.sessions) return true
    const idle = [...this.#sessions].filter(([, session]) => session.open.size === 0)
    const oldest = idle.sort(([, a], [, b]) => a.idleSince - b.idleSince)[0]
    if (oldest === undefined) return false
    this.#end(oldest[0])
    return true
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    this.#sessions.delete(id)
    if (session === undefined) return
    // Else a client of that time waits for its answer until it gives up.
    for (const call of [...session.open].flat()) await session.transport.send(endError(call)).catch(() => undefined)
    await session.server?.close().catch(() => undefined)
  }
}

function endError(id: RequestId): JSONRPCErrorResponse {
  return { jsonrpc: '2.0', id, error: { code: -32000, message: 'The session has ended.' } }
}

function refused(status: number, message: string): Response {
  return new Response(errorText(message), { status, headers: { 'Content-Type': 'application/json' } })
}
