/** Both APIs over real sockets: what goes well. */
import { describe, expect, it } from 'vitest'
import { anthropicModel } from '../../src/complete/anthropic.ts'
import { openaiModel } from '../../src/complete/openai.ts'
import type { ModelMessage, ToolOffer } from '../../src/ports/complete.ts'
import { asked, KEY, PROVIDERS, scripted, streamed } from './scripted.ts'

const REMEMBER: ToolOffer = {
  name: 'remember',
  description: 'Keeps it.',
  inputSchema: { type: 'object', properties: { content: { type: 'string' } } },
}

const WITH_TOOLS: readonly ModelMessage[] = [
  { role: 'user', content: 'remember tea' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'remember', arguments: { content: 'tea' } }] },
  { role: 'tool', content: 'kept', callId: 'c1', name: 'remember' },
  { role: 'user', content: 'and cake' },
]

describe.each(PROVIDERS)('%s', (protocol, make) => {
  it('answers, whole and streamed, with what it used', async () => {
    const { model, requests } = await scripted(make, [{ text: 'Grüße aus dem Tal 🌄' }])
    const usage = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) }
    expect(await asked(model)).toEqual({ content: 'Grüße aus dem Tal 🌄', stop: 'end', usage })
    expect(await streamed(model)).toEqual({
      ...{ content: 'Grüße aus dem Tal 🌄', stop: 'end', usage },
      pieces: ['Grüße ', 'aus ', 'dem ', 'Tal ', '🌄'],
    })
    expect(requests.map(({ isStreamed }) => isStreamed)).toEqual([false, true])
    expect(requests[0]).toMatchObject({ protocol, model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [] })
  })

  it('sends system, tools, calls and results, each in its place', async () => {
    const { model, requests } = await scripted(make, [{ text: 'ok' }])
    await model.complete('and cake', {
      model: '',
      system: 'Be brief.',
      messages: WITH_TOOLS,
      tools: [REMEMBER],
      maxTokens: 77,
    })
    const [request] = requests
    expect(request).toMatchObject({ model: 'm', system: 'Be brief.', tools: ['remember'] })
    expect(request?.messages).toEqual([
      { role: 'user', content: 'remember tea' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'remember', arguments: { content: 'tea' } }] },
      { role: 'tool', content: 'kept' },
      { role: 'user', content: 'and cake' },
    ])
    expect(request?.body['max_tokens']).toBe(77)
    expect(request?.headers).toMatchObject(
      protocol === 'openai'
        ? { authorization: `Bearer ${KEY}` }
        : { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
    )
  })

  it('names the tools and asks for none of them, where the conversation holds calls', async () => {
    const { model, requests } = await scripted(make, [{ text: 'ok' }])
    const asking = { model: 'm', messages: WITH_TOOLS }
    await model.complete('and cake', { ...asking, tools: [REMEMBER], toolChoice: 'none' })
    await model.complete('and cake', asking)
    await asked(model)
    const none = protocol === 'openai' ? 'none' : { type: 'none' }
    expect(requests[0]).toMatchObject({ tools: ['remember'], mayCall: false, body: { tool_choice: none } })
    // Anthropic's API refuses calls without tools, others refuse a choice without them.
    const named = protocol === 'openai' ? { tools: [] } : { tools: ['remember'], body: { tool_choice: none } }
    expect(requests[1]).toMatchObject({ ...named, mayCall: false })
    expect(requests[2]?.body).not.toHaveProperty('tool_choice')
  })

  it.each([
    ['whole', asked],
    ['streamed', streamed],
  ] as const)('takes calls of tools, %s', async (_, ask) => {
    const toolCalls = [{ name: 'remember', arguments: { content: 'tea' } }, { name: 'recall' }]
    const { model } = await scripted(make, [{ text: 'Wait.', toolCalls }])
    const { content, stop, toolCalls: calls = [] } = await ask(model)
    expect({ content, stop }).toEqual({ content: 'Wait.', stop: 'tools' })
    expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['remember', { content: 'tea' }],
      ['recall', {}],
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  it.each(['length', 'refused'] as const)('tells that it ended by: %s', async (stop) => {
    const { model } = await scripted(make, [{ text: 'Once upon', stop }])
    expect(await asked(model)).toMatchObject({ content: 'Once upon', stop })
    expect(await streamed(model)).toMatchObject({ content: 'Once upon', stop })
  })

  it('takes a base URL with a slash, or with the whole path, and sends no key where there is none', async () => {
    const server = await scripted(make, [{ text: 'ok' }])
    const whole = `${server.url}${protocol === 'openai' ? '/chat/completions' : '/messages'}`
    for (const baseUrl of [server.url, `${server.url}/`, whole, `${server.url}?x=1`])
      await asked(make({ model: 'm', baseUrl }))
    expect(server.requests.map(({ path }) => path)).toEqual(Array(4).fill(new URL(whole).pathname))
    expect(JSON.stringify(server.requests[0]?.headers)).not.toMatch(/authorization|x-api-key/)
  })

  it('does the other when a server answers otherwise than it was asked', async () => {
    const { model } = await scripted(make, ({ isStreamed }) =>
      isStreamed
        ? { body: wholeBody(protocol) }
        : { body: streamBody(protocol), headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
    )
    expect(await streamed(model)).toMatchObject({ content: 'whole', pieces: ['whole'] })
    expect(await asked(model)).toMatchObject({ content: 'streamed', stop: 'end' })
  })

  it.each(['text/plain', 'text/event-stream', ''])(
    'takes a whole answer of the type "%s" to a streamed request',
    async (type) => {
      const body = `\n ${wholeBody(protocol)}`
      const { model } = await scripted(make, [{ body, headers: { 'content-type': type } }])
      expect(await streamed(model)).toMatchObject({ content: 'whole', pieces: ['whole'] })
    },
  )

  it('does not wait for the end of the connection once the answer has ended', async () => {
    let isClosed = false
    const send: typeof fetch = async () => {
      const stream = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(streamBody(protocol))),
        cancel: () => {
          isClosed = true
        },
      })
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
    }
    const model = make({ model: 'm', apiKey: KEY, fetch: send })
    expect(await streamed(model)).toMatchObject({ content: 'streamed', stop: 'end' })
    expect(isClosed).toBe(true)
  })

  it.each([{ error: '' }, { error: null }])('takes %j beside a good answer for no error', async (error) => {
    const body = JSON.stringify({ ...JSON.parse(wholeBody(protocol)), ...error })
    const { model } = await scripted(make, [{ body }])
    expect(await asked(model)).toMatchObject({ content: 'whole' })
  })

  it.each([
    [{ retries: Number.NaN }, /retries/],
    [{ retries: -1 }, /retries/],
    [{ retries: 'x' as never }, /retries/],
    [{ model: '' }, /model/],
    [{ model: undefined as never }, /model/],
    [{ model: 5 as never }, /model/],
  ])('is not made of %j', (options, message) => {
    expect(() => make({ model: 'm', ...options })).toThrowError(
      expect.objectContaining({ code: 'INVALID', message: expect.stringMatching(message) }),
    )
  })
})

function wholeBody(protocol: string): string {
  return JSON.stringify(
    protocol === 'openai'
      ? { choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }] }
      : { content: [{ type: 'text', text: 'whole' }], stop_reason: 'end_turn' },
  )
}

function streamBody(protocol: string): string {
  const events =
    protocol === 'openai'
      ? [{ choices: [{ delta: { content: 'streamed' }, finish_reason: 'stop' }] }]
      : [
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'streamed' } },
          { type: 'message_stop' },
        ]
  return events.map((event) => `data:${JSON.stringify(event)}\n\n`).join('')
}

describe('openai', () => {
  it('is asked at its own address, and in its own word for the longest answer', async () => {
    const sent: { readonly url: string; readonly body: unknown; readonly redirect: unknown }[] = []
    const send: typeof fetch = async (url, init) => {
      sent.push({ url: String(url), body: JSON.parse(String(init?.body)), redirect: init?.redirect })
      return Response.json({ choices: [{ message: { content: 'ok' } }] })
    }
    const asked = { model: 'm', maxTokens: 5, expectedTokens: 9 }
    await openaiModel({ model: 'm', apiKey: KEY, fetch: send }).complete('hi', asked)
    expect(sent).toEqual([
      {
        url: 'https://api.openai.com/v1/chat/completions',
        body: { model: 'm', messages: [{ role: 'user', content: 'hi' }], max_completion_tokens: 5 },
        redirect: 'manual',
      },
    ])
  })
})

describe('anthropic', () => {
  const make = anthropicModel

  it('takes a base URL without the version', async () => {
    const server = await scripted(make, [{ text: 'ok' }])
    await asked(make({ model: 'm', baseUrl: server.url.replace('/v1', '') }))
    expect(server.requests[0]?.path).toBe('/v1/messages')
  })

  it('joins what one role says in a row, begins with the user, and leaves out what is empty', async () => {
    const { model, requests } = await scripted(make, [{ text: 'ok' }])
    const messages: ModelMessage[] = [
      { role: 'assistant', content: 'Welcome back.' },
      { role: 'user', content: 'one' },
      { role: 'user', content: 'two' },
      { role: 'assistant', content: '  ' },
      { role: 'user', content: 'three' },
    ]
    await model.complete('three', { model: 'm', messages })
    expect(requests[0]?.body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: expect.any(String) }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Welcome back.' }] },
      { role: 'user', content: ['one', 'two', 'three'].map((text) => ({ type: 'text', text })) },
    ])
    expect(requests[0]?.body['max_tokens']).toBe(4096)
  })

  it.each([
    [{ expectedTokens: 100 }, 4096],
    [{ expectedTokens: 6000 }, 6000],
    [{ expectedTokens: 200_000 }, 32_000],
    [{ expectedTokens: 6000, maxTokens: 77 }, 77],
  ])('allows as long an answer as is expected: %j', async (tokens, allowed) => {
    const { model, requests } = await scripted(make, [{ text: 'ok' }])
    await model.complete('hi', { model: 'm', ...tokens })
    expect(requests[0]?.body['max_tokens']).toBe(allowed)
  })

  it('puts the results of tools into one message of the user, before their words', async () => {
    const { model, requests } = await scripted(make, [{ text: 'ok' }])
    const calls = ['a', 'b'].map((id) => ({ id, name: 'recall', arguments: 'no JSON' }))
    const messages: ModelMessage[] = [
      { role: 'user', content: 'look' },
      { role: 'assistant', content: 'Looking.', toolCalls: calls },
      { role: 'tool', content: 'found', callId: 'a', name: 'recall' },
      { role: 'tool', content: 'broken', callId: 'b', name: 'recall', isError: true },
      { role: 'user', content: 'well?' },
    ]
    await model.complete('well?', { model: 'm', messages })
    const [, second, third] = (requests[0]?.body['messages'] ?? []) as { content: unknown }[] // as ours sends them
    expect(second?.content).toEqual([
      { type: 'text', text: 'Looking.' },
      ...['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'recall', input: { unreadable: 'no JSON' } })),
    ])
    expect(third?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'found' },
      { type: 'tool_result', tool_use_id: 'b', content: 'broken', is_error: true },
      { type: 'text', text: 'well?' },
    ])
  })
})
