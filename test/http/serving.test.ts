/** Where serveHttp listens, with which options it refuses to, which added Hosts it answers, and how it treats slow senders. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listening } from '../../src/http/listen.ts'
import type { Part } from '../../src/http/part.ts'
import { type HttpOptions, type HttpServing, serveHttp } from '../../src/http/serve.ts'
import { rememberCall, request, type Served, serveFurnished } from '../mcp/http-served.ts'
import { raw, requestText } from './raw.ts'

const TOKEN = 'a-token-of-this-test-0123456789'

describe('serving is refused', () => {
  const serve = (options: Partial<HttpOptions>): Promise<HttpServing> =>
    serveHttp({ host: '127.0.0.1', port: 0, signal: AbortSignal.abort(), ...options }, () => [])

  it.each(['0.0.0.0', '::', '192.0.2.7', 'memory.example.org', '::ffff:127.0.0.1', '127.example.org'])(
    'beyond loopback without a token: %s',
    async (host) => {
      await expect(serve({ host })).rejects.toMatchObject({
        code: 'INVALID',
        message: expect.stringContaining(host),
        hint: expect.stringContaining('--no-token'),
      })
    },
  )

  it.each(['short', '', 'fifteen letters', 'with a blank in between', 'wïth-ünüsüal-létters', `${TOKEN}\n`])(
    'with the bad token %j, which no error repeats',
    async (token) => {
      const error = await serve({ token }).catch((caught) => caught)
      expect(error).toMatchObject({ code: 'INVALID', data: { field: 'token' } })
      if (token !== '') expect(JSON.stringify([error.message, error.hint, error.data])).not.toContain(token)
    },
  )

  it.each(['', 'http://x', '*', '*.example.org', 'a b', '::1', 'x:port', 'x/mcp'])(
    'with the bad host name %j',
    async (name) => {
      await expect(serve({ allowHosts: [name] })).rejects.toMatchObject({
        code: 'INVALID',
        data: { field: 'allow-host' },
      })
    },
  )

  it('on a bad host or port', async () => {
    await expect(serve({ host: '' })).rejects.toMatchObject({ code: 'INVALID', data: { field: 'host' } })
    for (const port of [-1, 65_536, 1.5, Number.NaN]) {
      await expect(serve({ port })).rejects.toMatchObject({ code: 'INVALID', data: { field: 'port' } })
    }
    await expect(serve({ host: '192.0.2.7', token: TOKEN })).rejects.toMatchObject({
      code: 'IO',
      hint: expect.stringContaining('--host'),
    })
  })

  it('on a port in use, and says what to do', async () => {
    const { port } = await serveFurnished()
    await expect(serve({ port })).rejects.toMatchObject({
      code: 'IO',
      message: `can't listen on 127.0.0.1 port ${port}: another program uses it`,
      hint: expect.stringContaining('--port'),
    })
  })
})

describe('serving', () => {
  it('ends at once if it was aborted before', async () => {
    const { closed } = await serveHttp({ host: '127.0.0.1', port: 0, signal: AbortSignal.abort() }, () => [])
    await closed
  })

  it('goes on after later errors of the port', async () => {
    const http = createServer((_req, res) => res.end('here'))
    const port = await listening(http, '127.0.0.1', 0)
    for (let n = 0; n < 3; n++) http.emit('error', new Error('too many open files'))
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here')
    http.close()
  })
})

describe('added Hosts', () => {
  let served: Served

  beforeAll(async () => {
    served = await serveFurnished({ allowHosts: ['Memory.example.org', 'other.example.org:8443'] })
  })

  it.each<[string, number]>([
    ['memory.example.org', 200],
    ['memory.example.org:PORT', 200],
    ['memory.example.org:8443', 403],
    ['other.example.org:8443', 200],
    ['other.example.org', 403],
    ['x.memory.example.org', 403],
  ])('%s: %i', async (name, expected) => {
    const { port } = served
    const headers = { Host: name.replace('PORT', String(port)) }
    expect((await raw(port, request(port, rememberCall(), { headers }))).status).toBe(expected)
  })
})

describe('a client that reads only after sending', () => {
  it.each([
    ['too much', 413, {}],
    ['a refused type', 415, { 'Content-Type': 'text/plain' }],
  ] as const)('reads why %s was refused', async (_what, status, headers) => {
    const { port } = await serveFurnished({ limits: { bodyBytes: 1_000 } })
    const text = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connect(port, '127.0.0.1').pause()
      socket.on('error', () => undefined).on('close', () => resolve(received))
      socket.on('data', (part) => {
        received += part.toString('latin1')
      })
      // Listening makes it read.
      socket.pause()
      socket.write(request(port, 'x'.repeat(4 * 1024 * 1024), { headers }), () => socket.resume())
    })
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
  })
})

describe('a client that sends byte by byte', () => {
  it('is cut off, in headers and in body, while others are served', async () => {
    const { port } = await serveFurnished({ limits: { headersMs: 1000, requestMs: 1500, checkMs: 50 } })
    const drip = async (first: string): Promise<string> => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.on('error', () => undefined)
      socket.on('data', (part) => {
        text += part.toString('latin1')
      })
      socket.write(first)
      const dripping = setInterval(() => socket.write('x'), 20)
      await new Promise((resolve) => socket.once('close', resolve))
      clearInterval(dripping)
      return text
    }
    const head = request(port, '', { headers: { 'Content-Length': '100000' } })
    const slow = [drip(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `), drip(head)]
    expect((await raw(port, request(port, rememberCall()))).status).toBe(200)
    for (const text of await Promise.all(slow)) expect(text).toMatch(/^HTTP\/1\.1 408/)
  })
})

describe('the end of serving', () => {
  it('cuts off an answer that does not end, within a second', async () => {
    const ending = new AbortController()
    const begun = new EventTarget()
    const answering = once(begun, 'answer')
    const part: Part = {
      owns: () => true,
      refusalOf: () => undefined,
      errorText: ({ message }) => message,
      answer: async (_, res) => {
        res.write('begun')
        begun.dispatchEvent(new Event('answer'))
      },
      close: async () => undefined,
    }
    const serving = await serveHttp({ host: '127.0.0.1', port: 0, signal: ending.signal }, () => [part])
    const { port } = new URL(serving.origin)
    const answer = raw(Number(port), requestText(Number(port), '', { method: 'GET' }))
    await answering
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    ending.abort()
    await vi.advanceTimersByTimeAsync(1_000)
    await serving.closed
    expect((await answer).text).toContain('begun')
  })
})
