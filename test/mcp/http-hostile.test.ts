/**
 * What strangers, pages of other sites and broken programs may send. Each row is a request that would write, changed in one
 * way; the first test shows that unchanged it does write. A refusal is a 4xx, or, in the body of a 200, an error of the
 * protocol or of the tool; or the connection ends.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { treeHash } from '../cli/keepsake.ts'
import {
  connected,
  type Head,
  modern,
  type Raw,
  raw,
  rememberCall,
  request,
  type Served,
  serveFurnished,
} from './http-served.ts'

const BODY_BYTES = 64 * 1024
const GOOD = rememberCall()

type Expected = number | readonly number[] | 'closed' | 'error'
type Bytes = string | Uint8Array | readonly (string | Uint8Array)[]
type Row = readonly [name: string, bytes: (port: number) => Bytes, expected: Expected]

const withHead = (name: string, head: Head | ((port: number) => Head), expected: Expected): Row => [
  name,
  (port) => request(port, GOOD, typeof head === 'function' ? head(port) : head),
  expected,
]
const withHeaders = (name: string, headers: NonNullable<Head['headers']>, expected: Expected): Row =>
  withHead(name, { headers }, expected)
const withBody = (name: string, body: string, expected: Expected, headers: Head['headers'] = {}): Row => [
  name,
  (port) => request(port, body, { headers }),
  expected,
]
const wantsLegacy = { 'MCP-Protocol-Version': '2025-06-18', 'Mcp-Method': undefined, 'Mcp-Name': undefined }
const withLegacyBody = (name: string, body: unknown, expected: Expected, headers: Head['headers'] = {}): Row =>
  withBody(name, JSON.stringify(body), expected, { ...wantsLegacy, ...headers })
const readsResource = (uri: string): Row =>
  withBody(`resource ${uri}`, modern('resources/read', { uri }), 'error', {
    'Mcp-Method': 'resources/read',
    'Mcp-Name': uri,
  })
const chunked = (port: number, parts: readonly string[]): string[] => [
  request(port, '', { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } }),
  ...parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`),
]
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const megabytes = (count: number): string[] => Array.from({ length: count }, () => 'x'.repeat(1024 * 1024))

const HOSTS: readonly Row[] = [
  withHeaders('another name', { Host: 'evil.example' }, 403),
  withHead('another name with our port', (port) => ({ headers: { Host: `evil.example:${port}` } }), 403),
  withHead('a name that begins as ours', (port) => ({ headers: { Host: `localhost.evil.com:${port}` } }), 403),
  withHead('a name that ends as ours', (port) => ({ headers: { Host: `evil-localhost:${port}` } }), 403),
  withHead('a user before the name', (port) => ({ headers: { Host: `localhost@evil.com:${port}` } }), 403),
  withHead('a dot after the name', (port) => ({ headers: { Host: `localhost.:${port}` } }), 403),
  withHeaders('our name without a port', { Host: 'localhost' }, 403),
  withHead('our name with another port', (port) => ({ headers: { Host: `localhost:${port + 1}` } }), 403),
  withHead('our port with a zero before it', (port) => ({ headers: { Host: `localhost:0${port}` } }), 403),
  withHead('a port that is none', () => ({ headers: { Host: 'localhost:99999' } }), 403),
  withHead('an address of all', (port) => ({ headers: { Host: `0.0.0.0:${port}` } }), 403),
  withHead('an address written otherwise', (port) => ({ headers: { Host: `2130706433:${port}` } }), 403),
  withHead('IPv6 that is not loopback', (port) => ({ headers: { Host: `[::ffff:7f00:1]:${port}` } }), 403),
  withHead('IPv6 without its brackets', (port) => ({ headers: { Host: `::1:${port}` } }), 403),
  withHeaders('no Host', { Host: undefined }, 400),
  withHeaders('an empty Host', { Host: '' }, [400, 403]),
  withHead('two Hosts, the first ours', { moreLines: ['Host: evil.example'] }, 400),
  withHead('one Host with two names', (port) => ({ headers: { Host: `127.0.0.1:${port}, evil.example` } }), 403),
  withHead('HTTP/1.0 without Host', { version: '1.0', headers: { Host: undefined } }, 400),
]

const PAGES: readonly Row[] = [
  withHeaders('Origin of another site', { Origin: 'https://evil.example' }, 403),
  withHeaders('Origin null', { Origin: 'null' }, 403),
  withHeaders('an empty Origin', { Origin: '' }, 403),
  withHead('Origin of another program here', (port) => ({ headers: { Origin: `http://localhost:${port + 1}` } }), 403),
  withHeaders('Origin without our port', { Origin: 'http://localhost' }, 403),
  withHead('Origin with another scheme', (port) => ({ headers: { Origin: `https://localhost:${port}` } }), 403),
  withHead(
    'Origin with a scheme as long as ours',
    (port) => ({ headers: { Origin: `ftps://localhost:${port}` } }),
    403,
  ),
  withHead('Origin that begins as ours', (port) => ({ headers: { Origin: `http://localhost:${port}.evil.com` } }), 403),
  withHead('Origin with a path', (port) => ({ headers: { Origin: `http://localhost:${port}/` } }), 403),
  withHead(
    'two Origins',
    (port) => ({ headers: { Origin: `http://localhost:${port}` }, moreLines: ['Origin: null'] }),
    403,
  ),
  withHeaders('Origin of an extension', { Origin: 'moz-extension://0b3a6a9e' }, 403),
  withHead(
    'Origin behind thousands of headers',
    { moreLines: [...Array<string>(2_100).fill('a:1'), 'Origin: null'] },
    403,
  ),
  withHeaders('Sec-Fetch-Site cross-site', { 'Sec-Fetch-Site': 'cross-site' }, 403),
  withHeaders('Sec-Fetch-Site same-site', { 'Sec-Fetch-Site': 'same-site' }, 403),
  withHeaders('a form of text', { 'Content-Type': 'text/plain' }, 415),
  withHeaders('a form with fields', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415),
  withHeaders('a form with files', { 'Content-Type': 'multipart/form-data; boundary=x' }, 415),
  withHeaders('no type', { 'Content-Type': undefined }, 415),
  withHeaders('a type that holds ours', { 'Content-Type': 'text/plain; application/json' }, 415),
  withHeaders('a type that begins as ours', { 'Content-Type': 'application/json-patch+json' }, 415),
  withHeaders('another charset', { 'Content-Type': 'application/json; charset=utf-16' }, 415),
  withHeaders('a compressed body', { 'Content-Encoding': 'gzip' }, 415),
]

const METHODS: readonly Row[] = [
  ...['OPTIONS', 'PUT', 'PATCH', 'HEAD', 'TRACE', 'PROPFIND', 'QUERY'].map((method) =>
    withHead(method, { method }, 405),
  ),
  withHead('CONNECT', { method: 'CONNECT', path: 'evil.example:443' }, 'closed'),
  withHead('a method that is none', { method: 'BREW' }, 400),
  withHead('GET with a body', { method: 'GET' }, 400),
  withHead('DELETE with a body', { method: 'DELETE' }, 400),
  withHead('POST to the root', { path: '/' }, 405),
]

const PATHS: readonly Row[] = [
  ...[
    '/mcp/',
    '/mcp?x=1',
    '//mcp',
    '/MCP',
    '/mcp/../../../etc/passwd',
    '/%6dcp',
    '/mcp%2f..',
    '/../.keepsake/agents/main/MEMORY.md',
    '/.keepsake/keepsake.yaml',
    '/mcp;x',
    '*',
    'http://evil.example/mcp',
  ].map((path) => withHead(`path ${path}`, { path }, 404)),
  withHead('path as a whole URL of ours', (port) => ({ path: `http://127.0.0.1:${port}/mcp` }), 404),
  withHead('a path with a blank', { path: '/mcp /x' }, 400),
]

const RESOURCES: readonly Row[] = [
  'keepsake://entry/..%2F..%2Fetc%2Fpasswd',
  'keepsake://world/../../../etc/passwd',
  'keepsake://entry/%00',
  'keepsake://entry/__proto__',
  'file:///etc/passwd',
  'keepsake://memory/../../other/MEMORY.md',
].map(readsResource)

const BODIES: readonly Row[] = [
  withBody('an empty body', '', 400),
  withBody('half a body of JSON', GOOD.slice(0, -5), 400),
  withBody('no JSON', 'remember=everything', 400),
  withBody('two values', `${GOOD}${GOOD}`, 400),
  withBody('null', 'null', 400),
  withBody('a number', '42', 400),
  withBody('an empty list', '[]', 400),
  withBody('a list of calls', `[${GOOD},${GOOD}]`, 400),
  [
    'bytes that are no UTF-8',
    (port) => [
      request(port, '').replace('Content-Length: 0', 'Content-Length: 4'),
      Uint8Array.of(0x22, 0xff, 0xfe, 0x22),
    ],
    400,
  ],
  withBody('deep lists', deep(10_000), 400),
  withBody('deep lists in an argument', GOOD.replace('"Written from outside."', deep(5_000)), 400),
  withBody('deep objects', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 400),
  withBody('a body over the limit', rememberCall({ content: 'x'.repeat(BODY_BYTES) }), 413),
  ['a chunked body over the limit', (port) => [...chunked(port, [GOOD, ' '.repeat(BODY_BYTES)]), '0\r\n\r\n'], 413],
  ['a chunked body without an end', (port) => chunked(port, megabytes(4)), 413],
  [
    'an announced body of gigabytes',
    (port) => [request(port, GOOD, { headers: { 'Content-Length': '9000000000' } })],
    413,
  ],
  ['more than announced', (port) => request(port, GOOD, { headers: { 'Content-Length': '10' } }), 400],
  withBody('prototype keys around', GOOD.replace('{', '{"__proto__":{"method":"tools/list"},"constructor":1,'), 400),
  withBody(
    'prototype keys as arguments',
    rememberCall(JSON.parse('{"content":"x","__proto__":{"isError":false}}')),
    400,
  ),
  withBody('a constructor as argument', rememberCall({ content: 'x', constructor: { prototype: {} } }), 'error'),
  withBody('a tool called __proto__', rememberCall({}, '__proto__'), 'error', { 'Mcp-Name': '__proto__' }),
  withBody('a tool called constructor', rememberCall({}, 'constructor'), 'error', { 'Mcp-Name': 'constructor' }),
  withBody('an argument of a wrong type', rememberCall({ content: { toString: 'x' } }), 'error'),
  withBody('arguments that are a list', rememberCall(['x']), 'error'),
]

const PROTOCOL: readonly Row[] = [
  withBody('another JSON-RPC', GOOD.replace('"2.0"', '"1.0"'), 400),
  withBody('an id that is an object', GOOD.replace('"id":1', '"id":{}'), 400),
  withBody('an unknown method', modern('tools/destroy', {}), 404, {
    'Mcp-Method': 'tools/destroy',
    'Mcp-Name': undefined,
  }),
  withHeaders('a header of another method', { 'Mcp-Method': 'tools/list' }, 400),
  withHeaders('a header of another tool', { 'Mcp-Name': 'recall' }, 400),
  withHeaders('a version to come', { 'MCP-Protocol-Version': '2099-01-01' }, 400),
  withBody('a version to come in the body', GOOD.replace('2026-07-28', '2099-01-01'), 400, {
    'MCP-Protocol-Version': '2099-01-01',
  }),
  withBody('no envelope', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }), 400),
  withLegacyBody('a call without a session', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 400),
  withLegacyBody('a made-up session', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 404, {
    'Mcp-Session-Id': 'guess',
  }),
  withLegacyBody('a session called __proto__', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 404, {
    'Mcp-Session-Id': '__proto__',
  }),
  withLegacyBody('a beginning of nothing', { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, 400),
  withLegacyBody('an answer to nothing', { jsonrpc: '2.0', id: 1, result: {} }, 400),
  [
    'ending a made-up session',
    (port) => request(port, '', { method: 'DELETE', headers: { ...wantsLegacy, 'Mcp-Session-Id': 'x' } }),
    404,
  ],
  ['a stream without a session', (port) => request(port, '', { method: 'GET', headers: wantsLegacy }), 400],
]

const SHAPES: readonly Row[] = [
  withHead('both lengths', { moreLines: ['Transfer-Encoding: chunked'] }, 400),
  withHead('two lengths', { moreLines: ['Content-Length: 3'] }, 400),
  withHeaders('a length with a sign', { 'Content-Length': '+10' }, 400),
  withHeaders('a negative length', { 'Content-Length': '-1' }, 400),
  withHeaders('a coding that is none', { 'Transfer-Encoding': 'chunked, identity', 'Content-Length': undefined }, 400),
  withHead('a coding with a blank before its colon', { moreLines: ['Transfer-Encoding : chunked'] }, 400),
  withHead('a folded header', { moreLines: ['X-Fold: a', ' b'] }, [400, 413]),
  withHead('a header with a bare CR', { moreLines: ['X-Bare: a\rb'] }, 400),
  withHead('a header with NUL', { moreLines: ['X-Nul: a\0b'] }, 400),
  withHead(
    'a chunk that is no number',
    { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } },
    400,
  ),
  withHead('headers without an end', { moreLines: [`X-Long: ${'x'.repeat(100_000)}`] }, 431),
  withHead('a flood of headers', { moreLines: Array.from({ length: 5_000 }, (_, n) => `X-${n}: 1`) }, 431),
  withHead('HTTP/2 by name', { version: '2.0' }, 400),
  withHead('HTTP/9.9', { version: '9.9' }, 400),
  withHead('an expectation that nobody meets', { headers: { Expect: 'a-pony' } }, 417),
  withHead('a refused sender that asks first', { headers: { Expect: '100-continue', Host: 'evil.example' } }, 403),
  ['no HTTP at all', () => 'hello\r\n\r\n', 400],
  ['TLS', () => Uint8Array.of(0x16, 0x03, 0x01, 0x00, 0xa5, 0x01, 0x00, 0x00, 0xa1, 0x03, 0x03), 400],
  [
    'a good call behind a refused one',
    (port) => request(port, '', { headers: { Host: 'evil.example', Connection: undefined } }) + request(port, GOOD),
    403,
  ],
  [
    'a call hidden in the body of a refused one',
    (port) => request(port, request(port, GOOD), { headers: { 'Content-Type': 'text/plain', Connection: undefined } }),
    415,
  ],
]

/** On a server that waits for little. */
const SLOW: readonly Row[] = [
  ['HTTP/2 with its preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 408]],
  ['only a beginning', () => 'POST /mcp HT', [400, 408]],
  ['headers that never end', (port) => `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`, 408],
  [
    'less than announced',
    (port) => request(port, GOOD, { headers: { 'Content-Length': String(GOOD.length + 1) } }),
    408,
  ],
]

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'another Host': HOSTS,
  'a page of another site': PAGES,
  'another method': METHODS,
  'another path': PATHS,
  'another resource': RESOURCES,
  'an odd body': BODIES,
  'odd JSON-RPC': PROTOCOL,
  'odd HTTP': SHAPES,
}

let served: Served
let impatient: Served

beforeAll(async () => {
  served = await serveFurnished({ limits: { bodyBytes: BODY_BYTES } })
  impatient = await serveFurnished({ limits: { headersMs: 150, requestMs: 250, checkMs: 25 } })
})

/** The JSON of a 200, in one piece or as an event. */
function answered(text: string): Record<string, unknown> {
  return JSON.parse(/\{"(?:jsonrpc|result|error|id)".*\}/.exec(text)?.[0] ?? '{}')
}

function expectRefused({ status, text }: Raw, expected: Expected): void {
  if (expected === 'closed') {
    expect(text).toBe('')
  } else if (expected === 'error') {
    const { error, result } = status === 200 ? answered(text) : { error: status, result: undefined }
    expect(error ?? (result as { isError?: boolean }).isError, text).toBeTruthy()
  } else {
    expect([expected].flat(), text).toContain(status)
  }
  expect(text).not.toMatch(/\bat .*\.(?:ts|js|mjs):\d|node_modules|node:internal/)
  expect(text.toLowerCase()).not.toContain('access-control-')
  expect(text.length).toBeLessThan(2_000)
}

describe.each(Object.entries(TABLE))('refuses %s', (_, rows) => {
  it.each(rows)('%s', async (_name, bytes, expected) => {
    const before = treeHash(served.folder)
    expectRefused(await raw(served.port, bytes(served.port)), expected)
    expect(treeHash(served.folder)).toBe(before)
  })
})

describe('refuses who never ends', () => {
  it.each(SLOW)('%s', async (_name, bytes, expected) => {
    const before = treeHash(impatient.folder)
    expectRefused(await raw(impatient.port, bytes(impatient.port)), expected)
    expect(treeHash(impatient.folder)).toBe(before)
  })
})

describe('after all of that', () => {
  it('there were more than a hundred', () => {
    expect(Object.values(TABLE).flat().length).toBeGreaterThan(100)
  })

  it('still refuses the flood of one who sends without end, in bounded memory', async () => {
    const before = treeHash(served.folder)
    const used = process.memoryUsage().rss
    const socket = connect(served.port, '127.0.0.1').on('error', () => undefined)
    socket.write(chunked(served.port, [])[0] ?? '')
    let isOpen = true
    socket.on('close', () => {
      isOpen = false
    })
    const part = `100000\r\n${'x'.repeat(0x100000)}\r\n`
    for (let sent = 0; isOpen && sent < 200; sent++) {
      if (!socket.write(part)) await Promise.race([new Promise((drained) => socket.once('drain', drained)), sleep(50)])
    }
    expect(isOpen).toBe(false)
    expect(process.memoryUsage().rss - used).toBeLessThan(150 * 1024 * 1024)
    expect(treeHash(served.folder)).toBe(before)
  })

  it('answers good calls, and the same request unchanged writes', async () => {
    const before = treeHash(served.folder)
    for (const host of [`127.0.0.1:${served.port}`, `LOCALHOST:${served.port}`, `[::1]:${served.port}`]) {
      const { status } = await raw(
        served.port,
        request(served.port, GOOD, { headers: { Host: host, Origin: undefined } }),
      )
      expect(status).toBe(200)
    }
    const own = { Origin: `http://localhost:${served.port}`, 'Sec-Fetch-Site': 'same-origin' }
    expect((await raw(served.port, request(served.port, GOOD, { headers: own }))).status).toBe(200)
    expect(treeHash(served.folder)).not.toBe(before)
    const client = await connected(served, 'legacy')
    expect((await client.callTool({ name: 'recall', arguments: { query: 'outside' } })).isError).toBeFalsy()
    await client.close()
  })
})

afterAll(() => served.end())
