/** A real memory behind the page's address, served by this very process, and clients for it: one that opened the link, and bare bytes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentMemories } from '../../src/agents/agent-memories.ts'
import { page } from '../../src/cli/page.ts'
import { HTTP_LIMITS, type HttpLimits } from '../../src/http/limits.ts'
import { type HttpOptions, serveHttp } from '../../src/http/serve.ts'
import { type Memory, type MemoryOptions, openMemory } from '../../src/index.ts'
import { createMemoryTools } from '../../src/tools/index.ts'
import { afterThisFile } from '../clean-up.ts'
import { freshFolder } from '../cli/keepsake.ts'

export interface ServedPage {
  readonly memory: Memory
  /** Of the workspace. */
  readonly root: string
  readonly origin: string
  readonly port: number
  /** A link that was not used. */
  newLink(): string
  readonly end: () => Promise<void>
}

interface ServeOptions extends Partial<Omit<HttpOptions, 'signal'>> {
  readonly limits?: Partial<HttpLimits>
  readonly memory?: Partial<MemoryOptions>
  readonly removeSample?: () => Promise<void>
}

/** With the memory, notes, a topic and a log in it; served until `end`, or the end of the tests of the file. */
export async function servePage({ limits, removeSample, ...options }: ServeOptions = {}): Promise<ServedPage> {
  const folder = freshFolder()
  const root = join(folder, '.keepsake')
  const memory = await openMemory({ workspace: root, timezone: 'UTC', embed: 'none', ...options.memory })
  await furnish(memory)
  const ending = new AbortController()
  const built = page(
    {
      memory,
      memories: new AgentMemories(memory),
      tools: createMemoryTools(memory),
      instructions: 'Recall first.',
      version: '0',
    },
    {
      folder: someFiles(folder),
      hasTools: true,
      around: {
        version: '0.0.0',
        root,
        store: 'filesystem',
        doctor: async () => ({ findings: [], checked: 1 }),
        wrote: () => undefined,
        ...(removeSample ? { removeSample } : {}),
      },
    },
  )
  const asked = { host: '127.0.0.1', port: 0, ...options, signal: ending.signal }
  const { origin, closed } = await serveHttp(asked, built.partsOf, { ...HTTP_LIMITS, ...limits })
  const end = async (): Promise<void> => {
    ending.abort()
    await closed
    await memory.close()
  }
  afterThisFile(end)
  return { memory, root, origin, port: Number(new URL(origin).port), newLink: () => built.newLink(origin), end }
}

async function furnish(memory: Memory): Promise<void> {
  await memory.reflect('Prefers short answers.')
  await memory.remember('Run make ship.', { name: 'Deploys', aliases: ['releases'], metadata: { sure: 0.9 } })
  await memory.remember('Call the printer first.', { name: 'Posters', description: 'Before a fair' })
  await memory.learnFact('Staging server', 'Its name is heron.')
  await memory.remember('The rack was moved.')
  await memory.remember('the billing bug', { kind: 'context', key: 'task' })
  await memory.as('scout').remember('Only scout knows.', { name: 'Secret of scout' })
  const session = memory.session('chat-1')
  await session.append([
    { role: 'user', content: 'Where is heron?' },
    { role: 'assistant', content: 'In the new rack.' },
  ])
  await session.compact({ summary: 'Heron is in the new rack.' })
  await session.append({ role: 'user', content: 'And the printer?' })
}

/** In place of the built page, which the tests in a browser are about. */
function someFiles(folder: string): string {
  const files = join(folder, 'page')
  mkdirSync(files)
  writeFileSync(join(files, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(files, 'main.js'), 'void 0')
  writeFileSync(join(files, 'main.css'), 'a{}')
  writeFileSync(join(files, 'notes.txt'), 'of nobody')
  return files
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly json: any
  readonly headers: Headers
}

export interface Visitor {
  readonly headers: Readonly<Record<string, string>>
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  get(path: string): Promise<Answer>
}

/** Who has opened the link, as a browser does. */
export async function visitor(served: Pick<ServedPage, 'origin' | 'newLink'>): Promise<Visitor> {
  const secret = served.newLink().split('#key=')[1]
  const { json, headers } = await asked(served.origin, {}, 'POST', '/open', { secret })
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  return visitorWith(served.origin, { Cookie: cookie, 'Keepsake-Key': json.key })
}

export function visitorWith(origin: string, headers: Readonly<Record<string, string>>): Visitor {
  return {
    headers,
    ask: (method, path, body) => asked(origin, headers, method, path, body),
    get: (path) => asked(origin, headers, 'GET', path),
  }
}

async function asked(
  origin: string,
  headers: Readonly<Record<string, string>>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const send = (): Promise<Response> =>
    fetch(`${origin}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  // A connection that was kept may just have been closed; browsers ask once more by themselves.
  const response = await send().catch(send)
  const text = await response.text()
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text), headers: response.headers }
}
