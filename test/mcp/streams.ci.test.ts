/** The server on streams of this process: what a blocked event loop, a refused subscription and a mistake do to it. */
import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { LineTransport } from '../../src/mcp/line-transport.ts'
import type { ServedMemory } from '../../src/mcp/server.ts'
import { serveMcpStdio } from '../../src/mcp/stdio.ts'
import type { Store } from '../../src/ports/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import type { Tool } from '../../src/tools/index.ts'
import type { Printed } from '../cli/keepsake.ts'
import { eventually } from './harness.ts'

const INITIALIZE = {
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

class Spoken {
  readonly input: PassThrough = new PassThrough()
  readonly output: PassThrough = new PassThrough()
  readonly end: Promise<'answered' | 'cut off'>
  #text = ''

  constructor(served: ServedMemory, signal: AbortSignal = new AbortController().signal) {
    this.output.on('data', (chunk) => {
      this.#text += String(chunk)
    })
    this.end = serveMcpStdio(served, { input: this.input, output: this.output, signal })
  }

  send(...messages: readonly object[]): void {
    this.input.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
  }

  said(): readonly Printed[] {
    return this.#text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  async answer(id: unknown): Promise<Printed> {
    const find = (): Printed => this.said().find((message) => message.id === id)
    return eventually(find, (message) => message !== undefined)
  }
}

async function served(run: Tool['run'], store: Store = memoryStore()): Promise<ServedMemory> {
  const tool: Tool = {
    name: 'try',
    title: 'Try',
    description: 'Tries.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    everyday: false,
    run,
  }
  return { memory: await openMemory({ store }), tools: [tool], instructions: '', version: '0' }
}

/** The clock and timers used by the server's shutdown. */
function testClock() {
  let now = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const end = (): void => {
    spy.mockRestore()
    vi.useRealTimers()
  }
  onTestFinished(end)
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 10) {
      await turn()
      now += 10
      await vi.advanceTimersByTimeAsync(10)
    }
  }
  return {
    pass,
    /** Time passes, but no timer fires; then those that are due do. */
    standStill: async (ms: number): Promise<void> => {
      now += ms
      await pass(50)
    },
    end,
  }
}

const CALL = { id: 1, method: 'tools/call', params: { name: 'try', arguments: {} } }

describe('a line that is too long', () => {
  it('is answered under its id, wherever that stands', async () => {
    const spoken = new Spoken(await served(() => new Promise(() => undefined)))
    spoken.send(INITIALIZE)
    const params = { name: 'try', arguments: { text: 'x'.repeat(17 * 1024 * 1024) } }
    spoken.send({ id: 'at the head', method: 'tools/call', params })
    spoken.send({ method: 'tools/call', params, id: 2 })
    for (const id of ['at the head', 2]) {
      const refusal = { code: -32600, message: expect.stringContaining('16 MB') }
      expect(await spoken.answer(id)).toMatchObject({ error: refusal })
    }
    spoken.input.end()
    expect(await spoken.end).toBe('answered')
  })
})

describe('a line in pieces', () => {
  it('is read as a whole, cut in the middle of a character and without an end', async () => {
    const spoken = new Spoken(await served(() => new Promise(() => undefined)))
    spoken.send(INITIALIZE)
    await spoken.answer('hello')
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 'größer', method: 'ping' }))
    const middle = bytes.indexOf(0xc3) + 1
    spoken.input.write(bytes.subarray(0, middle))
    await new Promise((resolve) => setImmediate(resolve))
    expect(spoken.input.readableLength).toBe(0)
    spoken.input.end(bytes.subarray(middle))
    expect(await spoken.end).toBe('answered')
    expect(await spoken.answer('größer')).toMatchObject({ result: {} })
  })
})

describe('calls before the end of the input', () => {
  it('are answered also when the event loop stands still for longer than they are waited for', async () => {
    const clock = testClock()
    let answer: ((result: Awaited<ReturnType<Tool['run']>>) => void) | undefined
    const spoken = new Spoken(
      await served(
        () =>
          new Promise((resolve) => {
            answer = resolve
          }),
      ),
    )
    spoken.send(INITIALIZE, CALL)
    spoken.input.end()
    await clock.pass(500)
    await clock.standStill(1600)
    await clock.pass(100)
    answer?.({ text: 'done', structured: {} })
    expect(await spoken.end).toBe('answered')
    clock.end()
    expect(await spoken.answer(1)).toMatchObject({ result: { content: [{ text: 'done' }] } })
  })

  it('are answered with an error when they take too long, within two seconds', async () => {
    const clock = testClock()
    const spoken = new Spoken(await served(() => new Promise(() => undefined)))
    let end: string | undefined
    const over = spoken.end.then((how) => {
      end = how
    })
    spoken.send(INITIALIZE, CALL)
    spoken.input.end()
    await clock.pass(1200)
    expect(end).toBeUndefined()
    await clock.pass(700)
    expect(end).toBe('cut off')
    await over
    clock.end()
    expect(await spoken.answer(1)).toMatchObject({ error: { code: -32000 } })
  })

  it('are each answered, also where two of them have the same id', async () => {
    const answers: (() => void)[] = []
    const run: Tool['run'] = () =>
      new Promise((resolve) => {
        const text = `answer ${answers.length + 1}`
        answers.push(() => resolve({ text, structured: {} }))
      })
    const spoken = new Spoken(await served(run))
    const texts = (): readonly string[] =>
      spoken.said().flatMap(({ id, result }) => (id === 1 ? result.content[0].text : []))
    spoken.send(INITIALIZE, CALL, CALL)
    spoken.input.end()
    await vi.waitFor(() => expect(answers).toHaveLength(2), { timeout: 30_000, interval: 5 })
    answers[0]?.()
    await vi.waitFor(() => expect(texts()).toEqual(['answer 1']), { timeout: 30_000, interval: 5 })
    answers[1]?.()
    expect(await spoken.end).toBe('answered')
    expect(texts()).toEqual(['answer 1', 'answer 2'])
  })

  it('are answered with an error when the server is stopped', async () => {
    const stop = new AbortController()
    const spoken = new Spoken(await served(() => new Promise(() => undefined)), stop.signal)
    spoken.send(INITIALIZE, CALL, CALL)
    await spoken.answer('hello')
    stop.abort()
    expect(await spoken.end).toBe('answered')
    const errors = spoken.said().flatMap(({ id, error }) => (id === 1 ? error.code : []))
    expect(errors).toEqual([-32000, -32000])
  })
})

describe('a subscription of the 2026 era', () => {
  const LISTEN = {
    id: 'stream',
    method: 'subscriptions/listen',
    params: { _meta: ENVELOPE, notifications: { resourceSubscriptions: ['keepsake://memory'] } },
  }

  async function watched(): Promise<{ readonly spoken: Spoken; readonly watches: () => number }> {
    let watches = 0
    const store = memoryStore()
    const counting: Store = {
      ...store,
      watch: async (changed) => {
        watches++
        const watch = await store.watch(changed)
        return {
          stop: async () => {
            watches--
            await watch.stop()
          },
        }
      },
    }
    const spoken = new Spoken(await served(async () => ({ text: '', structured: {} }), counting))
    return { spoken, watches: () => watches }
  }

  it('has the memory watched once it is acknowledged, until it is cancelled', async () => {
    const { spoken, watches } = await watched()
    spoken.send(LISTEN)
    const acknowledged = await eventually(
      () => spoken.said(),
      (said) => said.length > 0,
    )
    expect([acknowledged[0].method, watches()]).toEqual(['notifications/subscriptions/acknowledged', 1])
    spoken.send({ method: 'notifications/cancelled', params: { requestId: 'stream' } })
    expect(await eventually(watches, (count) => count === 0)).toBe(0)
    // One that is cancelled before it is taken on.
    spoken.send({ ...LISTEN, id: 2 }, { method: 'notifications/cancelled', params: { requestId: 2 } })
    spoken.send({ id: 3, method: 'tools/list', params: { _meta: ENVELOPE } })
    await spoken.answer(3)
    expect(watches()).toBe(0)
    spoken.input.end()
    expect(await spoken.end).toBe('answered')
  })

  it.each([
    ['of a client of 2025', [INITIALIZE, LISTEN]],
    [
      'without its envelope',
      [
        { ...CALL, params: { ...CALL.params, _meta: ENVELOPE } },
        { ...LISTEN, params: LISTEN.params.notifications },
      ],
    ],
    [
      'of no shape',
      [{ ...LISTEN, params: { _meta: ENVELOPE, notifications: { resourceSubscriptions: ['keepsake://memory', 7] } } }],
    ],
  ])('that is refused has nothing watched: %s', async (_, messages) => {
    const { spoken, watches } = await watched()
    spoken.send(...messages)
    expect(await spoken.answer('stream')).toMatchObject({ error: { code: expect.any(Number) } })
    expect(watches()).toBe(0)
    spoken.input.end()
    expect(await spoken.end).toBe('answered')
  })
})

describe('a page of the list', () => {
  it('costs a page, however many there are: only what is on it is made into addresses', async () => {
    const ready = await served(async () => ({ text: '', structured: {} }))
    const names = Array.from({ length: 1000 }, (_, n) => `note ${String((n * 7) % 1000).padStart(3, '0')}`)
    await ready.memory.apply(names.map((name) => ({ op: 'add', kind: 'note', scope: 'main', name, content: name })))
    const spoken = new Spoken(ready)
    spoken.send(INITIALIZE, { id: 1, method: 'resources/list', params: {} })
    const first = (await spoken.answer(1)).result
    const decoded = vi.spyOn(globalThis, 'decodeURIComponent')
    const encoded = vi.spyOn(globalThis, 'encodeURIComponent')
    spoken.send({ id: 2, method: 'resources/list', params: { cursor: first.nextCursor } })
    const { resources } = (await spoken.answer(2)).result
    expect(decoded.mock.calls.length).toBeLessThan(5)
    expect(encoded.mock.calls.length).toBeLessThanOrEqual(resources.length)
    vi.restoreAllMocks()
    const seen = [...first.resources, ...resources].map(({ name }: Printed) => name)
    expect(seen).toEqual(['memory', ...names.toSorted().slice(0, seen.length - 1)])
    spoken.input.end()
    await spoken.end
  })
})

describe('a mistake of ours', () => {
  it('in what takes a message is told, and the next one is taken', async () => {
    const input = new PassThrough()
    const transport = new LineTransport(input, new PassThrough(), {
      arriving: () => undefined,
      leaving: async () => undefined,
    })
    const seen: string[] = []
    transport.onerror = (error) => void seen.push(error.message)
    transport.onmessage = (message) => {
      seen.push('taken')
      if ('id' in message && message.id === 1) throw new Error('ours')
    }
    await transport.start()
    input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    expect(
      await eventually(
        () => seen,
        (all) => all.length > 2,
      ),
    ).toEqual(['taken', 'ours', 'taken'])
    await transport.close()
  })
})
