/** What servers send that speak OpenAI's API in their own way: each row is an answer as one of them sends it, over a real socket. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../examples/scripted-model.mjs'
import { openaiModel } from '../../src/complete/openai.ts'
import { toolCallsOf } from '../../src/complete/tool-calls.ts'
import { isKeepsakeError } from '../../src/errors.ts'
import type { Completion, ModelMessage } from '../../src/ports/complete.ts'

let body = ''
let status = 200
let contentType = 'application/json'
let server: ScriptedModel

beforeAll(async () => {
  server = await startScriptedModel({ reply: () => ({ status, body, headers: { 'content-type': contentType } }) })
})
afterAll(() => server.close())

function whole(message: object, more: object = {}): Promise<Completion> {
  ;[status, contentType] = [200, 'application/json']
  body = JSON.stringify({ choices: [{ message, ...more }] })
  return openaiModel({ model: 'm', baseUrl: server.url, retries: 0 }).complete('hi', { model: 'm' })
}

function streamOf(deltas: readonly object[], end = 'data: [DONE]\n\n'): Promise<Completion> {
  ;[status, contentType] = [200, 'text/event-stream']
  const events = deltas.map((delta) => ({ choices: [{ index: 0, delta }] }))
  body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + end
  const onText = (): void => {}
  return openaiModel({ model: 'm', baseUrl: server.url, retries: 0 }).complete('hi', { model: 'm', onText })
}

describe('a whole answer', () => {
  it.each<[string, object, object]>([
    ['no text', { content: null }, { content: '', stop: 'end' }],
    [
      'a list of parts',
      { content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }] },
      { content: 'ab' },
    ],
    ['thoughts beside it', { content: 'a', reasoning_content: 'hm', thinking: 'hm' }, { content: 'a' }],
    ['a refusal', { content: null, refusal: 'I will not.' }, { content: 'I will not.', stop: 'refused' }],
    ['half a character and NUL', { content: 'a\ud800b\0c' }, { content: 'a\ufffdb\ufffdc' }],
    ['nothing at all', {}, { content: '' }],
  ])('with %s', async (_what, message, completion) => {
    expect(await whole(message)).toMatchObject(completion)
  })

  it.each<[string, unknown, unknown]>([
    ['as text', '{"a":1}', { a: 1 }],
    ['as an object', { a: 1 }, { a: 1 }],
    ['missing', undefined, {}],
    ['empty', '', {}],
    ['as no JSON', '{"a":', '{"a":'],
    ['as a list', '[1]', [1]],
    ['with a number that is too large, as text', '{"limit":1e999}', '{"limit":1e999}'],
    ['nested too deeply, as text', '['.repeat(50) + ']'.repeat(50), '['.repeat(50) + ']'.repeat(50)],
  ])('with arguments %s', async (_what, sent, args) => {
    const tool_calls = [{ type: 'function', function: { name: 'recall', arguments: sent } }]
    expect(await whole({ content: '', tool_calls }, { finish_reason: 'stop' })).toEqual({
      ...{ content: '', stop: 'tools' },
      toolCalls: [{ id: 'call00001', name: 'recall', arguments: args }],
    })
  })

  it('leaves out calls without a name', async () => {
    const tool_calls = [null, 7, {}, { function: { name: ' ' } }, { function: { name: 7 } }]
    expect(await whole({ content: 'a', tool_calls })).toEqual({ content: 'a', stop: 'end' })
  })
})

describe('a stream', () => {
  const call = (more: object, called: object): object => ({ tool_calls: [{ ...more, function: called }] })

  it.each<[string, readonly object[]]>([
    [
      'in pieces, as the rule is',
      [
        call({ index: 0, id: 'x', type: 'function' }, { name: 'recall', arguments: '' }),
        call({ index: 0 }, { arguments: '{"a"' }),
        call({ index: 0 }, { arguments: ':1}' }),
        call({ index: 1, id: 'y' }, { name: 'undo', arguments: '{}' }),
      ],
    ],
    [
      'each whole, all with the number 0',
      [
        call({ index: 0, id: 'x' }, { name: 'recall', arguments: '{"a":1}' }),
        call({ index: 0, id: 'y' }, { name: 'undo', arguments: '{}' }),
      ],
    ],
    [
      'without numbers',
      [
        call({ id: 'x' }, { name: 'recall', arguments: '{"a"' }),
        call({}, { arguments: ':1}' }),
        call({ id: 'y' }, { name: 'undo' }),
      ],
    ],
    [
      'with the id in each piece',
      [
        call({ index: 0, id: 'x' }, { name: 'recall', arguments: '{"a"' }),
        call({ index: 0, id: 'x' }, { name: 'recall', arguments: ':1}' }),
        call({ index: 1, id: 'y' }, { name: 'undo', arguments: {} }),
      ],
    ],
    [
      'mixed up',
      [
        call({ index: 0, id: 'x' }, { name: 'recall', arguments: '{"a"' }),
        call({ index: 1, id: 'y' }, { name: 'undo' }),
        call({ index: 0 }, { arguments: ':1}' }),
      ],
    ],
  ])('takes calls %s', async (_what, deltas) => {
    const { toolCalls } = await streamOf(deltas)
    expect(toolCalls).toEqual([
      { id: 'x', name: 'recall', arguments: { a: 1 } },
      { id: 'y', name: 'undo', arguments: {} },
    ])
  })

  it('puts a character together whose halves come in two pieces', async () => {
    expect(await streamOf([{ content: 'a\ud83d' }, { content: '\ude00b' }])).toMatchObject({ content: 'a😀b' })
  })

  it('is whole with the reason of its end though nothing says that it is done, and cut with neither', async () => {
    const end = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}`
    expect(await streamOf([{ content: 'all' }], end)).toMatchObject({ content: 'all', stop: 'end' })
    await expect(streamOf([{ content: 'half' }], '')).rejects.toThrow(/was cut before its end$/)
    await expect(streamOf([{ content: 'half' }], 'data: {"choices": [{"de')).rejects.toThrow(/was cut before its end$/)
  })
})

describe('ids of calls', () => {
  it('are given anew where one is missing, stands twice, or was used before', () => {
    const messages: ModelMessage[] = [
      { role: 'assistant', content: '', toolCalls: [{ id: 'call_0', name: 'a', arguments: {} }] },
      { role: 'tool', content: '', callId: 'call_0', name: 'a' },
    ]
    const sent = ['call_0', 'x', 'x', '', undefined, 7].map((id) => ({ id, name: 'a', arguments: {} }))
    const ids = toolCallsOf(sent, messages).map(({ id }) => id)
    expect(new Set([...ids, 'call_0']).size).toBe(7)
    expect(ids[1]).toBe('x')
    expect(ids).toEqual(toolCallsOf(sent, messages).map(({ id }) => id))
  })
})

describe('whatever a server sends', () => {
  const key = fc.stringMatching(/^[\x21-\x7e]{8,40}$/)
  const around = fc.tuple(fc.string(), fc.string())
  const form = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => JSON.stringify({ error: { message: text } }),
    (text) => JSON.stringify({ error: text, detail: text }),
    (text) => JSON.stringify({ choices: text, message: text }),
    (text) => `<html><title>${text}</title>`,
    (text) => `data: ${JSON.stringify({ error: { message: text, code: 500 } })}\n\n`,
    (text) => `data: ${text}\n\n`,
  )

  it('is a completion or a failure of ours that does not hold the key', async () => {
    const types = fc.constantFrom('application/json', 'text/event-stream', 'text/html', 'text/plain')
    await fc.assert(
      fc.asyncProperty(
        key,
        around,
        form,
        types,
        fc.constantFrom(200, 400, 401, 500),
        async (apiKey, [a, b], made, type, code) => {
          ;[body, status, contentType] = [made(`${a}${apiKey}${b}${apiKey}`), code, type]
          const onText = (): void => {}
          const model = openaiModel({ model: 'm', baseUrl: server.url, apiKey, retries: 0 })
          const error = await model.complete('hi', { model: 'm', onText }).catch((reason: unknown) => reason)
          if (!(error instanceof Error)) return
          expect(isKeepsakeError(error) && error.code).toBe('MODEL')
          expect(`${error.message} ${isKeepsakeError(error) ? error.hint : ''}`).not.toContain(apiKey)
          expect(JSON.stringify(error)).not.toContain(apiKey)
        },
      ),
      { numRuns: 80 },
    )
  })

  it('is a completion or a failure of ours, for any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), async (value, isMessage) => {
        ;[status, contentType] = [200, 'application/json']
        body = JSON.stringify(isMessage ? { choices: [{ message: value, finish_reason: value }], usage: value } : value)
        const call = openaiModel({ model: 'm', baseUrl: server.url, retries: 0 }).complete('hi', { model: 'm' })
        const error = await call.catch((reason: unknown) => reason)
        if (error instanceof Error) expect(isKeepsakeError(error) && error.code).toBe('MODEL')
      }),
      { numRuns: 80 },
    )
  })
})
