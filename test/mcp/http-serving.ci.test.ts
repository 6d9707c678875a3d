/** MCP over HTTP: the token, the headers of every answer, sessions of the 2025 protocols, and the command that serves. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
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
  const kept = join(desk.folder, 'home/.local/state/keepsake/token')
  let server: Started

  beforeAll(async () => {
    server = await started(desk)
  })

  it('lets in only clients that send the token it created', async () => {
    const token = readFileSync(kept, 'utf8').trim()
    const ask = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(server.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
        body: INITIALIZE,
      })
    for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: `Basic ${token}` }]) {
      const refused = await ask(headers)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="keepsake"'])
      expect(await refused.json()).toMatchObject({
        error: {
          message: expect.stringMatching(/token of this server is missing or wrong.*Authorization: Bearer TOKEN/),
        },
      })
    }
    expect((await ask({ Authorization: `Bearer ${token}` })).status).toBe(200)
  })

  it.each(ERAS)('serves a client, %s', async (era) => {
    await expect(connected(server, era)).rejects.toThrow()
    const client = await connected(server, era, { token: readFileSync(kept, 'utf8').trim() })
    const { isError } = await client.callTool({ name: 'remember', arguments: { content: `Over HTTP, ${era}.` } })
    expect(isError).toBeUndefined()
    expect(JSON.stringify(await client.callTool({ name: 'recall', arguments: { query: era } }))).toContain('Over HTTP')
    await client.close()
  })

  it('ends on a signal even with a stream open, never prints the token, and uses the same one next time', async () => {
    const token = readFileSync(kept, 'utf8').trim()
    const client = await connected(server, 'modern', { token })
    await client.listen({ resourcesListChanged: true })
    server.child.kill('SIGTERM')
    const { status, stdout, stderr } = await server.over
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('keepsake install CLIENT --http')
    expect(stdout).not.toContain(token)
    await client.close().catch(() => undefined)
    const again = await started(desk)
    await (await connected(again, 'modern', { token })).close()
    again.child.kill('SIGTERM')
    await again.over
  })

  it('lets in a client with the entry that install wrote, under `mcp --http` and `serve`', async () => {
    const serving = await started(desk, ['serve', '--port', '0'])
    await desk.make(['install', 'claude', '--http', '--port', new URL(serving.url).port])
    const { url, headers } = JSON.parse(readFileSync(join(desk.folder, '.mcp.json'), 'utf8')).mcpServers.keepsake
    expect(url).toBe(serving.url)
    await expect(connected({ url }, 'modern')).rejects.toThrow()
    const client = await connected({ url }, 'modern', { token: headers.Authorization.replace('Bearer ', '') })
    expect((await client.listTools()).tools.length).toBeGreaterThan(3)
    await client.close()
    serving.child.kill('SIGINT')
    const { stdout, stderr } = await serving.over
    expect(stdout + stderr).not.toContain(headers.Authorization)
  })

  it.each([['mcp', '--http'], ['serve']])('lets everyone in with --no-token, and says so: %s', async (...words) => {
    const open = await started(desk, [...words, '--port', '0', '--no-token'])
    await (await connected(open, 'modern')).close()
    open.child.kill('SIGINT')
    expect((await open.over).stderr).toBe(
      `keepsake: warning: Anyone who can reach ${new URL(open.url).host} on this machine can read and change this memory.\n`,
    )
  })

  it('always has a token beyond loopback, and never shows it', async () => {
    const without = await desk.run(['mcp', '--http', '--host', '0.0.0.0', '--port', '0', '--no-token'])
    expect(without).toMatchObject({ status: 2, stderr: expect.stringContaining('Leave --no-token out') })
    const short = await desk.run(['mcp', '--http', '--port', '0'], { env: { KEEPSAKE_MCP_TOKEN: 'tiny-secret' } })
    expect(short.status).toBe(2)
    expect(short.stdout + short.stderr).not.toContain('tiny-secret')
  })

  afterAll(() => {
    server.child.kill('SIGKILL')
  })
})

interface Started {
  readonly child: ReturnType<Desk['start']>
  readonly url: string
  readonly over: ReturnType<typeof ended>
}

/** Resolves when it has printed where MCP is. */
function started(desk: Desk, args: readonly string[] = ['mcp', '--http', '--port', '0']): Promise<Started> {
  const child = desk.start(args)
  const over = ended(child)
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (part) => {
      text += part
      const url = /http:\/\/\S+\/mcp(?=\n)/.exec(text)?.[0]
      if (url) resolve({ child, url, over })
    })
    over.then(({ stdout, stderr }) => reject(new Error(`it ended: ${stdout}${stderr}`)), reject)
  })
}
