/** A real memory served over HTTP by this very process, and clients for it: the SDK's own, and the text of bare requests. */
import { join } from 'node:path'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { HTTP_LIMITS, type HttpLimits } from '../../src/http/limits.ts'
import type { HttpOptions } from '../../src/http/serve.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { MCP_PATH } from '../../src/mcp/http/mcp-part.ts'
import { serveMcpHttp } from '../../src/mcp/http/serve.ts'
import type { Preset } from '../../src/model/preset.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { createMemoryTools, type Tool } from '../../src/tools/index.ts'
import { afterThisFile } from '../clean-up.ts'
import { freshFolder } from '../cli/keepsake.ts'
import { type Head, requestText } from '../http/raw.ts'
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

/** A call of a tool, good unless changed; its connection ends with it. */
export function request(port: number, body: string, { headers, path = MCP_PATH, ...head }: Head = {}): string {
  const own = {
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'remember',
  }
  return requestText(port, body, { path, headers: { ...own, ...headers }, ...head })
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
