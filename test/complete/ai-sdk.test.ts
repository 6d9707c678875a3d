/** A model of the AI SDK, the real package, over a real socket. */
import { inspect } from 'node:util'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { describe, expect, it } from 'vitest'
import {
  type Script,
  type ScriptedModel,
  type ScriptedReply,
  startScriptedModel,
} from '../../examples/scripted-model.mjs'
import { type AiSdkModel, aiSdkModel } from '../../src/complete/ai-sdk.ts'
import { isKeepsakeError } from '../../src/errors.ts'
import type { Model, ModelMessage } from '../../src/ports/complete.ts'
import { afterThisFile } from '../clean-up.ts'
import { asked, KEY, streamed } from './scripted.ts'

async function served(
  replies: readonly (ScriptedReply | undefined)[],
  onRequest: () => void = () => {},
): Promise<ScriptedModel & { readonly model: Model; readonly waits: readonly number[] }> {
  const reply: Script = ({ number }) => {
    onRequest()
    return replies[Math.min(number, replies.length) - 1]
  }
  const server = await startScriptedModel({ reply })
  afterThisFile(() => server.close())
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: server.url, apiKey: KEY, includeUsage: true })
  const waits: number[] = []
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms)
  }
  return { ...server, waits, model: aiSdkModel(provider('m'), { wait }) }
}

describe('a model of the AI SDK', () => {
  it('answers, whole and streamed', async () => {
    const { model, requests } = await served([{ text: 'Grüße 🌄 dir' }])
    const usage = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) }
    expect(model.name).toBe('m')
    expect(await asked(model)).toEqual({ content: 'Grüße 🌄 dir', stop: 'end', usage })
    expect(await streamed(model)).toEqual({
      ...{ content: 'Grüße 🌄 dir', stop: 'end', usage },
      pieces: ['Grüße ', '🌄 ', 'dir'],
    })
    expect(requests[0]?.messages).toEqual([{ role: 'user', content: 'hi' }])
  })

  it('offers tools, takes their calls and gives the results back', async () => {
    const toolCalls = [{ name: 'remember', arguments: { content: 'tea' } }]
    const { model, requests } = await served([{ toolCalls }, { toolCalls }, { text: 'Kept.', stop: 'length' }])
    const tools = [{ name: 'remember', description: 'Keeps it.', inputSchema: { type: 'object', properties: {} } }]
    const first = await model.complete('hi', { model: 'm', tools, system: 'Be brief.' })
    expect(first).toMatchObject({ content: '', stop: 'tools', toolCalls })
    const call = first.toolCalls?.[0] ?? { id: '', name: '', arguments: null }
    const messages: ModelMessage[] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', content: 'kept', callId: call.id, name: call.name },
    ]
    const onText = (): void => {}
    expect(await model.complete('hi', { model: 'm', tools, messages, onText })).toMatchObject({
      stop: 'tools',
      toolCalls,
    })
    expect(await model.complete('hi', { model: 'm', messages, tools, toolChoice: 'none' })).toMatchObject({
      ...{ content: 'Kept.', stop: 'length' },
    })
    expect(requests[2]).toMatchObject({ tools: ['remember'], mayCall: false })
    expect(requests[0]).toMatchObject({ system: 'Be brief.', tools: ['remember'] })
    expect(requests[1]?.messages).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', content: 'kept' },
    ])
  })

  it('tries again after what is passing, and as long as the server says', async () => {
    const { model, waits } = await served([
      { status: 429, headers: { 'retry-after': '3' } },
      { status: 500 },
      { text: 'ok' },
    ])
    expect(await asked(model)).toMatchObject({ content: 'ok' })
    expect(waits).toEqual([3000, expect.any(Number)])
  })

  it('tells of what is lasting, without the request and the key', async () => {
    const { model, requests } = await served([{ status: 401, text: `no such key: ${KEY}, sk-proj-12345678*****9` }])
    const error = await asked(model).catch((reason: unknown) => reason)
    const told = 'm failed with 401: no such key: [a key], [a key]'
    expect(isKeepsakeError(error) && [error.code, error.message]).toEqual(['MODEL', told])
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(KEY)
    expect(requests).toHaveLength(1)
  })

  it('ends at once when it is aborted, before the answer and within it', async () => {
    const before = new AbortController()
    const reason = new Error('enough')
    const slow = await served(
      [
        { delayMs: 20_000, text: 'late' },
        { text: 'word '.repeat(400), pieceDelayMs: 5 },
      ],
      () => before.abort(reason),
    )
    await expect(slow.model.complete('hi', { model: 'm', signal: before.signal })).rejects.toBe(reason)
    const within = new AbortController()
    const onText = (): void => within.abort(reason)
    await expect(slow.model.complete('hi', { model: 'm', signal: within.signal, onText })).rejects.toBe(reason)
  })

  it('tells of a stream that is cut, and does not say things twice', async () => {
    const { model, requests } = await served([{ text: 'One two three '.repeat(20), cut: 1000 }, { text: 'ok' }])
    await expect(streamed(model)).rejects.toMatchObject({ code: 'MODEL' })
    expect(requests).toHaveLength(1)
  })

  it('takes no number of tries that is none', () => {
    const model = createOpenAICompatible({ name: 'scripted', baseURL: 'http://127.0.0.1:1' })('m')
    expect(() => aiSdkModel(model, { retries: Number.NaN })).toThrow(/retries/)
  })

  it.each([
    ['a name alone', 'openai/gpt-5'],
    ['a model of AI SDK 4', { specificationVersion: 'v1', modelId: 'm' }],
    ['nothing', undefined],
  ])('takes no such thing: %s', (_what, given) => {
    expect(() => aiSdkModel(given as AiSdkModel)).toThrowError(expect.objectContaining({ code: 'UNSUPPORTED' })) // on purpose
  })
})
