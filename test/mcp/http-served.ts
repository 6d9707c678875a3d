/** A real memory served over HTTP by this very process, and clients for it: the SDK's own, and bare bytes. */
import { connect } from 'node:net'
import { join } from 'node:path'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { HTTP_LIMITS, type HttpLimits } from '../../src/http/limits.ts'
import type { HttpOptions } from '../../src/http/serve.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { serveMcpHttp } from '../../src/mcp/http/serve.ts'
import type { Preset } from '../../src/model/preset.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { createMemoryTools, type Tool } from '../../src/tools/index.ts'
import { afterThisFile } from '../clean-up.ts'
import { freshFolder } from '../cli/keepsake.ts'
import type { Era } from './harness.ts'

export interface Served {
  readonly memory: Memory
  readonly folder: string
  readonly url: string
  readonly port: number
  readonly closed: Promise<void>
  readonly end: () => Promise<void>
}

interface ServeOptions extends Partial<Omit<HttpOptions, 'signal'>> {
  readonly limits?: Partial<HttpLimits>
  readonly clock?: Clock
  readonly preset?: Preset
  /** Beside the memory's own. */
  readonly moreTools?: readonly Tool[]
}

/** With a memory, two notes and a topic in it; served until `end`, or the end of the tests of the file. */
export async function serveFurnished({
  limits,
  clock,
  preset = 'default',
  moreTools = [],
  ...options
}: ServeOptions = {}): Promise<Served> {
  const folder = freshFolder()
  const memory = await openMemory({
    workspace: join(folder, '.keepsake'),
    timezone: 'UTC',
    tools: preset,
    soulEditable: true,
  })
  await memory.reflect('Prefers short answers.')
  await memory.remember('Run make ship.', { name: 'Deploys', aliases: ['releases'] })
  await memory.remember('Call the printer first.', { name: 'Posters' })
  await memory.learnFact('Staging server', 'Its name is heron.')
  const ending = new AbortController()
  const served = {
    memory,
    tools: [...createMemoryTools(memory), ...moreTools],
    instructions: 'Recall first.',
    version: '0',
  }
  const asked = { host: '127.0.0.1', port: 0, ...options, signal: ending.signal }
  const { url, closed } = await serveMcpHttp(served, asked, { ...HTTP_LIMITS, ...limits }, clock)
  const end = async () => {
    ending.abort()
    await closed
    await memory.close()
  }
  afterThisFile(end)
  return { memory, folder, url, port: Number(new URL(url).port), closed, end }
}

/** A client of either era, as agent programs have them. */
export async function connected(
  { url }: Pick<Served, 'url'>,
  era: Era,
  { token, ...options }: ClientOptions & { readonly token?: string } = {},
): Promise<Client> {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, ...options })
  const requestInit = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

export interface Raw {
  /** Of the first answer; undefined when the connection was closed without one. */
  readonly status: number | undefined
  readonly text: string
}

/** Sends bytes as they are, in the parts given, and takes what comes until the server closes. */
export function raw(port: number, bytes: string | Uint8Array | readonly (string | Uint8Array)[]): Promise<Raw> {
  const parts: readonly (string | Uint8Array)[] =
    typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    // A reset after the answer, or while still sending, is the server closing.
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      text += part.toString('latin1')
      // As clients do that are told it is too much.
      if (text.startsWith('HTTP/1.1 413')) socket.end()
    })
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
      resolve({ status: status === undefined ? undefined : Number(status), text })
    })
    for (const part of parts) socket.write(part)
  })
}

type Headers = Readonly<Record<string, string | undefined>>

export interface Head {
  readonly method?: string
  readonly path?: string
  readonly version?: string
  /** Over those of a good request; undefined leaves one out. */
  readonly headers?: Headers
  readonly moreLines?: readonly string[]
}

/** A whole request, good unless told otherwise; its connection ends with it. */
export function request(port: number, body: string, { method, path, version, headers, moreLines }: Head = {}): string {
  const all: Headers = {
    Host: `127.0.0.1:${port}`,
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'remember',
    Connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  const first = `${method ?? 'POST'} ${path ?? '/mcp'} HTTP/${version ?? '1.1'}`
  return `${[first, ...lines, ...(moreLines ?? [])].join('\r\n')}\r\n\r\n${body}`
}

/** A call that writes, in the protocol of 2026, which needs no session: what is refused is refused for what was changed in it. */
export function rememberCall(args: unknown = { content: 'Written from outside.' }, tool = 'remember'): string {
  return modern('tools/call', { name: tool, arguments: args })
}

export function modern(method: string, params: Readonly<Record<string, unknown>>, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: ENVELOPE } })
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
} as const
