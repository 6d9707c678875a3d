/** The server as a process: what it makes of lines that are none, of calls that are cancelled, and how it ends. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { cleanEnvironment, Desk, ended, MAIN, type Printed } from '../cli/keepsake.ts'
import { connect, ERAS, eventually, holdLock, textOf } from './harness.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** A server that is spoken to line by line. */
class Bare {
  readonly child: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<unknown, (answer: Printed) => void>()
  readonly #strays: Printed[] = []

  constructor(desk: Desk) {
    this.child = desk.start(['mcp'])
    this.child.stdin.on('error', () => undefined)
    createInterface(this.child.stdout).on('line', (line) => {
      const message = JSON.parse(line)
      const waiting = this.#waiting.get(message.id)
      if (waiting) waiting(message)
      else this.#strays.push(message)
    })
  }

  static async greeted(desk: Desk): Promise<Bare> {
    const bare = new Bare(desk)
    await bare.ask(INITIALIZE)
    bare.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return bare
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  async ask(message: { readonly id: unknown; readonly [key: string]: unknown }): Promise<Printed> {
    const answer = new Promise((resolve) => this.#waiting.set(message.id, resolve))
    this.send(message)
    return answer
  }

  call(id: unknown, name: string, args: object): Promise<Printed> {
    return this.ask({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
  }

  /** The next answer to something that has no id. */
  async stray(): Promise<Printed> {
    await eventually(
      () => this.#strays.length,
      (count) => count > 0,
    )
    return this.#strays.shift()
  }

  /** How it ended after `end` was done. */
  async endedAfter(end: () => void): Promise<{ readonly status: number | null; readonly stderr: string }> {
    const printed: string[] = []
    this.child.stderr.on('data', (chunk) => printed.push(String(chunk)))
    const exit = once(this.child, 'exit')
    end()
    const [status] = await exit
    return { status, stderr: printed.join('') }
  }
}

async function experiences(desk: Desk): Promise<readonly string[]> {
  const memory = await openMemory({ workspace: desk.workspace })
  const entries = await memory.list({ kinds: ['experience'] })
  await memory.close()
  return entries.map(({ content }) => content)
}

describe.concurrent('lines that are no messages', () => {
  it('are answered, and the server goes on', async () => {
    const desk = await Desk.empty()
    const bare = await Bare.greeted(desk)
    const { stdin } = bare.child
    const lines: readonly [string | Uint8Array, number, unknown][] = [
      ['{"jsonrpc":"2.0","id":1,', -32700, null],
      ['keepsake recall', -32700, null],
      [Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x80, 0x7d]), -32700, null],
      ['[]', -32600, null],
      [JSON.stringify([{ jsonrpc: '2.0', id: 7, method: 'ping' }]), -32600, null],
      ['7', -32600, null],
      ['null', -32600, null],
      ['{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
      ['{"jsonrpc":"2.0","id":"a"}', -32600, 'a'],
    ]
    for (const [line, code, id] of lines) {
      stdin.write(line)
      stdin.write('\n')
      expect(await bare.stray()).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
    }
    stdin.write('\n   \r\n\r\n')
    const piece = 'x'.repeat(1 << 20)
    for (let mb = 0; mb < 20; mb++) stdin.write(piece)
    stdin.write('\n')
    expect(await bare.stray()).toMatchObject({
      id: null,
      error: { code: -32600, message: expect.stringContaining('16 MB') },
    })
    // Notifications get no answer, known or not; neither does an answer to nothing.
    bare.send({ jsonrpc: '2.0', method: 'notifications/nonsense', params: { x: 1 } })
    bare.send({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'remember', arguments: { content: 'unasked' } } })
    bare.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'never' } })
    bare.send({ jsonrpc: '2.0', id: 99, result: {} })
    expect(await bare.ask({ jsonrpc: '2.0', id: 2, method: 'no/such' })).toMatchObject({ error: { code: -32601 } })
    const wrong = await bare.ask({
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'recall', arguments: 'x' },
    })
    expect(wrong).toMatchObject({ error: { code: -32602 } })
    // A line in pieces, in the middle of a character too, and without an end.
    const bytes = Buffer.from(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 4,
        method: 'tools/call',
        params: { name: 'remember', arguments: { content: 'größer' } },
      }),
    )
    const middle = bytes.indexOf(0xc3) + 1
    stdin.write(bytes.subarray(0, middle))
    const { status } = await bare.endedAfter(() => stdin.end(bytes.subarray(middle)))
    expect(status).toBe(0)
    expect(await experiences(desk)).toEqual(['größer'])
  })
})

describe.concurrent.each(ERAS)('a call that is cancelled, %s', (era) => {
  it('writes nothing, and the server goes on', async () => {
    const desk = await Desk.furnished()
    const { client } = await connect(desk, era)
    const release = holdLock(desk)
    const controller = new AbortController()
    const call = client.callTool(
      { name: 'remember', arguments: { content: 'never kept' } },
      { signal: controller.signal },
    )
    const failed = expect(call).rejects.toThrow()
    // It is waiting for the lock by the time that a later call is answered.
    expect(textOf(await client.callTool({ name: 'recall', arguments: {} }))).toContain('heron')
    controller.abort()
    await failed
    expect(textOf(await client.callTool({ name: 'recall', arguments: {} }))).toContain('heron')
    release()
    await client.callTool({ name: 'remember', arguments: { content: 'kept' } })
    expect(await experiences(desk)).toEqual(['The staging server moved.', 'kept'])
  })
})

describe('the end', () => {
  const SUBSCRIBE = { jsonrpc: '2.0', id: 'sub', method: 'resources/subscribe', params: { uri: 'keepsake://memory' } }

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'comes with %s, also with subscriptions open and calls in flight',
    async (signal) => {
      const desk = await Desk.furnished()
      const bare = await Bare.greeted(desk)
      await bare.ask(SUBSCRIBE)
      await bare.call(1, 'remember', { content: 'acknowledged' })
      holdLock(desk)
      for (let id = 2; id < 10; id++) bare.call(id, 'remember', { content: `in flight ${id}` })
      await bare.call(10, 'recall', {})
      const { status, stderr } = await bare.endedAfter(() => bare.child.kill(signal))
      expect([status, stderr]).toEqual([0, ''])
      expect(await experiences(desk)).toEqual(['The staging server moved.', 'acknowledged'])
    },
  )

  it('waits for no call: another server that waited for the lock before it waits on', async () => {
    const desk = await Desk.furnished()
    const [bare, other] = await Promise.all([Bare.greeted(desk), Bare.greeted(desk)])
    const release = holdLock(desk)
    const waiting = other.call(1, 'remember', { content: 'in the other' })
    // Each is waiting by the time that a later call is answered.
    await other.call(2, 'recall', {})
    bare.call(1, 'remember', { content: 'in flight' })
    await bare.call(2, 'recall', {})
    const end = bare.endedAfter(() => bare.child.kill('SIGTERM'))
    expect(await Promise.race([end, waiting])).toMatchObject({ status: 0 })
    release()
    expect((await waiting).result.isError).toBeUndefined()
    await other.endedAfter(() => other.child.kill('SIGTERM'))
    expect(await experiences(desk)).toEqual(['The staging server moved.', 'in the other'])
  })

  it('comes with the end of the input, also with 8 calls that wait for another process', async () => {
    const desk = await Desk.furnished()
    const bare = await Bare.greeted(desk)
    await bare.ask(SUBSCRIBE)
    await bare.call(1, 'remember', { content: 'acknowledged' })
    const release = holdLock(desk)
    const calls = [2, 3, 4, 5, 6, 7, 8, 9].map((id) => bare.call(id, 'remember', { content: `in flight ${id}` }))
    const { status, stderr } = await bare.endedAfter(() => bare.child.stdin.end())
    // Each is told that it was cut off, and so is whoever looks at the status.
    expect([status, stderr]).toEqual([1, ''])
    for (const { error } of await Promise.all(calls)) {
      expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('as a whole or not at all') })
    }
    release()
    expect(await experiences(desk)).toEqual(['The staging server moved.', 'acknowledged'])
  })

  it('comes after the answers when all was asked at once', async () => {
    const desk = await Desk.empty()
    const calls = Array.from({ length: 8 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'remember', arguments: { content: `number ${id}` } },
    }))
    const input = [INITIALIZE, ...calls].map((message) => JSON.stringify(message)).join('\n')
    const { status, stdout, stderr } = await desk.run(['mcp'], { input })
    expect([status, stderr]).toEqual([0, ''])
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.map(({ id }) => id).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 'hello'])
    expect(await experiences(desk)).toHaveLength(8)
  })

  it('comes when nobody reads any more', async () => {
    const desk = await Desk.furnished()
    const bare = await Bare.greeted(desk)
    const { status, stderr } = await bare.endedAfter(() => {
      bare.child.stdout.destroy()
      bare.call(1, 'recall', {})
    })
    expect([status, stderr]).toEqual([0, ''])
  })

  it('comes when the client is killed', async () => {
    const desk = await Desk.furnished()
    const client = spawn(process.execPath, ['-e', CLIENT, MAIN, JSON.stringify(INITIALIZE)], {
      cwd: desk.folder,
      env: cleanEnvironment(desk.folder),
    })
    const [line] = await once(createInterface(client.stdout), 'line')
    const pid = Number(line)
    expect(isRunning(pid)).toBe(true)
    client.kill('SIGKILL')
    await ended(client)
    expect(
      await eventually(
        () => isRunning(pid),
        (running) => !running,
      ),
    ).toBe(false)
  })
})

/** Starts a server, and tells its process id once that has answered. */
const CLIENT = `
  const server = require('node:child_process').spawn(process.execPath, [process.argv[1], 'mcp'])
  server.stdout.once('data', () => console.log(server.pid))
  server.stdin.write(process.argv[2] + '\\n')
`

/** A process that has ended may wait for its parent to notice. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe.concurrent('a workspace that can not be opened', () => {
  it('is told by each tool and resource, by a server that stays; once it is mended, it works', async () => {
    const desk = await Desk.furnished()
    const settings = readFileSync(join(desk.workspace, 'keepsake.yaml'))
    desk.edit('keepsake.yaml', 'format: 99\n')
    desk.edit('directives/memory.md', 'Mind the recall.\n')
    const before = desk.hash()
    const { client } = await connect(desk, 'modern')
    expect(client.getInstructions()).toContain('recall')
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(4)
    for (const [name, args] of [
      ['recall', {}],
      ['recall', { query: 'x' }],
      ['remember', { content: 'x' }],
      ['undo', {}],
    ] as const) {
      const result = await client.callTool({ name, arguments: args })
      expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'NEWER' } } })
      expect(textOf(result)).toContain('needs an update')
    }
    await expect(client.listResources()).rejects.toMatchObject({ code: -32603, message: expect.stringContaining('99') })
    await expect(client.readResource({ uri: 'keepsake://memory' })).rejects.toMatchObject({ code: -32603 })
    expect(desk.hash()).toBe(before)
    desk.edit('keepsake.yaml', settings)
    expect(textOf(await client.callTool({ name: 'recall', arguments: {} }))).toContain('heron')
  })
})

describe.concurrent('keepsake mcp', () => {
  it('says that an agent.yaml without spec.memory gives none, and ends', async () => {
    const desk = new Desk()
    desk.edit('../agent.yaml', 'spec: {}\n')
    const { status, stdout, stderr } = await desk.run(['mcp'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('agent.yaml gives its agents no memory: it has no spec.memory')
    expect(stderr).toContain('memory: {}')
    expect(await desk.json(['mcp'])).toMatchObject({ status: 1, error: { code: 'UNSUPPORTED' } })
  })

  it.each([
    [['--port', '80'], '--http'],
    [['--host', 'x'], '--http'],
    [['--http', '--port', '70000'], 'port'],
    [['--http', '--token-file', 'missing'], 'missing'],
    [['--tools', 'all'], 'crabtalk'],
  ])('refuses %j', async (args, word) => {
    const { status, error } = await (await Desk.empty()).json(['mcp', ...args])
    expect([status, error.code]).toEqual([2, 'INVALID'])
    expect(error.message + error.hint).toContain(word)
  })

  it('prints nothing of its own, whatever is asked for', async () => {
    const desk = await Desk.empty()
    expect(await desk.run(['mcp', '--json'], { input: '' })).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('warns about a memory or an agent that does not exist yet, and starts anyway', async () => {
    const desk = await Desk.furnished()
    const started = (...args: string[]) => desk.run(['mcp', ...args], { input: '' })
    expect(await started('--workspace', 'nowhere')).toEqual({
      status: 0,
      stdout: '',
      stderr: `keepsake: warning: there is no memory at ${desk.folder}/nowhere yet; the first write creates one\n`,
    })
    expect(await started('--agent', 'mian')).toEqual({
      status: 0,
      stdout: '',
      stderr: 'keepsake: warning: agent "mian" is new; did you mean "main"?\n',
    })
    expect((await started('--workspace', '.', '--agent', 'main')).stderr).toBe('')
    expect((await started('--workspace', 'nowhere', '--quiet')).stderr).toBe('')
    expect(existsSync(join(desk.folder, 'nowhere'))).toBe(false)
  })
})

const TERMINAL = 'script'
const noTerminal = spawnSync(TERMINAL, ['--version']).status === 0 ? undefined : `there is no "${TERMINAL}"`
if (noTerminal !== undefined) console.warn(`SKIPPED: keepsake mcp on a terminal: ${noTerminal}`)

describe.skipIf(noTerminal !== undefined)('on a terminal', () => {
  it('says in a line what it is and how to use it; not with --quiet', async () => {
    const desk = await Desk.empty()
    const inTerminal = async (command: string): Promise<string> =>
      (await desk.shell(`${TERMINAL} -qec '"$NODE" "$MAIN" ${command}' /dev/null < /dev/null`)).stdout
    expect(await inTerminal('mcp')).toMatch(/keepsake mcp: a server for programs.* keepsake install/)
    expect(await inTerminal('mcp --quiet')).not.toContain('keepsake mcp')
  })
})
