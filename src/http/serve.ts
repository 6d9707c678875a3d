/**
 * One address, and the parts that are served there. Each request passes the guard and goes to the part whose it is. Beyond loopback
 * there is no serving without a token, and the end waits for no client. Nothing is logged.
 */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { isRefused, plainErrorText, refuse } from './exchange.ts'
import { NOTHING_HERE, type Rules, refusalOf } from './guard.ts'
import { allowedHosts, checkedNames, isLoopback, urlHost } from './hosts.ts'
import { HTTP_LIMITS, type HttpLimits } from './limits.ts'
import { httpServer, listening } from './listen.ts'
import type { Part, Refusal } from './part.ts'
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
  /** Without a path, and without a slash at its end. */
  readonly origin: string
  /** Resolves when no connection is left, soon after the signal. */
  readonly closed: Promise<void>
}

/** What parts are made with, once it is known where they are served. */
export interface Serving {
  readonly origin: string
  readonly token: TokenCheck | undefined
  readonly limits: HttpLimits
}

/** How long an answer that was told to end may take for its last bytes. */
const LAST_BYTES_MS = 500

export async function serveHttp(
  options: HttpOptions,
  partsOf: (serving: Serving) => readonly Part[],
  limits: HttpLimits = HTTP_LIMITS,
): Promise<HttpServing> {
  const { host, token, names } = checked(options)
  const http = httpServer(limits)
  const port = await listening(http, host, options.port)
  const origin = `http://${urlHost(host)}:${port}`
  const parts = partsOf({ origin, token, limits })
  const rules: Rules = { hosts: allowedHosts(host, port, names) }
  const answered = (req: IncomingMessage, res: ServerResponse): Promise<void> => answer(req, res, parts, rules)
  http.on('request', answered)
  http.on('checkContinue', answered)
  return { origin, closed: closedAfter(options.signal, http, parts) }
}

async function answer(req: IncomingMessage, res: ServerResponse, parts: readonly Part[], rules: Rules): Promise<void> {
  if (isRefused(req)) return
  const part = parts.find((one) => one.owns(req.url ?? ''))
  const textOf = (refusal: Refusal): string => part?.errorText(refusal) ?? plainErrorText(refusal.message)
  const refusal = refusalOf(req, part, rules)
  if (refusal !== undefined || part === undefined) {
    const told = refusal ?? NOTHING_HERE
    return refuse(req, res, told, textOf(told))
  }
  try {
    await part.answer(req, res)
  } catch {
    // A mistake of ours, or the end of the server: the client learns no more than that.
    const failed = { status: 500, message: 'Internal server error.' }
    if (res.headersSent) res.destroy()
    else refuse(req, res, failed, textOf(failed))
  }
}

async function closedAfter(signal: AbortSignal, http: Server, parts: readonly Part[]): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
  const closed = once(http, 'close')
  http.close()
  setTimeout(() => http.closeAllConnections(), LAST_BYTES_MS).unref()
  await Promise.all([closed, ...parts.map((part) => part.close())])
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
      hint: 'Leave --no-token out, or listen at 127.0.0.1.',
      data: { field: 'token', host },
    })
  }
  return {
    host,
    token: options.token === undefined ? undefined : tokenCheck(options.token),
    names: checkedNames(options.allowHosts ?? []),
  }
}
