/**
 * A memory served over Streamable HTTP: one port, one path, both eras of the protocol. Beyond loopback there is no serving
 * without a token, and the end waits for no client.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { InvalidError, KeepsakeError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { type ServedMemory, serverFactory } from '../server.ts'
import { Subscriptions } from '../subscriptions.ts'
import { answer, type Endpoint } from './endpoint.ts'
import { MCP_PATH } from './guard.ts'
import { allowedHosts, checkedNames, isLoopback, urlHost } from './hosts.ts'
import { HTTP_LIMITS, type HttpLimits } from './limits.ts'
import { httpServer, listening } from './listen.ts'
import { ModernEra } from './modern.ts'
import { LegacySessions } from './sessions.ts'
import { type TokenCheck, tokenCheck } from './token.ts'

export interface HttpOptions {
  readonly host: string
  /** 0 picks one that is free. */
  readonly port: number
  readonly token?: string
  /** Host names beside those of loopback and `host`, with or without a port. */
  readonly allowHosts?: readonly string[]
  readonly signal: AbortSignal
}

export interface HttpServing {
  readonly url: string
  /** Resolves when no connection is left, soon after the signal. */
  readonly closed: Promise<void>
}

/** How long an answer that was told to end may take for its last bytes. */
const LAST_BYTES_MS = 500

export async function serveMcpHttp(
  served: ServedMemory,
  options: HttpOptions,
  limits: HttpLimits = HTTP_LIMITS,
  clock: Clock = Date.now,
): Promise<HttpServing> {
  const { host, token, names } = checked(options)
  const factory = serverFactory(served)
  const modern = new ModernEra(factory, new Subscriptions(served.memory))
  const sessions = new LegacySessions(factory, limits, clock)

  const http = httpServer(limits)
  const port = await listening(http, host, options.port)
  const endpoint: Endpoint = { rules: { hosts: allowedHosts(host, port, names), token }, limits, modern, sessions }
  http.on('request', (req, res) => answer(req, res, endpoint))
  http.on('checkContinue', (req, res) => answer(req, res, endpoint))
  return { url: `http://${urlHost(host)}:${port}${MCP_PATH}`, closed: closedAfter(options.signal, http, endpoint) }
}

async function closedAfter(signal: AbortSignal, http: Server, { modern, sessions, limits }: Endpoint): Promise<void> {
  const sweep = setInterval(() => sessions.closeIdle(), limits.sessionIdleMs / 30).unref()
  if (!signal.aborted) await once(signal, 'abort')
  clearInterval(sweep)
  const closed = once(http, 'close')
  http.close()
  setTimeout(() => http.closeAllConnections(), LAST_BYTES_MS).unref()
  await Promise.all([closed, modern.close(), sessions.close()])
}

function checked(options: HttpOptions): {
  readonly host: string
  readonly token: TokenCheck | undefined
  readonly names: readonly string[]
} {
  const host = options.host.toLowerCase()
  // Node takes an empty host for all of them.
  if (host === '') throw new InvalidError('host', 'is empty', 'an address of this machine, such as 127.0.0.1')
  if (!Number.isInteger(options.port) || options.port < 0 || options.port > 65_535) {
    throw new InvalidError('port', `${options.port} is no port`, '0 (any that is free) to 65535')
  }
  if (options.token === undefined && !isLoopback(host)) {
    throw new KeepsakeError('INVALID', `a token is needed to serve ${host}, which other machines can reach`, {
      hint: 'Make one with: (umask 077; openssl rand -hex 32 > token), and start with --token-file token',
      data: { field: 'token', host },
    })
  }
  return {
    host,
    token: options.token === undefined ? undefined : tokenCheck(options.token),
    names: checkedNames(options.allowHosts ?? []),
  }
}
