/**
 * Hostile requests that only the page's API refuses: without its keys, to other paths, with odd fields and parameters. Each row is a
 * request that would write, changed in one way. What src/http refuses for every surface is in test/http/hostile.test.ts.
 */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { treeHash } from '../cli/keepsake.ts'
import { type Expected, expectRefused, type Head, raw, requestText } from '../http/raw.ts'
import { type ServedPage, servePage, type Visitor, visitor } from './served-page.ts'

let served: ServedPage
let asker: Visitor
let id: string

beforeAll(async () => {
  served = await servePage()
  asker = await visitor(served)
  id = (await served.memory.get('Deploys'))?.id ?? ''
})

type Row = readonly [name: string, changed: (port: number) => Changed, expected: Expected]

interface Changed extends Head {
  readonly body?: string
}

const GOOD = JSON.stringify({ content: 'Written from outside.' })

/** A good PATCH, changed. */
function sent({ body = GOOD, headers, ...head }: Changed): string {
  return requestText(served.port, body, {
    method: 'PATCH',
    path: `/api/v1/entries/${id}`,
    headers: { ...asker.headers, ...headers },
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
  header(
    'a bearer without a token',
    { Cookie: undefined, 'Keepsake-Key': undefined, Authorization: 'Bearer undefined' },
    401,
  ),
  header('another key', { 'Keepsake-Key': 'A'.repeat(32) }, 401),
  row('the cookie of another port', (port) => ({ headers: { Cookie: `keepsake-${port + 1}=x` } }), 401),
  row('an empty cookie', (port) => ({ headers: { Cookie: `keepsake-${port}=` } }), 401),
  row('two keys', { moreLines: ['Keepsake-Key: x'] }, 401),
  row('a cookie twice', (port) => ({ moreLines: [`Cookie: keepsake-${port}=x`] }), 401),
  header('a token where there is none', { Cookie: undefined, Authorization: 'Bearer x'.repeat(8) }, 401),
  header('a name and password', { Cookie: undefined, Authorization: 'Basic YTpi' }, 401),
  row('the key in the address', { path: '/api/v1/entries/x?key=y', headers: { 'Keepsake-Key': undefined } }, 401),
]

const PATHS: readonly Row[] = [
  ...['/api/v1/entries/../entries', '/api/v1//entries', '/api/v1/entries/', '/api/v1/Entries', '/api/v1/'].map((path) =>
    row(`path ${path}`, { path }, 404),
  ),
  row('a name that is no encoding', { path: '/api/v1/entries/%zz' }, 404),
  row('another version', { path: '/api/v2/entries' }, 404),
  row('no version', { path: '/api/entries' }, 404),
  row('a file that is not of the page', { method: 'GET', path: '/notes.txt', body: '' }, 404),
  row('a file beside the page', { method: 'GET', path: '/page/index.html', body: '' }, 404),
  row('an entry called as a path', { path: '/api/v1/entries/..%2F..%2Fetc%2Fpasswd' }, 404),
  row('an entry called __proto__', { path: '/api/v1/entries/__proto__' }, 404),
  row('an entry of NUL', { path: '/api/v1/entries/%00' }, 400),
  row('PATCH of a view', { path: '/browse' }, 405),
]

const BODIES: readonly Row[] = [
  row('a list', { body: '[1]' }, 400),
  row('deep metadata', { body: `{"metadata":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}` }, 400),
  row(
    "more than a link's secret",
    { method: 'POST', path: '/api/v1/open', body: `{"secret":"${'x'.repeat(2000)}"}` },
    413,
  ),
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

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'a stranger': STRANGERS,
  'another path': PATHS,
  'an odd body': BODIES,
  'an odd query': QUERIES,
}

/** Without `.state`, where the journal tidies up in its own time. */
function memoryHash(): string {
  return ['agents', 'world'].map((folder) => treeHash(join(served.root, folder))).join()
}

describe('unchanged', () => {
  it('the request writes', async () => {
    const { status, text } = await raw(served.port, sent({}))
    expect([status, text.includes('Written from outside.')]).toEqual([200, true])
    expect((await served.memory.get(id))?.content).toBe('Written from outside.')
    await served.memory.undo()
  })
})

describe.each(Object.entries(TABLE))('refuses %s', (_, rows) => {
  it.each(rows)('%s', async (_name, changed, expected) => {
    const before = memoryHash()
    const refused = await raw(served.port, sent(changed(served.port)))
    expectRefused(refused, expected)
    expect(refused.text).not.toContain(asker.headers['Keepsake-Key'])
    expect(memoryHash()).toBe(before)
  })
})

describe('the page itself', () => {
  it('is reached by a link of another site, but by no frame and no script of it', async () => {
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
    const from = async (path: string, headers: Record<string, string>): Promise<number | undefined> =>
      (await raw(served.port, requestText(served.port, '', { method: 'GET', path, headers: { ...link, ...headers } })))
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
