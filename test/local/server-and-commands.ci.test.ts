/** A running server and the commands beside it: the built program in processes of its own, and vectors from a server of the test's. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cleanEnvironment, Desk, MAIN, type Printed } from '../cli/keepsake.ts'
import { eventually } from '../mcp/harness.ts'

const QUERY = 'how do I address this person?'
const FACT = 'User prefers to be called Alex'

let vectors: Server
let desk: Desk
let runtime: string
const started: ChildProcessWithoutNullStreams[] = []

beforeAll(async () => {
  vectors = createServer(async (request, response) => {
    const { input } = (await json(request)) as { readonly input: readonly string[] }
    const data = input.map((text, index) => ({ index, embedding: /alex|address/i.test(text) ? [1, 0, 0] : [0, 1, 0] }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
  await new Promise<void>((resolve) => vectors.listen(0, '127.0.0.1', resolve))
  const { port } = vectors.address() as AddressInfo // it listens on a port
  desk = await Desk.furnished()
  await desk.make(['remember', FACT, '--kind', 'fact'])
  const model = `{ model: three, base_url: "http://127.0.0.1:${port}/v1" }`
  const memory = `    workspace: .keepsake\n    embedding_model: ${model}\n`
  writeFileSync(join(desk.folder, 'agent.yaml'), `kind: Agent\nspec:\n  memory:\n${memory}`)
  runtime = join(desk.folder, 'run')
  mkdirSync(runtime, { mode: 0o700 })
})
afterAll(async () => {
  const running = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  await Promise.all(running.map(killed))
  vectors.close()
})

/** With the model of agent.yaml. */
function env(folder = runtime): Readonly<Record<string, string>> {
  return { XDG_RUNTIME_DIR: folder, KEEPSAKE_EMBEDDING_MODEL: '' }
}

async function killed(child: ChildProcessWithoutNullStreams): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

interface Talking {
  readonly child: ChildProcessWithoutNullStreams
  call(method: string, params: object): Promise<Printed>
  /** How the first recall searched. */
  readonly firstMode: string
}

async function startServer({ folder }: Desk = desk): Promise<Talking> {
  const before = sockets().length
  const child = spawn(process.execPath, [MAIN, 'mcp'], { cwd: folder, env: cleanEnvironment(folder, env()) })
  started.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  const call = async (method: string, params: object): Promise<Printed> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`)
    return JSON.parse(String((await lines.next()).value)).result
  }
  await call('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const first = await call('tools/call', { name: 'recall', arguments: { query: QUERY } })
  await eventually(sockets, (all) => all.length > before)
  return { child, call, firstMode: first.structuredContent.searched.mode }
}

function sockets(): readonly string[] {
  try {
    return readdirSync(join(runtime, 'keepsake'))
  } catch {
    return []
  }
}

function recalled(...more: readonly string[]): Promise<Printed> {
  return desk.json(['recall', QUERY, ...more], { env: env() })
}

async function hooked(): Promise<string> {
  const input = JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: QUERY })
  return (await desk.run(['hook', 'claude'], { env: env(), input })).stdout
}

it('a command that runs once finds by meaning while a server runs, and by words while none does', async () => {
  expect((await recalled()).searched.mode).toBe('lexical')
  expect(await hooked()).toBe('{}\n')
  const first = await startServer()
  // The first answer waits for no model.
  expect(first.firstMode).toBe('lexical')
  const found = await eventually(recalled, ({ searched }) => searched.vectors?.pending === 0)
  expect(found.searched).toMatchObject({ mode: 'hybrid', vectors: { pending: 0 } })
  expect(found.hits[0].entry.content).toBe(FACT)
  await eventually(hooked, (answer) => answer.includes(FACT))
  const own = await first.call('tools/call', { name: 'recall', arguments: { query: QUERY } })
  expect(own.structuredContent.searched.mode).toBe('hybrid')
  // An absence is explained as the server would have searched.
  const { whyNot } = await eventually(
    () => recalled('--why-not', found.hits[0].entry.id),
    (answer) => answer.whyNot.why.meaning !== undefined,
  )
  expect([whyNot.reason, whyNot.why.meaning.cosine]).toEqual(['found', 1])
  // What another process has just written, the server has too.
  await desk.make(['remember', 'An okapi lives here'])
  const okapi = { name: 'recall', arguments: { query: 'okapi' } }
  expect((await first.call('tools/call', okapi)).structuredContent.hits[0].content).toBe('An okapi lives here')
  await desk.make(['remember', 'A pangolin digs'])
  const pangolin = await eventually(
    () => desk.json(['recall', 'pangolin'], { env: env() }),
    ({ searched }) => searched.mode === 'hybrid',
  )
  expect(pangolin.hits[0].entry.content).toBe('A pangolin digs')
  // A server embeds for its own agent; for another, behind an answer that had to do without.
  await desk.make(['remember', 'Alexandra is the boss', '--agent', 'scout'])
  const scout = await eventually(
    () => recalled('--mode', 'semantic', '--agent', 'scout'),
    ({ searched }) => searched.vectors.pending === 0,
  )
  expect([scout.searched.vectors.pending, scout.hits[0].entry.content]).toEqual([0, 'Alexandra is the boss'])
  // Words are words, also beside a server.
  expect((await recalled('--mode', 'lexical')).searched.mode).toBe('lexical')

  const second = await startServer()
  expect(sockets()).toHaveLength(2)
  await killed(first.child)
  expect(sockets()).toHaveLength(2)
  expect((await eventually(recalled, ({ searched }) => searched.mode === 'hybrid')).hits[0].entry.content).toBe(FACT)

  second.child.stdin.end()
  await once(second.child, 'exit')
  const [left = '', ...others] = sockets()
  expect(others).toEqual([])
  utimesSync(join(runtime, 'keepsake', left), 0, 0)
  expect((await recalled()).searched.mode).toBe('lexical')
  expect(sockets()).toEqual([])
  // Without a server, who names the mode loads the model.
  expect((await recalled('--mode', 'semantic')).hits[0].entry.content).toBe(FACT)
})

it('a server that can load no model says what is missing, and once what to do', async () => {
  const own = await Desk.furnished()
  writeFileSync(
    join(own.folder, 'agent.yaml'),
    'spec:\n  memory:\n    embedding_model: { model: m, api_key_env: NO_KEY }\n',
  )
  const { call, child } = await startServer(own)
  const recall = (): Promise<Printed> => call('tools/call', { name: 'recall', arguments: { query: 'printer' } })
  const unattended = 'its api_key_env is not OPENAI_API_KEY'
  const told = await eventually(recall, ({ structuredContent }) => structuredContent.warnings !== undefined)
  expect(told.structuredContent.searched.wordsOnly).toContain(unattended)
  expect(told.structuredContent.warnings[0]).toContain('keepsake embed')
  const again = await recall()
  expect(again.content[0].text).toContain(unattended)
  expect(again.structuredContent.warnings).toBeUndefined()
  await killed(child)
})

it('a server whose folder for sockets is not its own says so and serves all the same', async () => {
  const elsewhere = join(desk.folder, 'open')
  mkdirSync(join(elsewhere, 'keepsake'), { recursive: true })
  const child = spawn(process.execPath, [MAIN, 'mcp'], {
    cwd: desk.folder,
    env: cleanEnvironment(desk.folder, env(elsewhere)),
  })
  started.push(child)
  const [told] = await once(child.stderr, 'data')
  expect(String(told)).toContain('other commands search by words')
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})
