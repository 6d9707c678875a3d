/**
 * What strangers, pages of other sites and broken programs may send to the page's address. Each row is a request that would write, with the
 * cookie and the key of a page that is open, changed in one way; the first test shows that unchanged it does write.
 */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { treeHash } from '../cli/keepsake.ts'
import { type Head, type Raw, raw, request } from '../mcp/http-served.ts'
import { type ServedPage, servePage, type Visitor, visitor } from './served-page.ts'

const BODY_BYTES = 64 * 1024

let served: ServedPage
let asker: Visitor
let id: string

beforeAll(async () => {
  served = await servePage({ limits: { bodyBytes: BODY_BYTES } })
  asker = await visitor(served)
  id = (await served.memory.get('Deploys'))?.id ?? ''
})

type Expected = number | readonly number[]
type Row = readonly [name: string, changed: (port: number) => Changed, expected: Expected]

interface Changed extends Omit<Head, 'path'> {
  readonly path?: string
  readonly body?: string
}

const GOOD = JSON.stringify({ content: 'Written from outside.' })

/** A good PATCH, changed. */
function sent({ body = GOOD, headers, ...head }: Changed): string {
  const own = { 'MCP-Protocol-Version': undefined, 'Mcp-Method': undefined, 'Mcp-Name': undefined }
  return request(served.port, body, {
    method: 'PATCH',
    path: `/api/v1/entries/${id}`,
    headers: { ...own, ...asker.headers, ...headers },
    ...head,
  })
}

const row = (name: string, changed: Changed | ((port: number) => Changed), expected: Expected): Row => [
  name,
  typeof changed === 'function' ? changed : () => changed,
  expected,
]
const header = (name: string, headers: NonNullable<Head['headers']>, expected: Expected): Row =>
  row(name, { headers }, expected)

const STRANGERS: readonly Row[] = [
  header('no cookie', { Cookie: undefined }, 401),
  header('no key', { 'Keepsake-Key': undefined }, 401),
  header('neither', { Cookie: undefined, 'Keepsake-Key': undefined }, 401),
  header('another key', { 'Keepsake-Key': 'A'.repeat(32) }, 401),
  row('the cookie of another port', (port) => ({ headers: { Cookie: `keepsake-${port + 1}=x` } }), 401),
  row('an empty cookie', (port) => ({ headers: { Cookie: `keepsake-${port}=` } }), 401),
  row('two keys', { moreLines: ['Keepsake-Key: x'] }, 401),
  row('a cookie twice', (port) => ({ moreLines: [`Cookie: keepsake-${port}=x`] }), 401),
  header('a token where there is none', { Cookie: undefined, Authorization: 'Bearer x'.repeat(8) }, 401),
  header('a name and password', { Cookie: undefined, Authorization: 'Basic YTpi' }, 401),
  row('the key in the address', { path: '/api/v1/entries/x?key=y', headers: { 'Keepsake-Key': undefined } }, 401),
]

const HOSTS: readonly Row[] = [
  header('another name', { Host: 'evil.example' }, 403),
  row('another name with our port', (port) => ({ headers: { Host: `evil.example:${port}` } }), 403),
  row('a name that begins as ours', (port) => ({ headers: { Host: `127.0.0.1.evil.com:${port}` } }), 403),
  header('our name without a port', { Host: '127.0.0.1' }, 403),
  row('our name with another port', (port) => ({ headers: { Host: `127.0.0.1:${port + 1}` } }), 403),
  row('an address of all', (port) => ({ headers: { Host: `0.0.0.0:${port}` } }), 403),
  header('no Host', { Host: undefined }, 400),
  row('two Hosts', { moreLines: ['Host: evil.example'] }, 400),
]

const PAGES: readonly Row[] = [
  header('Origin of another site', { Origin: 'https://evil.example' }, 403),
  header('Origin null', { Origin: 'null' }, 403),
  row('Origin of another program here', (port) => ({ headers: { Origin: `http://127.0.0.1:${port + 1}` } }), 403),
  row('Origin with another scheme', (port) => ({ headers: { Origin: `https://127.0.0.1:${port}` } }), 403),
  row('Origin that begins as ours', (port) => ({ headers: { Origin: `http://127.0.0.1:${port}.evil.com` } }), 403),
  header('Origin of an extension', { Origin: 'chrome-extension://abcdef' }, 403),
  header('Sec-Fetch-Site cross-site', { 'Sec-Fetch-Site': 'cross-site' }, 403),
  header('Sec-Fetch-Site same-site', { 'Sec-Fetch-Site': 'same-site' }, 403),
  header('a form of text', { 'Content-Type': 'text/plain' }, 415),
  header('a form with fields', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415),
  header('no type', { 'Content-Type': undefined }, 415),
  header('a compressed body', { 'Content-Encoding': 'gzip' }, 415),
]

const PATHS: readonly Row[] = [
  ...['/api/v1/entries/../entries', '/api/v1//entries', '/api/v1/entries/', '/api/v1/Entries', '/api/v1/'].map((path) =>
    row(`path ${path}`, { path }, 404),
  ),
  row('a name that is no encoding', { path: '/api/v1/entries/%zz' }, 404),
  row('another version', { path: '/api/v2/entries' }, 404),
  row('no version', { path: '/api/entries' }, 404),
  row('a file of the workspace', { method: 'GET', path: '/../.keepsake/keepsake.yaml', body: '' }, 404),
  row('a file by escapes', { method: 'GET', path: '/%2e%2e/.keepsake/keepsake.yaml', body: '' }, 404),
  row('a file that is not of the page', { method: 'GET', path: '/notes.txt', body: '' }, 404),
  row('a file beside the page', { method: 'GET', path: '/page/index.html', body: '' }, 404),
  row('a whole address', { method: 'GET', path: 'http://evil.example/', body: '' }, 404),
  row('an entry called as a path', { path: '/api/v1/entries/..%2F..%2Fetc%2Fpasswd' }, 404),
  row('an entry called __proto__', { path: '/api/v1/entries/__proto__' }, 404),
  row('an entry of NUL', { path: '/api/v1/entries/%00' }, 400),
]

const METHODS: readonly Row[] = [
  ...['OPTIONS', 'PUT', 'POST', 'HEAD', 'TRACE'].map((method) => row(method, { method }, 405)),
  row('GET with a body', { method: 'GET' }, 400),
  row('DELETE with a body', { method: 'DELETE' }, 400),
  row('POST to the page', { method: 'POST', path: '/' }, 405),
  row('PATCH of a view', { path: '/browse' }, 405),
]

const BODIES: readonly Row[] = [
  row('an empty body', { body: '' }, 400),
  row('half a body', { body: GOOD.slice(0, -3) }, 400),
  row('no JSON', { body: 'content=x' }, 400),
  row('a list', { body: '[1]' }, 400),
  row('a text', { body: '"x"' }, 400),
  row('a number', { body: '42' }, 400),
  row('deep lists', { body: `${'['.repeat(5000)}${']'.repeat(5000)}` }, 400),
  row('deep metadata', { body: `{"metadata":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}` }, 400),
  row(
    "more than a link's secret",
    { method: 'POST', path: '/api/v1/open', body: `{"secret":"${'x'.repeat(2000)}"}` },
    413,
  ),
  row('over the limit', { body: JSON.stringify({ content: 'x'.repeat(BODY_BYTES) }) }, 413),
  row('gigabytes announced', { headers: { 'Content-Length': '9000000000' } }, 413),
  row('a prototype', { body: '{"content":"x","__proto__":{"a":1}}' }, 400),
  row('a constructor', { body: '{"content":"x","constructor":{}}' }, 400),
  row('a field that nobody knows', { body: '{"content":"x","origin":{"by":"agent"}}' }, 400),
  row('an id', { body: '{"content":"x","id":"y"}' }, 400),
  row('a text that is none', { body: '{"content":{"toString":"x"}}' }, 400),
  row('NUL in a text', { body: '{"content":"a\\u0000b"}' }, 400),
  row('half a character', { body: '{"content":"\\ud800"}' }, 400),
  row('a name that is a path', { body: '{"name":"\\u0000/../../x"}' }, 400),
  row('an expectation of another revision', { body: '{"content":"x","expect":"0000000000000000"}' }, 409),
  row('an end that is none', { body: '{"expiresAt":"tomorrow"}' }, 400),
]

const QUERIES: readonly Row[] = [
  row('an agent that is a path', { path: '/api/v1/entries/x?agent=..%2F..' }, 400),
  row('an agent that is nobody', { path: '/api/v1/entries/x?agent=nobody' }, 404),
  row('an agent twice', { path: '/api/v1/entries/x?agent=main&agent=scout' }, 400),
  row('the world as an agent', { path: '/api/v1/entries/x?agent=world' }, 400),
  row('a parameter that nobody knows', { path: '/api/v1/entries/x?__proto__=1' }, 400),
  row('a limit of millions', { method: 'GET', path: '/api/v1/entries?limit=9999999', body: '' }, 400),
  row('a limit that is no number', { method: 'GET', path: '/api/v1/entries?limit=NaN', body: '' }, 400),
  row('a query without words', { method: 'GET', path: '/api/v1/search?q=%20', body: '' }, 400),
]

const SHAPES: readonly Row[] = [
  row('both lengths', { moreLines: ['Transfer-Encoding: chunked'] }, 400),
  row('two lengths', { moreLines: ['Content-Length: 3'] }, 400),
  row('a header with NUL', { moreLines: ['X-Nul: a\0b'] }, 400),
  row('headers without an end', { moreLines: [`X-Long: ${'x'.repeat(100_000)}`] }, 431),
  row('HTTP/9.9', { version: '9.9' }, 400),
  row(
    'an address without an end',
    { path: `/api/v1/search?q=${'x'.repeat(20_000)}`, method: 'GET', body: '' },
    [400, 431],
  ),
]

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'a stranger': STRANGERS,
  'another Host': HOSTS,
  'a page of another site': PAGES,
  'another path': PATHS,
  'another method': METHODS,
  'an odd body': BODIES,
  'an odd query': QUERIES,
  'odd HTTP': SHAPES,
}

/** Without `.state`, where the journal tidies up in its own time. */
function memoryHash(): string {
  return ['agents', 'world'].map((folder) => treeHash(join(served.root, folder))).join()
}

function expectRefused({ status, text }: Raw, expected: Expected): void {
  expect([expected].flat(), text).toContain(status)
  expect(text).not.toMatch(/\bat .*\.(?:ts|js|mjs):\d|node_modules|node:internal/)
  expect(text.toLowerCase()).not.toContain('access-control-')
  expect(text).not.toContain(asker.headers['Keepsake-Key'])
  expect(text.length).toBeLessThan(3_000)
}

describe('unchanged', () => {
  it('the request writes', async () => {
    const { status, text } = await raw(served.port, sent({}))
    expect([status, text.includes('Written from outside.')]).toEqual([200, true])
    expect((await served.memory.get(id))?.content).toBe('Written from outside.')
    await served.memory.undo()
  })

  it('there are more than sixty changed ones', () => {
    expect(Object.values(TABLE).flat().length).toBeGreaterThan(60)
  })
})

describe.each(Object.entries(TABLE))('refuses %s', (_, rows) => {
  it.each(rows)('%s', async (_name, changed, expected) => {
    const before = memoryHash()
    expectRefused(await raw(served.port, sent(changed(served.port))), expected)
    expect(memoryHash()).toBe(before)
  })
})

describe('the page itself', () => {
  it('is reached by a link of another site, but by no frame and no script of it', async () => {
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
    const from = async (path: string, headers: Record<string, string>): Promise<number | undefined> =>
      (await raw(served.port, request(served.port, '', { method: 'GET', path, headers: { ...link, ...headers } })))
        .status
    expect(await from('/browse', {})).toBe(200)
    expect(await from('/browse', { 'Sec-Fetch-Dest': 'iframe' })).toBe(403)
    expect(await from('/browse', { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' })).toBe(403)
    expect(await from('/browse', { Origin: 'https://evil.example' })).toBe(403)
    expect(await from('/api/v1/workspace', {})).toBe(403)
    expect(await from('/mcp', {})).toBe(403)
  })

  it('is answered to anybody on this machine, and holds nothing of the memory', async () => {
    for (const path of ['/', '/browse', '/recall?q=x', '/changes', '/main.js', '/main.css']) {
      const response = await fetch(`${served.origin}${path}`)
      expect([path, response.status]).toEqual([path, 200])
      expect(await response.text()).not.toContain('heron')
    }
  })

  it('allows no script, no style and no connection but its own', async () => {
    const { headers } = await fetch(`${served.origin}/`)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('set-cookie')).toBeNull()
  })
})
