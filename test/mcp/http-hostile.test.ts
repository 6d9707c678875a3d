/**
 * Hostile requests that only MCP refuses: paths, JSON-RPC, sessions, tools and resources. Each is a call that would write, changed in one
 * way. What src/http refuses for every surface is in test/http/hostile.test.ts. A refusal is a 4xx or, in the body of a 200, an error of
 * the protocol or of the tool.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { treeHash } from '../cli/keepsake.ts'
import { type Expected, expectNothingRevealed, expectRefused, type Head, type Raw, raw } from '../http/raw.ts'
import { connected, modern, rememberCall, request, type Served, serveFurnished } from './http-served.ts'

const GOOD = rememberCall()

type Row = readonly [name: string, text: (port: number) => string, expected: Expected | 'error']

const withHead = (name: string, head: Head, expected: Expected): Row => [
  name,
  (port) => request(port, GOOD, head),
  expected,
]
const withHeaders = (name: string, headers: NonNullable<Head['headers']>, expected: Expected): Row =>
  withHead(name, { headers }, expected)
const withBody = (name: string, body: string, expected: Row[2], headers: Head['headers'] = {}): Row => [
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
    '/mcp;x',
    'http://evil.example/mcp',
  ].map((path) => withHead(`path ${path}`, { path }, 404)),
]

const RESOURCES: readonly Row[] = [
  'keepsake://entry/..%2F..%2Fetc%2Fpasswd',
  'keepsake://world/../../../etc/passwd',
  'keepsake://entry/%00',
  'keepsake://entry/__proto__',
  'file:///etc/passwd',
  'keepsake://memory/../../other/MEMORY.md',
].map(readsResource)

const CALLS: readonly Row[] = [
  withBody('a list of calls', `[${GOOD},${GOOD}]`, 400),
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

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'another path': PATHS,
  'another resource': RESOURCES,
  'an odd call': CALLS,
  'odd JSON-RPC': PROTOCOL,
}

let served: Served

beforeAll(async () => {
  served = await serveFurnished()
})

/** The JSON of a 200, in one piece or as an event. */
function answered(text: string): Record<string, unknown> {
  return JSON.parse(/\{"(?:jsonrpc|result|error|id)".*\}/.exec(text)?.[0] ?? '{}')
}

function expectError({ status, text }: Raw): void {
  const { error, result } = status === 200 ? answered(text) : { error: status, result: undefined }
  expect(error ?? (result as { isError?: boolean }).isError, text).toBeTruthy()
  expectNothingRevealed(text)
}

describe.each(Object.entries(TABLE))('refuses %s', (_, rows) => {
  it.each(rows)('%s', async (_name, text, expected) => {
    const before = treeHash(served.folder)
    const refused = await raw(served.port, text(served.port))
    if (expected === 'error') expectError(refused)
    else expectRefused(refused, expected)
    expect(treeHash(served.folder)).toBe(before)
  })
})

describe('after all of that', () => {
  it('the unchanged call writes, and a client is served', async () => {
    const before = treeHash(served.folder)
    expect((await raw(served.port, request(served.port, GOOD))).status).toBe(200)
    expect(treeHash(served.folder)).not.toBe(before)
    const client = await connected(served, 'legacy')
    expect((await client.callTool({ name: 'recall', arguments: { query: 'outside' } })).isError).toBeFalsy()
    await client.close()
  })
})
