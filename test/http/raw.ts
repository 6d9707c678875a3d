/** Requests as bare bytes on a socket, and what the server sends back until it closes. For requests that no client would make. */
import { connect } from 'node:net'
import { expect } from 'vitest'

export type Bytes = string | Uint8Array | readonly (string | Uint8Array)[]

export interface Raw {
  /** Of the first response; undefined if the connection closed without one. */
  readonly status: number | undefined
  readonly text: string
}

/** Sends the bytes as they are, part by part, and reads until the server closes. */
export function raw(port: number, bytes: Bytes, host = '127.0.0.1'): Promise<Raw> {
  const parts: readonly (string | Uint8Array)[] =
    typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, host)
    // A reset after the response, or while still sending, is the server closing.
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      text += part.toString('latin1')
      // Clients stop sending when they get a 413.
      if (text.startsWith('HTTP/1.1 413')) socket.end()
    })
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
      resolve({ status: status === undefined ? undefined : Number(status), text })
    })
    for (const part of parts) socket.write(part)
  })
}

export type Headers = Readonly<Record<string, string | undefined>>

export interface Head {
  readonly method?: string
  readonly path?: string
  readonly version?: string
  /** Added to those of a good request, or in their place; undefined leaves one out. */
  readonly headers?: Headers
  readonly moreLines?: readonly string[]
}

/** A whole request with `body`, after which the connection closes. */
export function requestText(
  port: number,
  body: string,
  { method = 'POST', path = '/', version = '1.1', headers, moreLines = [] }: Head = {},
): string {
  const all: Headers = {
    Host: `127.0.0.1:${port}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return `${[`${method} ${path} HTTP/${version}`, ...lines, ...moreLines].join('\r\n')}\r\n\r\n${body}`
}

export type Expected = number | readonly number[] | 'closed'

/** The expected status, and nothing that helps the sender: no stack trace, no CORS header, no long text. */
export function expectRefused({ status, text }: Raw, expected: Expected): void {
  if (expected === 'closed') expect(text).toBe('')
  else expect([expected].flat(), text).toContain(status)
  expectNothingRevealed(text)
}

export function expectNothingRevealed(text: string): void {
  expect(text).not.toMatch(/\bat .*\.(?:ts|js|mjs):\d|node_modules|node:internal/)
  expect(text.toLowerCase()).not.toContain('access-control-')
  expect(text.length).toBeLessThan(2_000)
}
