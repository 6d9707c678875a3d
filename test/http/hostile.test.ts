/**
 * What strangers, pages of other sites and broken programs may send. Each row is a request that would write, changed in one way. src/http
 * refuses it for both surfaces, MCP and the page's API. What only one of them refuses is in test/mcp and test/api.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Bytes, type Expected, expectRefused, type Headers, raw } from './raw.ts'
import { type Change, SURFACES, type Surface, type SurfaceName, serveSurface, WRITTEN } from './surfaces.ts'

const BODY_BYTES = 64 * 1024

interface Row {
  readonly name: string
  readonly bytes: (surface: Surface) => Bytes
  readonly expected: Expected
  /** On both, unless named. */
  readonly only?: SurfaceName
}

const changed = (name: string, change: Change | ((port: number) => Change), expected: Expected): Row => ({
  name,
  bytes: ({ port, request }) => request(typeof change === 'function' ? change(port) : change),
  expected,
})
const header = (name: string, headers: Headers, expected: Expected): Row => changed(name, { headers }, expected)
const host = (name: string, hostOf: (port: number) => string): Row =>
  changed(name, (port) => ({ headers: { Host: hostOf(port) } }), 403)
const origin = (name: string, originOf: (port: number) => string): Row =>
  changed(name, (port) => ({ headers: { Origin: originOf(port) } }), 403)
const type = (name: string, contentType: string | undefined): Row => header(name, { 'Content-Type': contentType }, 415)
const line = (name: string, moreLine: string, expected: Expected): Row =>
  changed(name, { moreLines: [moreLine] }, expected)
const body = (name: string, bodyOf: string | ((good: string) => string), expected: Expected): Row => ({
  name,
  bytes: ({ goodBody, request }) => request({ body: typeof bodyOf === 'function' ? bodyOf(goodBody) : bodyOf }),
  expected,
})
const chunked = ({ request }: Surface, parts: readonly string[]): string[] => [
  request({ body: '', headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } }),
  ...parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`),
]
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

const HOSTS: readonly Row[] = [
  host('another name', () => 'evil.example'),
  host('another name with our port', (port) => `evil.example:${port}`),
  host('a name that starts like ours', (port) => `localhost.evil.com:${port}`),
  host('a name that ends like ours', (port) => `evil-localhost:${port}`),
  host('a user before the name', (port) => `localhost@evil.com:${port}`),
  host('a dot after the name', (port) => `localhost.:${port}`),
  host('our name without a port', () => 'localhost'),
  host('our name with another port', (port) => `localhost:${port + 1}`),
  host('our port with a leading zero', (port) => `localhost:0${port}`),
  host('an impossible port', () => 'localhost:99999'),
  host('the address of all interfaces', (port) => `0.0.0.0:${port}`),
  host('our address as a number', (port) => `2130706433:${port}`),
  host('our address mapped to IPv6', (port) => `[::ffff:7f00:1]:${port}`),
  host('IPv6 without brackets', (port) => `::1:${port}`),
  host('two names in one Host', (port) => `127.0.0.1:${port}, evil.example`),
  header('no Host', { Host: undefined }, 400),
  header('an empty Host', { Host: '' }, [400, 403]),
  line('two Hosts, the first ours', 'Host: evil.example', 400),
  changed('HTTP/1.0 without Host', { version: '1.0', headers: { Host: undefined } }, 400),
]

const PAGES: readonly Row[] = [
  origin('Origin of another site', () => 'https://evil.example'),
  origin('Origin null', () => 'null'),
  origin('an empty Origin', () => ''),
  origin('Origin of another program here', (port) => `http://localhost:${port + 1}`),
  origin('Origin without our port', () => 'http://localhost'),
  origin('Origin with another scheme', (port) => `https://localhost:${port}`),
  origin('Origin with a scheme as long as ours', (port) => `ftps://localhost:${port}`),
  origin('Origin that starts like ours', (port) => `http://localhost:${port}.evil.com`),
  origin('Origin with a path', (port) => `http://localhost:${port}/`),
  origin('Origin of an extension of Chrome', () => 'chrome-extension://abcdef'),
  origin('Origin of an extension of Firefox', () => 'moz-extension://0b3a6a9e'),
  changed(
    'two Origins, the first ours',
    (port) => ({ headers: { Origin: `http://localhost:${port}` }, moreLines: ['Origin: null'] }),
    403,
  ),
  changed(
    'Origin behind thousands of headers',
    { moreLines: [...Array<string>(2_100).fill('a:1'), 'Origin: null'] },
    403,
  ),
  header('Sec-Fetch-Site cross-site', { 'Sec-Fetch-Site': 'cross-site' }, 403),
  header('Sec-Fetch-Site same-site', { 'Sec-Fetch-Site': 'same-site' }, 403),
  type('a form of text', 'text/plain'),
  type('a form with fields', 'application/x-www-form-urlencoded'),
  type('a form with files', 'multipart/form-data; boundary=x'),
  type('no type', undefined),
  type('a type that contains ours', 'text/plain; application/json'),
  type('a type that starts like ours', 'application/json-patch+json'),
  type('another charset', 'application/json; charset=utf-16'),
  header('a compressed body', { 'Content-Encoding': 'gzip' }, 415),
]

const METHODS: readonly Row[] = [
  ...['OPTIONS', 'PUT', 'TRACE', 'PROPFIND', 'QUERY'].map((method) => changed(method, { method }, 405)),
  { ...changed('PATCH', { method: 'PATCH' }, 405), only: 'mcp' },
  { ...changed('HEAD', { method: 'HEAD' }, 405), only: 'mcp' },
  { ...changed('HEAD with a body', { method: 'HEAD' }, 400), only: 'api' },
  { ...changed('POST', { method: 'POST' }, 405), only: 'api' },
  changed('CONNECT', { method: 'CONNECT', path: 'evil.example:443' }, 'closed'),
  changed('an unknown method', { method: 'BREW' }, 400),
  changed('GET with a body', { method: 'GET' }, 400),
  changed('DELETE with a body', { method: 'DELETE' }, 400),
  changed('POST to the root', { method: 'POST', path: '/' }, 405),
]

const PATHS: readonly Row[] = [
  changed('*', { path: '*' }, 404),
  changed('a whole URL of another site', { path: 'http://evil.example/' }, 404),
  changed('a whole URL of ours', (port) => ({ path: `http://127.0.0.1:${port}/mcp` }), 404),
  changed('a file of the workspace', { path: '/.keepsake/keepsake.yaml' }, 404),
  changed('a file of the workspace, by dots', { path: '/../.keepsake/keepsake.yaml' }, 404),
  changed('a file of the workspace, by escaped dots', { path: '/%2e%2e/.keepsake/keepsake.yaml' }, 404),
  changed('a path with a blank', { path: '/mcp /x' }, 400),
]

const BODIES: readonly Row[] = [
  body('an empty body', '', 400),
  body('half a body', (good) => good.slice(0, -5), 400),
  body('no JSON', 'remember=everything', 400),
  body('two JSON values', (good) => good + good, 400),
  body('null', 'null', 400),
  body('a number', '42', 400),
  body('a text', '"x"', 400),
  body('an empty list', '[]', 400),
  {
    name: 'bytes that are not UTF-8',
    bytes: ({ request }) => [
      request({ body: '', headers: { 'Content-Length': '4' } }),
      Uint8Array.of(0x22, 0xff, 0xfe, 0x22),
    ],
    expected: 400,
  },
  body('deep lists', deep(10_000), 400),
  body('deep lists as a value', (good) => good.replace(`"${WRITTEN}"`, deep(5_000)), 400),
  body('deep objects', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 400),
  body('a key __proto__', (good) => good.replace('{', '{"__proto__":{"a":1},'), 400),
  body('a key __proto__ inside, escaped', (good) => good.replace('{', '{"x":{"\\u005f_proto__":1},'), 400),
  body('a body over the limit', (good) => good.replace(WRITTEN, 'x'.repeat(BODY_BYTES)), 413),
  {
    name: 'a chunked body over the limit',
    bytes: (surface) => [...chunked(surface, [surface.goodBody, ' '.repeat(BODY_BYTES)]), '0\r\n\r\n'],
    expected: 413,
  },
  {
    name: 'a chunked body without end',
    bytes: (surface) =>
      chunked(
        surface,
        Array.from({ length: 8 }, () => 'x'.repeat(1024 * 1024)),
      ),
    expected: 413,
  },
  header('a Content-Length of gigabytes', { 'Content-Length': '9000000000' }, 413),
  header('a Content-Length below the size of the body', { 'Content-Length': '10' }, 400),
]

const SHAPES: readonly Row[] = [
  line('both a length and chunks', 'Transfer-Encoding: chunked', 400),
  line('two lengths', 'Content-Length: 3', 400),
  header('a length with a sign', { 'Content-Length': '+10' }, 400),
  header('a negative length', { 'Content-Length': '-1' }, 400),
  header('an unknown coding', { 'Transfer-Encoding': 'chunked, identity', 'Content-Length': undefined }, 400),
  line('a coding with a blank before its colon', 'Transfer-Encoding : chunked', 400),
  changed('a folded header', { moreLines: ['X-Fold: a', ' b'] }, [400, 413]),
  line('a header with a bare CR', 'X-Bare: a\rb', 400),
  line('a header with NUL', 'X-Nul: a\0b', 400),
  header('a chunk size that is not a number', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }, 400),
  line('a header of 100 kB', `X-Long: ${'x'.repeat(100_000)}`, 431),
  changed('5,000 headers', { moreLines: Array.from({ length: 5_000 }, (_, n) => `X-${n}: 1`) }, 431),
  changed('an address of 20 kB', { path: `/api/v1/search?q=${'x'.repeat(20_000)}` }, [400, 431]),
  changed('HTTP/2 by name', { version: '2.0' }, 400),
  changed('HTTP/9.9', { version: '9.9' }, 400),
  header('an unknown expectation', { Expect: 'a-pony' }, 417),
  header('a refused sender that asks first', { Expect: '100-continue', Host: 'evil.example' }, 403),
  { name: 'no HTTP at all', bytes: () => 'hello\r\n\r\n', expected: 400 },
  {
    name: 'TLS',
    bytes: () => Uint8Array.of(0x16, 0x03, 0x01, 0x00, 0xa5, 0x01, 0x00, 0x00, 0xa1, 0x03, 0x03),
    expected: 400,
  },
  {
    name: 'a good request behind a refused one',
    bytes: ({ request }) => request({ body: '', headers: { Host: 'evil.example', Connection: undefined } }) + request(),
    expected: 403,
  },
  {
    name: 'a good request in the body of a refused one',
    bytes: ({ request }) =>
      request({ body: request(), headers: { 'Content-Type': 'text/plain', Connection: undefined } }),
    expected: 415,
  },
]

/** For a server that waits only a moment. */
const SLOW: readonly Row[] = [
  { name: 'HTTP/2 with its preface', bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', expected: [400, 408] },
  { name: 'half a request line', bytes: () => 'POST /mcp HT', expected: [400, 408] },
  {
    name: 'headers that never end',
    bytes: ({ port }) => `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
    expected: 408,
  },
  {
    name: 'a body shorter than announced',
    bytes: ({ goodBody, request }) => request({ headers: { 'Content-Length': String(goodBody.length + 1) } }),
    expected: 408,
  },
]

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'another Host': HOSTS,
  'a page of another site': PAGES,
  'another method': METHODS,
  'another path': PATHS,
  'an odd body': BODIES,
  'odd HTTP': SHAPES,
}

const TOKEN = 'a-token-of-sixteen-or-more'

describe.each(SURFACES)('%s', (name) => {
  let surface: Surface
  let impatient: Surface
  let guarded: Surface

  beforeAll(async () => {
    surface = await serveSurface(name, { limits: { bodyBytes: BODY_BYTES } })
    impatient = await serveSurface(name, { limits: { headersMs: 150, requestMs: 250, checkMs: 25 } })
    guarded = await serveSurface(name, { token: TOKEN })
  })

  async function expectNoWrite(on: Surface, { bytes, expected }: Row): Promise<void> {
    const before = on.memoryHash()
    const answer = await raw(on.port, bytes(on))
    expectRefused(answer, expected)
    if (on.key !== undefined) expect(answer.text).not.toContain(on.key)
    expect(on.memoryHash()).toBe(before)
  }

  describe.each(Object.entries(TABLE))('refuses %s', (_, rows) => {
    it.each(rows.filter(({ only = name }) => only === name))('$name', (row) => expectNoWrite(surface, row))
  })

  describe('cuts off', () => {
    it.each(SLOW)('$name', (row) => expectNoWrite(impatient, row))

    it('a body without end, in bounded memory', async () => {
      const before = surface.memoryHash()
      const used = process.memoryUsage().rss
      const socket = connect(surface.port, '127.0.0.1').on('error', () => undefined)
      socket.write(chunked(surface, [])[0] ?? '')
      let isOpen = true
      socket.on('close', () => {
        isOpen = false
      })
      const part = `100000\r\n${'x'.repeat(0x100000)}\r\n`
      for (let sent = 0; isOpen && sent < 200; sent++) {
        if (!socket.write(part)) {
          await Promise.race([new Promise((drained) => socket.once('drain', drained)), sleep(50)])
        }
      }
      expect(isOpen).toBe(false)
      expect(process.memoryUsage().rss - used).toBeLessThan(150 * 1024 * 1024)
      expect(surface.memoryHash()).toBe(before)
    })
  })

  describe('with a token, refuses', () => {
    it.each([
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Bearer ${TOKEN.toUpperCase()}`,
      `Basic ${TOKEN}`,
      TOKEN,
      `Bearer x, Bearer ${TOKEN}`,
      `Bearer ${TOKEN} x`,
    ])('%j', async (authorization) => {
      const before = guarded.memoryHash()
      // The key of a page that was opened would do instead.
      const others = { Cookie: undefined, 'Keepsake-Key': undefined }
      const refused = await raw(guarded.port, guarded.request({ headers: { ...others, Authorization: authorization } }))
      expectRefused(refused, 401)
      expect(refused.text).toContain('WWW-Authenticate: Bearer')
      expect(refused.text).not.toContain(TOKEN)
      expect(guarded.memoryHash()).toBe(before)
    })

    it.each<[string, Headers]>([
      ['a page of another site', { Origin: 'https://evil.example' }],
      ['another Host', { Host: 'evil.example' }],
    ])('%s all the same', async (_, headers) => {
      const { status } = await raw(
        guarded.port,
        guarded.request({ headers: { Authorization: `Bearer ${TOKEN}`, ...headers } }),
      )
      expect(status).toBe(403)
    })
  })

  describe('answers', () => {
    it.each<[string, (port: number) => Headers]>([
      ['our address', (port) => ({ Host: `127.0.0.1:${port}` })],
      ['our name in capitals', (port) => ({ Host: `LOCALHOST:${port}` })],
      ['our IPv6 address', (port) => ({ Host: `[::1]:${port}` })],
      ['a page of ours', (port) => ({ Origin: `http://localhost:${port}`, 'Sec-Fetch-Site': 'same-origin' })],
    ])('%s, and the same request unchanged writes', async (which, headersOf) => {
      const before = surface.memoryHash()
      const change = { headers: headersOf(surface.port) }
      const { goodBody, port } = surface
      const own = goodBody.replace(WRITTEN, `Written by ${which}.`)
      expect((await raw(port, surface.request({ ...change, body: own }))).status).toBe(200)
      expect(surface.memoryHash()).not.toBe(before)
    })

    it('a sender with the token', async () => {
      const before = guarded.memoryHash()
      const headers = { Cookie: undefined, 'Keepsake-Key': undefined, Authorization: `bearer ${TOKEN}` }
      expect((await raw(guarded.port, guarded.request({ headers }))).status).toBe(200)
      expect(guarded.memoryHash()).not.toBe(before)
    })
  })
})
