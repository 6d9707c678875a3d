/** MCP over HTTP: the token, the headers of every answer, sessions of the 2025 protocols, and the command that serves. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Desk, ended } from '../cli/keepsake.ts'
import { type Head, raw } from '../http/raw.ts'
import { ERAS, eventually } from './harness.ts'
import { connected, rememberCall, request, type Served, serveFurnished } from './http-served.ts'

const TOKEN = 'a-token-of-this-test-0123456789'

const GOOD = rememberCall({ content: 'Written.' })
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})
const LEGACY = { 'MCP-Protocol-Version': undefined, 'Mcp-Method': undefined, 'Mcp-Name': undefined }

async function statusOf({ port }: Served, body: string, head: Head = {}): Promise<number | undefined> {
  return (await raw(port, request(port, body, head))).status
}

/** The id of a new session. */
async function begin({ port }: Served): Promise<string | undefined> {
  const { text } = await raw(port, request(port, INITIALIZE, { headers: LEGACY }))
  return /mcp-session-id: (\S+)/i.exec(text)?.[1]
}

function list(served: Served, session: string | undefined): Promise<number | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
  return statusOf(served, body, { headers: { ...LEGACY, 'Mcp-Session-Id': session } })
}

describe('a token', () => {
  let served: Served

  beforeAll(async () => {
    served = await serveFurnished({ token: TOKEN })
  })

  it('is wanted for a stream too', async () => {
    expect(await statusOf(served, '', { method: 'GET' })).toBe(401)
  })

  it.each(ERAS)('lets a client in, %s', async (era) => {
    await expect(connected(served, era)).rejects.toThrow()
    const client = await connected(served, era, { token: TOKEN })
    expect((await client.listTools()).tools.length).toBeGreaterThan(3)
    await client.close()
  })
})

describe('every answer', () => {
  it('is not stored, not sniffed, and has no CORS header; the root says what this is', async () => {
    const served = await serveFurnished({ host: 'localhost' })
    const ask = async (body: string, head: Head = {}) => (await fetchRaw(served.url, body, head)).toLowerCase()
    const { port } = served
    const preflight: Head = {
      method: 'OPTIONS',
      headers: { Origin: `http://localhost:${port}`, 'Access-Control-Request-Method': 'POST' },
    }
    const answers = [
      await ask(GOOD),
      await ask(INITIALIZE, { headers: LEGACY }),
      await ask('', { method: 'GET', path: '/' }),
      await ask('', preflight),
      await ask('', { path: '/elsewhere' }),
      await ask('{'),
    ]
    for (const text of answers) {
      expect(text).toContain('cache-control: no-store\r\n')
      expect(text).toContain('x-content-type-options: nosniff\r\n')
      expect(text).not.toContain('access-control')
      expect(text).not.toContain('x-powered-by')
    }
    expect(answers[2]).toContain('keepsake')
    expect(answers[3]).toMatch(/^http\/1\.1 405/)
  })

  it('comes also at IPv6, to HTTP/1.0, and to who asks before sending', async () => {
    const served = await serveFurnished({ host: '::1' })
    expect(served.url).toBe(`http://[::1]:${served.port}/mcp`)
    expect(await fetchRaw(served.url, GOOD)).toMatch(/^HTTP\/1\.1 200/)
    expect(await fetchRaw(served.url, GOOD, { version: '1.0' })).toMatch(/^HTTP\/1\.1 200/)
    const asked = await fetchRaw(served.url, GOOD, { headers: { Expect: '100-continue' } })
    expect(asked).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/)
  })
})

/** As `raw`, wherever the server listens. */
async function fetchRaw(url: string, body: string, head: Head = {}): Promise<string> {
  const { hostname, port, host } = new URL(url)
  const text = request(Number(port), body, { ...head, headers: { Host: host, ...head.headers } })
  return (await raw(Number(port), text, hostname.replace(/[[\]]/g, ''))).text
}

describe('a session of the 2025 protocols', () => {
  let now = 0
  let served: Served

  beforeAll(async () => {
    served = await serveFurnished({ limits: { sessions: 3, sessionIdleMs: 60_000 }, clock: () => now })
  })

  it('has an id that nobody guesses, works with it only, and ends when it is told to', async () => {
    const [first, second] = [await begin(served), await begin(served)]
    expect(first).toMatch(/^[\w-]{32}$/)
    expect(second).not.toBe(first)
    expect(await list(served, first)).toBe(200)
    expect(await list(served, first?.toLowerCase())).toBe(404)
    expect(await list(served, undefined)).toBe(400)
    expect(await statusOf(served, INITIALIZE, { headers: { ...LEGACY, 'Mcp-Session-Id': first } })).toBe(400)
    const ending: Head = { method: 'DELETE', headers: { ...LEGACY, 'Mcp-Session-Id': first } }
    expect(await statusOf(served, '', ending)).toBe(200)
    expect(await statusOf(served, '', ending)).toBe(404)
    expect(await list(served, first)).toBe(404)
    expect(await list(served, second)).toBe(200)
  })

  it('ends when idle for long', async () => {
    const id = await begin(served)
    now += 59_999
    expect(await list(served, id)).toBe(200)
    now += 59_999
    expect(await list(served, id)).toBe(200)
    now += 60_000
    expect(await list(served, id)).toBe(404)
  })

  it('makes room when it is the oldest idle one; one with a stream open is not idle', async () => {
    now += 60_000
    const streaming = await begin(served)
    const stream = connect(served.port, '127.0.0.1')
    stream.write(request(served.port, '', { method: 'GET', headers: { ...LEGACY, 'Mcp-Session-Id': streaming } }))
    await new Promise((resolve) => stream.once('data', resolve))
    const oldest = await begin(served)
    now += 10
    const newer = await begin(served)
    now += 10
    const newest = await begin(served)
    expect(await list(served, oldest)).toBe(404)
    expect([await list(served, streaming), await list(served, newer), await list(served, newest)]).toEqual([
      200, 200, 200,
    ])
    now += 3_600_000
    expect(await list(served, newer)).toBe(404)
    expect(await list(served, streaming)).toBe(200)
    stream.destroy()
  })

  it('is not begun while all of them are in use, and is again when one is not', async () => {
    now += 7_200_000
    const streams = []
    for (let n = 0; n < 3; n++) {
      const id = await begin(served)
      const stream = connect(served.port, '127.0.0.1')
      stream.write(request(served.port, '', { method: 'GET', headers: { ...LEGACY, 'Mcp-Session-Id': id } }))
      await new Promise((resolve) => stream.once('data', resolve))
      streams.push(stream)
    }
    expect(await statusOf(served, INITIALIZE, { headers: LEGACY })).toBe(503)
    expect(await statusOf(served, GOOD)).toBe(200)
    streams[0]?.destroy()
    const id = await eventually(
      () => begin(served),
      (begun) => begun !== undefined,
    )
    expect(id).toBeDefined()
    for (const stream of streams) stream.destroy()
  })
})

describe('the command', () => {
  const desk = new Desk()
  let server: ReturnType<Desk['start']>
  let url: string

  beforeAll(async () => {
    server = desk.start(['mcp', '--http', '--port', '0'])
    url = await new Promise((resolve, reject) => {
      let text = ''
      server.stdout.on('data', (part) => {
        text += part
        const found = /http:\/\/\S+\/mcp/.exec(text)?.[0]
        if (found) resolve(found)
      })
      server.on('exit', () => reject(new Error(`it ended: ${text}`)))
    })
  })

  it.each(ERAS)('serves a client, %s', async (era) => {
    const client = await connected({ url }, era)
    const { isError } = await client.callTool({ name: 'remember', arguments: { content: `Over HTTP, ${era}.` } })
    expect(isError).toBeUndefined()
    expect(JSON.stringify(await client.callTool({ name: 'recall', arguments: { query: era } }))).toContain('Over HTTP')
    await client.close()
  })

  it('ends with a signal, also with a stream open', async () => {
    const client = await connected({ url }, 'modern')
    await client.listen({ resourcesListChanged: true })
    server.kill('SIGTERM')
    expect((await ended(server)).status).toBe(0)
    await client.close().catch(() => undefined)
  })

  it('wants a token beyond loopback, from a file or the environment, and never shows it', async () => {
    const without = await desk.run(['mcp', '--http', '--host', '0.0.0.0', '--port', '0'])
    expect(without).toMatchObject({ status: 2, stderr: expect.stringContaining('--token-file') })
    const short = await desk.run(['mcp', '--http', '--port', '0'], { env: { KEEPSAKE_MCP_TOKEN: 'tiny-secret' } })
    expect(short.status).toBe(2)
    expect(short.stdout + short.stderr).not.toContain('tiny-secret')
  })

  afterAll(() => {
    server.kill('SIGKILL')
  })
})
