/** The local socket, as who serves and who asks have it: real sockets, in a folder of the test's own. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AgentMemories } from '../../src/agents/agent-memories.ts'
import { type AskOptions, askLocal } from '../../src/local/ask-local.ts'
import { GREETING } from '../../src/local/question.ts'
import { type LocalServing, serveLocal } from '../../src/local/serve-local.ts'
import { identityOf, type LocalPlace, newSocketPath, socketsAt } from '../../src/local/socket-place.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Embed } from '../../src/ports/embed.ts'
import type { Found, SearchOptions } from '../../src/recall/found.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { eventually } from '../mcp/harness.ts'

const IS_ROOT = userInfo().uid === 0
const SETUP = 'as usual'

/** Which letters a text has, as a vector: enough for searches to go by meaning too. */
const LETTERS: Embed = {
  model: 'letters',
  embed: async (texts) => texts.map(lettersOf),
  close: async () => undefined,
}

function lettersOf(text: string): Float32Array {
  const vector = new Float32Array(32)
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) % vector.length
    vector[at] = (vector[at] ?? 0) + 1
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

let workspaces: string
let folder: string
let memory: Memory
let place: LocalPlace
const servings: LocalServing[] = []
const servers: Server[] = []

beforeAll(async () => {
  workspaces = mkdtempSync(join(tmpdir(), 'keepsake-local-'))
  memory = await openMemory({ store: filesystemStore({ root: join(workspaces, 'ws') }), embed: LETTERS })
  await memory.remember('Run the smoke tests before a deploy.', { name: 'Deploys', metadata: { team: 'ops' } })
  await memory.learnFact('Staging', 'The heron stands in the pond.')
  await memory.as('scout').remember('Scouts deploy at night.', { name: 'Night deploys' })
  // The first search loads what all of them need, which may take longer than who asks will wait.
  await memory.search('deploy')
  await memory.embed()
})
afterAll(async () => {
  await memory.close()
  rmSync(workspaces, { recursive: true, force: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ks-'))
  place = { root: join(workspaces, 'ws'), version: '1.2.3', user: userInfo().uid, runtimeFolder: folder }
})
afterEach(async () => {
  await Promise.all(servings.splice(0).map((serving) => serving.close()))
  for (const server of servers.splice(0)) server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function serve(more: Partial<LocalPlace> = {}, setup = SETUP): Promise<LocalServing> {
  const serving = await serveLocal(new AgentMemories(memory), { place: { ...place, ...more }, setup })
  servings.push(serving)
  return serving
}

function ask(
  query: string,
  options: SearchOptions = {},
  more: { readonly agent?: string; readonly setup?: string; readonly place?: LocalPlace } & AskOptions = {},
): Promise<Found | undefined> {
  const { agent = 'main', setup = SETUP, place: at = place, ...call } = more
  // A client gives up in less; here it shares one thread with the server.
  return askLocal(at, { agent, setup, query, options }, { greetingMs: 20_000, answerMs: 30_000, ...call })
}

/** What a server says to these bytes after its greeting; nothing where it just hangs up. */
function said(path: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ path })
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text.replace(GREETING, '')))
    socket.write(bytes)
  })
}

function question(more: object = {}): string {
  const { version, root } = place
  const usual = { version, workspace: identityOf(root), setup: SETUP, agent: 'main', query: 'deploy', options: {} }
  return `${JSON.stringify({ ...usual, ...more })}\n`
}

/** Someone who listens under the name of a server and behaves otherwise. */
async function listenAs(behave: (server: Server) => void): Promise<string> {
  const path = newSocketPath(place, 0)
  const server = createServer()
  behave(server)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen({ path }, resolve))
  return path
}

/** As a server that is killed leaves it, a while ago or just now. */
function deadSocket(at: LocalPlace = place): string {
  const path = newSocketPath(at, 0)
  const killed = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  expect(() => execFileSync(process.execPath, ['-e', killed], { stdio: 'ignore' })).toThrow()
  return path
}

function age(path: string): void {
  const then = Date.now() / 1000 - 60
  utimesSync(path, then, then)
}

describe('a server of one agent', () => {
  it('embeds behind its answers for the others that are asked for, and no more once it is closed', async () => {
    const served = await openMemory({ store: memory.store, embed: LETTERS, searchBy: 'meaning too once loaded' })
    const memories = new AgentMemories(served)
    const serving = await serveLocal(memories, { place, setup: SETUP })
    servings.push(serving)
    const bob = memory.as('bob')
    await bob.remember('heron', { name: 'Bird' })
    const pending = async (): Promise<number | undefined> =>
      (await ask('norhe', {}, { agent: 'bob' }))?.searched.vectors?.pending
    expect(await pending()).toBe(1)
    await eventually(pending, (left) => left === 0)
    expect((await ask('norhe', { limit: 1 }, { agent: 'bob' }))?.hits[0]?.entry.name).toBe('Bird')
    await Promise.all([serving.close(), memories.close()])
    expect(await bob.embeddings()).toMatchObject({ pending: 0 })
  })
})

describe('a question over the local socket', () => {
  it.each<[string, SearchOptions]>([
    ['deploy', {}],
    ['deploy', { limit: 1, explain: true, kinds: ['note'] }],
    ['deploy', { where: [{ key: 'team', op: '=', value: 'ops' }], minScore: 0.01, budgetTokens: 500, mode: 'lexical' }],
    ['nothing like it', {}],
    ['heron -lake', { since: '2020-01-01T00:00:00.000Z' }],
    ['who watches birds?', { mode: 'semantic', minScore: 0, explain: true }],
  ])('has the answer that the memory itself gives: %s %j', async (query, options) => {
    await serve()
    const found = await ask(query, options)
    expect(found?.searched.mode).toBe(options.mode ?? 'hybrid')
    expect(found).toEqual(JSON.parse(JSON.stringify(await memory.search(query, options))))
  })

  it('is answered with what was written a moment ago, and not with what is purged', async () => {
    await serve()
    const { entry } = await memory.remember('A zeppelin passed by.')
    expect(JSON.stringify(await ask('zeppelin'))).toContain('passed by')
    const elsewhere = await openMemory({ store: filesystemStore({ root: place.root }) })
    await elsewhere.purge(entry.id)
    await elsewhere.close()
    expect(JSON.stringify(await ask('zeppelin'))).not.toContain('passed by')
  })

  it('may be about another agent of that workspace, and no other', async () => {
    await serve()
    const scopes = (found: Found | undefined): unknown => found?.searched.scopes
    const ofScout = await ask('deploy', {}, { agent: 'scout' })
    expect(ofScout?.hits.map(({ entry }) => entry.name)).toContain('Night deploys')
    expect(scopes(ofScout)).toEqual(['world', 'scout'])
    expect(scopes(await ask('deploy'))).toEqual(['world', 'main'])
    for (const agent of ['nobody', 'world', '../main', '']) expect(await ask('deploy', {}, { agent })).toBeUndefined()
  })

  it('is answered to many at once', async () => {
    await serve()
    const asked = Array.from({ length: 40 }, (_, at) => ask(at % 2 ? 'deploy' : 'heron'))
    const all = await Promise.all(asked)
    const [heron, deploy] = [await memory.search('heron'), await memory.search('deploy')]
    for (const [at, found] of all.entries()) expect(found?.hits).toEqual((at % 2 ? deploy : heron).hits)
  })

  it('finds the workspace through a link too', async () => {
    await serve()
    symlinkSync(place.root, join(folder, 'link'))
    expect(await ask('deploy', {}, { place: { ...place, root: join(folder, 'link') } })).toBeDefined()
  })
})

describe('nobody answers', () => {
  it('where there is no server, and nothing is made', async () => {
    expect(await ask('deploy')).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })

  it.each<[string, { readonly version?: string; readonly user?: undefined }]>([
    ['another version', { version: '1.2.4' }],
    ['a system without owners', { user: undefined }],
  ])('of %s', async (_, more) => {
    await serve()
    expect(await ask('deploy', {}, { place: { ...place, ...more } })).toBeUndefined()
    expect(await ask('deploy')).toBeDefined()
  })

  it('who is set up differently, or has another folder under that path', async () => {
    const { path } = await serve()
    expect(await ask('deploy', {}, { setup: 'German' })).toBeUndefined()
    expect(await said(path, question({ workspace: identityOf(folder) }))).toContain('another workspace')
    expect(await said(path, question())).toContain('"found"')
  })

  it('a search that is not allowed: who asked is told so by its own', async () => {
    await serve()
    expect(await ask('deploy', { limit: 1000 })).toBeUndefined()
    expect(await ask('  ')).toBeUndefined()
    expect(await ask('deploy')).toBeDefined()
  })

  it('a question that is too long, which is not even sent', async () => {
    const heard: Buffer[] = []
    await listenAs((server) => server.on('connection', (socket) => socket.on('data', (chunk) => heard.push(chunk))))
    expect(await ask('x'.repeat(1_100_000))).toBeUndefined()
    expect(heard).toEqual([])
  })

  it('in time: then it is not waited for', async () => {
    await listenAs((server) => server.on('connection', (socket) => socket.resume().write(GREETING)))
    expect(await ask('deploy', {}, { answerMs: 100 })).toBeUndefined()
  })

  it('and none of many even greets: not all of them are waited for', async () => {
    let asked = 0
    for (let at = 0; at < 12; at++) {
      await listenAs((server) =>
        server.on('connection', (socket) => {
          asked++
          socket.resume()
        }),
      )
    }
    expect(await ask('deploy', {}, { greetingMs: 300, answerMs: 3000 })).toBeUndefined()
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThan(12)
  })

  it.each([
    ['garbage', 'garbage\n'],
    ['another shape', '{"found":{"hits":3}}\n'],
    ['nothing', ''],
    ['half of it', '{"found":{"hits":[],"sear'],
  ])('with %s', async (_, text) => {
    await listenAs((server) => server.on('connection', (socket) => socket.end(GREETING + text)))
    expect(await ask('deploy')).toBeUndefined()
  })

  it('with hits of another shape, however deep that shows', async () => {
    const found = JSON.parse(JSON.stringify(await memory.search('deploy', { explain: true })))
    let text = ''
    await listenAs((server) => server.on('connection', (socket) => socket.end(`${GREETING}{"found":${text}}\n`)))
    const asked = async (answer: unknown): Promise<Found | undefined> => {
      text = JSON.stringify(answer)
      return ask('deploy')
    }
    const { hits, searched } = found
    expect(await asked(found)).toEqual(found)
    const others = [
      ...[
        { ...found, warnings: undefined },
        { ...found, searched: {} },
        { ...found, hits: [1, null] },
      ],
      { ...found, hits: [{}] },
      { ...found, hits: [{ ...hits[0], score: 'a' }] },
      { ...found, hits: [{ ...hits[0], entry: { id: 'x' } }] },
      { ...found, hits: [{ ...hits[0], entry: { ...hits[0].entry, kind: 'toString' } }] },
      { ...found, hits: [{ ...hits[0], why: { ...hits[0].why, words: [{}] } }] },
      { ...found, searched: { ...searched, understood: { ...searched.understood, ignored: 3 } } },
    ]
    for (const other of others) expect(await asked(other), JSON.stringify(other)).toBeUndefined()
  })

  it('who gave up asking', async () => {
    await listenAs((server) => server.on('connection', (socket) => socket.resume()))
    await expect(ask('deploy', {}, { signal: AbortSignal.timeout(50) })).rejects.toThrow()
  })
})

describe('a server', () => {
  it.each<[string, string | Buffer, RegExp]>([
    ['garbage', 'garbage\n', /no question/],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x0a]), /no question/],
    ['a list', '[]\n', /no question/],
    ['a query that is no text', refusedQuestion({ query: 7 }), /no question/],
    ['options that are none', refusedQuestion({ options: 'all' }), /no question/],
    ['another version', refusedQuestion({ version: '9' }), /version 1\.2\.3/],
  ])('refuses %s, and goes on', async (_, bytes, expected) => {
    const { path } = await serve()
    expect(await said(path, bytes)).toMatch(expected)
    expect(await ask('deploy')).toBeDefined()
  })

  it('hangs up on who sends without end', async () => {
    const { path } = await serve()
    expect(await said(path, Buffer.alloc(3_000_000, 'x'))).toBe('')
    expect(await ask('deploy')).toBeDefined()
  })

  it('accepts no signal, and refuses unknown search options', async () => {
    const { path } = await serve()
    const reply = await said(path, question({ options: { signal: { aborted: true } } }))
    expect(JSON.parse(reply).found.hits).toEqual((await memory.search('deploy')).hits)
    const refused = await said(path, question({ options: { nonsense: 1 } }))
    expect(JSON.parse(refused).no).toContain('there is no option "nonsense"')
  })

  it('listens where only this user can come, whatever the umask', async () => {
    const before = process.umask(0)
    const { path } = await serve().finally(() => process.umask(before))
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('leaves no socket when it ends', async () => {
    const { path, close } = await serve()
    await close()
    expect(existsSync(path)).toBe(false)
  })

  it('answers after the first of two is gone, killed or not', async () => {
    const dead = deadSocket()
    const first = await serve()
    const second = await serve()
    expect(socketsAt(place)).toEqual([dead, first.path, second.path])
    expect(await ask('deploy')).toBeDefined()
    await first.close()
    expect(await ask('deploy')).toBeDefined()
    expect(existsSync(second.path)).toBe(true)
    await second.close()
    expect(await ask('deploy')).toBeUndefined()
  })

  it('is asked in the place of one that hangs', async () => {
    await listenAs((server) => server.on('connection', (socket) => socket.resume()))
    await serve()
    expect(await ask('deploy', {}, { greetingMs: 300 })).toBeDefined()
  })

  it('is asked in the place of one that is set up differently', async () => {
    await serve({}, 'German')
    await serve()
    expect(await ask('deploy')).toBeDefined()
  })
})

describe('what a killed server left', () => {
  it('is cleared away by who asks, once it is certain that it is dead', async () => {
    const dead = deadSocket()
    expect(await ask('deploy')).toBeUndefined()
    // It might be about to listen.
    expect(existsSync(dead)).toBe(true)
    age(dead)
    expect(await ask('deploy')).toBeUndefined()
    expect(existsSync(dead)).toBe(false)
  })

  it('is cleared away by the next server, also that of another workspace', async () => {
    const dead = [deadSocket(), deadSocket({ ...place, root: folder })]
    for (const path of dead) age(path)
    const { path } = await serve()
    expect(readdirSync(dirname(path))).toHaveLength(1)
    expect(await ask('deploy')).toBeDefined()
  })
})

describe('the folder', () => {
  const spoiled: (readonly [string, (path: string) => void])[] = [
    ['that others may read', (path) => chmodSync(path, 0o755)],
    [
      'that is a link',
      (path) => {
        renameSync(path, `${path}-moved`)
        symlinkSync(`${path}-moved`, path)
      },
    ],
    [
      'that is a file',
      (path) => {
        rmSync(path, { recursive: true })
        writeFileSync(path, '')
      },
    ],
  ]
  if (IS_ROOT) spoiled.push(['of another user', (path) => chownSync(path, 12_345, 12_345)])

  it.each(spoiled)('%s is neither served in nor asked in', async (_, spoil) => {
    const { path } = await serve()
    spoil(dirname(path))
    expect(await ask('deploy')).toBeUndefined()
    await expect(serve()).rejects.toMatchObject({ code: 'FOREIGN' })
  })

  it('is another one where its path would be too long for a socket', async () => {
    const long = join(folder, 'x'.repeat(90))
    mkdirSync(long)
    const { path } = await serve({ runtimeFolder: long })
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(103)
    expect(path.startsWith(long)).toBe(false)
    expect(await ask('deploy', {}, { place: { ...place, runtimeFolder: long } })).toBeDefined()
  })

  it.runIf(IS_ROOT)('is not asked in for a socket of another user', async () => {
    const { path } = await serve()
    chownSync(path, 12_345, 12_345)
    expect(socketsAt(place)).toEqual([])
  })
})

/** Before the hooks have run there is no place yet; these differ in what is refused first. */
function refusedQuestion(more: object): string {
  const usual = { version: '1.2.3', workspace: '', setup: SETUP, agent: 'main', query: 'deploy', options: {} }
  return `${JSON.stringify({ ...usual, ...more })}\n`
}
