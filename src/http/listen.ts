/** A port that is listened on, with the limits that keep slow or endless requests from holding it. */
import { createServer, type Server } from 'node:http'
import { KeepsakeError } from '../errors.ts'
import { rawRefusal } from './exchange.ts'
import type { HttpLimits } from './limits.ts'

const HEADER_BYTES = 16 * 1024

export function httpServer(limits: HttpLimits): Server {
  const http = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: HEADER_BYTES,
    insecureHTTPParser: false,
    keepAlive: true,
  })
  http.maxConnections = limits.connections
  // Node drops what is over this count, and a dropped Origin is one that nobody checks. The bytes are bounded anyway.
  http.maxHeadersCount = 0
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return
    const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? [
      '400 Bad Request',
      'This is not HTTP as it should be.',
    ]
    socket.end(rawRefusal(status, message))
  })
  return http
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}

/** The port that it listens on now. */
export function listening(http: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // Not once: later ones, such as of a connection that can't be taken for want of descriptors, must not end the server.
    http.on('error', (cause: NodeJS.ErrnoException) => reject(listenError(host, port, cause)))
    http.listen({ host, port }, () => {
      const address = http.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

const LISTEN_ERRORS: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  EADDRINUSE: ['another program uses it', 'Choose another with --port, or 0 for any that is free.'],
  EACCES: ['this user may not use it', 'Choose one above 1023 with --port.'],
  EADDRNOTAVAIL: ['this machine has no such address', 'Give one of its own addresses with --host.'],
  ENOTFOUND: ['the name is not known', 'Give an address of this machine with --host.'],
}

function listenError(host: string, port: number, cause: NodeJS.ErrnoException): KeepsakeError {
  const [problem, hint] = LISTEN_ERRORS[cause.code ?? ''] ?? [cause.message, 'Choose others with --host and --port.']
  return new KeepsakeError('IO', `can't listen on ${host} port ${port}: ${problem}`, {
    hint,
    data: { host, port },
    cause,
  })
}
