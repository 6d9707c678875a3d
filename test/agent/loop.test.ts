import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AgentOptions, createAgent } from '../../src/agent/agent.ts'
import { type AgentEvent, Telling } from '../../src/agent/events.ts'
import { prompted } from '../../src/agent/prompted.ts'
import { Memory } from '../../src/memory.ts'
import { block } from '../../src/model/injected.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Workspace } from '../session/workspace.ts'
import { calls, said, saying, turnsOf } from './talk.ts'

let workspace: Workspace
let memory: Memory

beforeEach(() => {
  workspace = new Workspace()
  memory = workspace.open()
})
afterEach(() => workspace.remove())

const die = {
  name: 'die',
  description: 'Rolls a die.',
  inputSchema: { type: 'object', properties: {} },
  run: () => '4',
}

function agentWith(options: Omit<AgentOptions, 'memory'>): ReturnType<typeof createAgent> {
  return createAgent({ memory, ...options })
}

describe('a turn', () => {
  it('is taken down and answered', async () => {
    const { complete, asked } = saying({ content: 'Hello.', usage: { inputTokens: 3, outputTokens: 1 } })
    const reply = await agentWith({ model: { name: 'm1', complete } }).process('Hi there')
    expect(reply).toEqual({
      text: 'Hello.',
      session: 'chat-1',
      toolCalls: 0,
      usage: { inputTokens: 3, outputTokens: 1 },
      warnings: [],
    })
    expect(await said(memory)).toEqual(['user: Hi there', 'assistant: Hello.'])
    expect(asked[0]).toMatchObject({
      message: 'Hi there',
      model: 'm1',
      messages: [{ role: 'user', content: 'Hi there' }],
    })
    expect(asked[0]?.tools?.map(({ name }) => name)).toContain('remember')
  })

  it('gives the model instructions, memory and what is found, and keeps what is found out of the transcript', async () => {
    await memory.reflect('The user is called Ada.')
    await memory.remember('The staging server is called heron.', { name: 'Staging' })
    const { complete, asked } = saying()
    await agentWith({ model: complete, instructions: 'Speak like a sailor.' }).process('Where is the staging server?')
    const [first] = asked
    expect(first?.system).toMatch(/^Speak like a sailor\.\n\n---\n\nYou are main/)
    expect(first?.system).toContain('<memory>')
    expect(first?.system).toContain('The user is called Ada.')
    expect(first?.message).toMatch(/^<recall>[\s\S]*heron[\s\S]*<\/recall>\n\nWhere is the staging server\?$/)
    expect(first?.messages?.at(-1)?.content).toBe(first?.message)
    expect(await said(memory)).toEqual(['user: Where is the staging server?', 'assistant: ok'])
  })

  it('gives a bare prompt function the message, and takes its text', async () => {
    const seen: string[] = []
    const promptFn = async (message: string, options: { model: string }): Promise<{ content: string }> => {
      seen.push(message + options.model)
      return { content: 'fine' }
    }
    expect((await agentWith({ model: promptFn }).process('How are you?')).text).toBe('fine')
    expect(seen).toEqual(['How are you?'])
  })

  it('leaves memory and recall out where the preset does', async () => {
    const quiet = workspace.open({ tools: 'agnx' })
    await quiet.reflect('The user is called Ada.')
    const { complete, asked } = saying()
    await createAgent({ memory: quiet, model: complete }).process('What is my name, Ada?')
    expect(asked[0]?.system).not.toContain('<memory>')
    expect(asked[0]?.message).toBe('What is my name, Ada?')
  })

  it('is durable before the model is asked', async () => {
    const other = workspace.open()
    let there: string[] = []
    const { complete } = saying(async () => {
      there = await said(other)
      return {}
    })
    await agentWith({ model: complete }).process('Keep this.')
    expect(there).toEqual(['user: Keep this.'])
  })

  it.each(['', '  \n', block('recall', 'found')])('is refused where nobody says anything: %j', async (input) => {
    const { complete, asked } = saying()
    await expect(agentWith({ model: complete }).process(input)).rejects.toMatchObject({ code: 'INVALID' })
    expect(asked).toEqual([])
    expect(await said(memory)).toEqual([])
  })

  it('is told to be empty where the model says nothing', async () => {
    const { complete } = saying({ content: ' \n' })
    const reply = await agentWith({ model: complete }).process('Well?')
    expect(reply.text.trim()).toBe('')
    expect(reply.warnings).toEqual(['the model said nothing'])
    expect(await said(memory)).toEqual(['user: Well?'])
  })

  it('keeps what is no text for a transcript as far as it is', async () => {
    const { complete } = saying({ content: 'a\0b\ud800', stop: 'length' })
    const reply = await agentWith({ model: complete }).process('Well?')
    expect(reply.text).toBe('a\ufffdb\ufffd')
    expect(reply.warnings[0]).toMatch(/is cut/)
    expect(await said(memory)).toEqual(['user: Well?', 'assistant: a\ufffdb\ufffd'])
  })

  it('sends both questions after a call that failed', async () => {
    const { complete, asked } = saying(() => Promise.reject(new Error('down')))
    const agent = agentWith({ model: complete })
    await expect(agent.process('First?')).rejects.toThrow('down')
    expect(await said(memory)).toEqual(['user: First?'])
    await agent.process('Second?')
    expect(asked[1]?.messages).toEqual([{ role: 'user', content: 'First?\n\nSecond?' }])
  })

  it('tells of a model that gives no text', async () => {
    const nothing = (async () => ({})) as never
    await expect(agentWith({ model: nothing }).process('Hi')).rejects.toMatchObject({ code: 'MODEL' })
  })
})

describe('tools', () => {
  it('are run in order, and their results are sent and kept beside their calls', async () => {
    const two = [
      ...(calls('remember', { content: 'Likes tea.', name: 'Tea' }).toolCalls ?? []),
      ...(calls('die').toolCalls ?? []),
    ]
    const usage = { inputTokens: 5, outputTokens: 2 }
    const { complete, asked } = saying(
      { content: 'One moment.', toolCalls: two, usage },
      { content: 'Done: 4.', usage },
    )
    const events: AgentEvent[] = []
    const agent = agentWith({ model: complete, tools: [die] })
    const reply = await agent.process('I like tea. Roll!', { on: (event) => events.push(event) })
    expect(reply).toMatchObject({ text: 'Done: 4.', toolCalls: 2, usage: { inputTokens: 10, outputTokens: 4 } })
    expect(await memory.get('Tea')).toMatchObject({ content: 'Likes tea.', origin: { by: 'agent', session: 'chat-1' } })
    const turns = await turnsOf(memory)
    expect(turns.map(({ role, tools }) => [role, ...tools])).toEqual([
      ['user'],
      ['assistant', 'remember', 'die'],
      ['tool', 'remember'],
      ['tool', 'die'],
      ['assistant'],
    ])
    expect(turns[1]?.metadata['calls']).toEqual(two)
    expect(turns[3]).toMatchObject({ content: '4', metadata: { call: 'call-die' } })
    expect(asked[1]?.messages?.slice(1)).toMatchObject([
      { role: 'assistant', content: 'One moment.', toolCalls: two },
      { role: 'tool', callId: 'call-remember' },
      { role: 'tool', callId: 'call-die', content: '4', name: 'die' },
    ])
    expect(events.map(({ type }) => type)).toEqual([
      'text',
      'tool-call',
      'tool-result',
      'tool-call',
      'tool-result',
      'text',
    ])
    // The next turn is sent the same again.
    await agent.process('And?')
    expect(asked[2]?.messages?.slice(1, 4)).toEqual(asked[1]?.messages?.slice(1))
  })

  it('that fail, that are not there or that are called wrongly are told to the model', async () => {
    const broken = { ...die, name: 'broken', run: () => Promise.reject(new Error('no luck')) }
    const wrong = { toolCalls: [{ id: 'x', name: 'die', arguments: '{"a' }] }
    const { complete, asked } = saying(calls('broken'), calls('nope'), wrong, calls('remember'), { content: 'Sorry.' })
    const reply = await agentWith({ model: complete, tools: [die, broken] }).process('Try')
    expect(reply).toMatchObject({ text: 'Sorry.', toolCalls: 4 })
    const results = asked.at(-1)?.messages?.filter(({ role }) => role === 'tool') ?? []
    expect(results).toMatchObject([
      { isError: true, content: 'broken failed: no luck' },
      { isError: true, content: expect.stringContaining('no tool "nope"') },
      { isError: true, content: expect.stringContaining('no JSON object') },
      { isError: true, content: expect.stringContaining('content') },
    ])
  })

  it('end after the most steps, with a last call that may not use them', async () => {
    const again = calls('die')
    const { complete, asked } = saying(again, again, { content: 'Enough.', ...again })
    const reply = await agentWith({ model: complete, tools: [die], maxSteps: 2 }).process('Roll for ever')
    expect(reply).toMatchObject({ text: 'Enough.', toolCalls: 2 })
    expect(asked.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined, 'none'])
    expect(asked[2]?.tools?.map(({ name }) => name)).toContain('die')
    const ids = asked[2]?.messages?.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
    expect(new Set(ids).size).toBe(2)
  })

  it('with one name twice, or that can not be run, are refused when the agent is made', () => {
    const { complete } = saying()
    const { run, ...lame } = die
    expect(() => agentWith({ model: complete, tools: [lame as typeof die] })).toThrow(/"die" can't be run/)
    expect(() => agentWith({ model: complete, tools: [{ ...die, name: 'remember' }] })).toThrow(
      /"remember" is there twice/,
    )
    expect(() => agentWith({ model: complete, maxSteps: 0 })).toThrow(/maxSteps/)
    expect(() => agentWith({ model: {} as never })).toThrow(/model/)
  })
})

describe('streaming and stopping', () => {
  it('tells each piece, and a text that was not streamed in one', async () => {
    const { complete } = saying((asked) => {
      for (const piece of ['Hel', 'lo']) asked.onText?.(piece)
      return { content: 'Hello' }
    })
    const agent = agentWith({ model: complete })
    const texts: string[] = []
    const on = (event: AgentEvent): void => void (event.type === 'text' && texts.push(event.text))
    await agent.process('Hi', { on })
    await agent.process('Hi again', { on })
    expect(texts).toEqual(['Hel', 'lo', 'ok'])
  })

  it('keeps what was said when the user stops it, and says why it ended', async () => {
    const controller = new AbortController()
    const { complete, asked } = saying((asked) => {
      asked.onText?.('The answer is')
      controller.abort(new Error('enough'))
      asked.onText?.(' never heard')
      return new Promise(() => undefined)
    })
    const agent = agentWith({ model: complete })
    const options = { signal: controller.signal, on: () => undefined }
    await expect(agent.process('Tell me', options)).rejects.toThrow('enough')
    expect(await said(memory)).toEqual(['user: Tell me', 'assistant: The answer is'])
    await agent.process('Go on')
    expect(asked[1]?.messages?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('keeps what ran when the user stops a tool, with a result for every call', async () => {
    const controller = new AbortController()
    const slow = {
      ...die,
      name: 'slow',
      run: () => {
        controller.abort(new Error('enough'))
        return new Promise<string>(() => undefined)
      },
    }
    const three = ['die', 'slow', 'die'].map((name, index) => ({ id: `c${index}`, name, arguments: {} }))
    const { complete } = saying({ toolCalls: three })
    const agent = agentWith({ model: complete, tools: [die, slow] })
    const events: string[] = []
    const on = (event: AgentEvent): void => void ('call' in event && events.push(`${event.type} ${event.call.id}`))
    await expect(agent.process('Roll', { signal: controller.signal, on })).rejects.toThrow('enough')
    expect(events).toEqual(['tool-call c0', 'tool-result c0', 'tool-call c1', 'tool-result c1'])
    expect((await said(memory)).slice(2)).toEqual([
      'tool: 4',
      'tool: The user stopped this before it gave an answer.',
      'tool: The user stopped this before it gave an answer.',
    ])
  })

  it('goes on where a listener fails, and tells it once', async () => {
    const { complete } = saying(calls('die'), { content: 'Done.' })
    const on = (): never => {
      throw new Error('no screen')
    }
    const reply = await agentWith({ model: complete, tools: [die] }).process('Roll', { on })
    expect(reply).toMatchObject({ text: 'Done.', warnings: ['what listens to the agent failed: no screen'] })
    const later = async (): Promise<never> => on()
    const other = await agentWith({ model: saying().complete }).process('Well?', { on: later })
    expect(other).toMatchObject({ text: 'ok', warnings: ['what listens to the agent failed: no screen'] })
  })
})

describe('one session', () => {
  it('is answered in order; others do not wait; who gives up waiting has said nothing', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { complete } = saying(async () => {
      await held
      return { content: 'one' }
    })
    const agent = agentWith({ model: complete })
    const first = agent.process('1')
    // Another agent of the same memory stands in the same queue.
    const second = createAgent({ memory, model: saying({ content: 'two' }).complete }).process('2')
    const controller = new AbortController()
    const third = agent.process('3', { signal: controller.signal })
    controller.abort(new Error('too slow'))
    await expect(third).rejects.toThrow('too slow')
    expect((await agent.process('elsewhere', { session: 'other' })).session).toBe('other')
    release()
    await Promise.all([first, second])
    expect(await said(memory)).toEqual(['user: 1', 'assistant: one', 'user: 2', 'assistant: two'])
    expect(await said(memory, 'other')).toEqual(['user: elsewhere', 'assistant: ok'])
  })

  it('goes on after a restart: the window as messages, what was before it and the memory in the system prompt', async () => {
    const before = workspace.open({ contextWindowSize: 2 })
    const agent = createAgent({ memory: before, model: saying().complete })
    for (const number of [1, 2, 3, 4]) await agent.process(`Question number ${number}`)
    await before.reflect('The user counts.')
    await before.close()
    const after = workspace.open({ contextWindowSize: 2 })
    const { complete, asked } = saying()
    await createAgent({ memory: after, model: complete }).process('Question number 5')
    expect(asked[0]?.messages?.map(({ content }) => content.split('\n').at(-1))).toEqual([
      'Question number 4',
      'ok',
      'Question number 5',
    ])
    expect(asked[0]?.system).toMatch(/<memory>[\s\S]*The user counts\.[\s\S]*<recap>[\s\S]*- user: Question number 1\n/)
    expect(asked[0]?.system).toContain('- user: Question number 3\n')
    expect(asked[0]?.system).not.toContain('- user: Question number 4')
  })

  it('recalls nothing that stands in the recap, but what is cut there', async () => {
    const small = workspace.open({ contextWindowSize: 1 })
    const { complete, asked } = saying()
    const agent = createAgent({ memory: small, model: complete })
    const long = `The ferry to Bergen takes dogs. ${'So it is said. '.repeat(30)}And it takes parrots.`
    for (const input of ['The harbour of Bergen is deep.', long, 'Thanks.', 'What of Bergen?'])
      await agent.process(input)
    const { system = '', message = '' } = asked.at(-1) ?? {}
    expect(system).toContain('- user: The harbour of Bergen is deep.')
    expect(message).not.toContain('deep')
    expect(system).not.toContain('parrots')
    expect(message).toContain('parrots')
  })

  it('has the message alone where the window holds no exchange', async () => {
    const none = workspace.open({ contextWindowSize: 0 })
    const { complete, asked } = saying({}, calls('die'))
    const agent = createAgent({ memory: none, model: complete, tools: [die] })
    await agent.process('One')
    await agent.process('Two')
    expect(asked[1]?.messages).toMatchObject([{ role: 'user', content: expect.stringMatching(/Two$/) }])
    expect(asked[2]?.messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }])
    expect(asked[1]?.system).toContain('- user: One')
  })

  it('that another program begins anew at this very moment still has the message', async () => {
    const session = memory.session('chat-1')
    await session.append({ role: 'user', content: 'Long ago' })
    const { turns } = await session.append({ role: 'user', content: 'Just now' })
    await session.reset()
    const [asked] = turns
    if (!asked) expect.unreachable()
    const prompt = await prompted(
      { session, asked, instructions: '', windowSize: 5, telling: new Telling(undefined) },
      {},
    )
    expect(prompt.turns).toEqual([asked])
    expect(prompt.system).not.toContain('Long ago')
  })

  it('leaves slash words that it does not know to the model', async () => {
    const { complete, asked } = saying()
    await agentWith({ model: complete }).process('/new feature: a door')
    expect(asked[0]?.message).toBe('/new feature: a door')
  })
})

describe('an agent', () => {
  it('removes what has expired soon after it began, until it is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let now = Date.parse('2026-01-01T00:00:00Z')
      const own = new Memory(memoryStore(), 'main', () => now)
      const expire = async (): Promise<void> => {
        await own.remember('Short-lived.', { name: 'Short', ttl: '1h' })
        now += 7_200_000
      }
      await expire()
      const agent = createAgent({ memory: own, model: saying().complete })
      const log = async (): Promise<number> => (await own.log()).length
      const before = await log()
      vi.advanceTimersByTime(2000)
      await vi.waitFor(async () => expect(await log()).toBe(before + 1), { timeout: 30_000 })
      agent.close()
      await expire()
      const closed = await log()
      vi.advanceTimersByTime(7_200_000)
      await new Promise((resolve) => setImmediate(resolve))
      expect(await log()).toBe(closed)
      await expect(agent.process('Hi')).rejects.toMatchObject({ code: 'CLOSED' })
    } finally {
      vi.useRealTimers()
    }
  })
})
