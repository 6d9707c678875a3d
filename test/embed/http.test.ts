/** Vectors over HTTP, from a real server: what is asked, what is believed, and what is told of failures. */
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type HttpEmbedOptions, httpEmbed } from '../../src/embed/http-embed.ts'
import { isKeepsakeError, type KeepsakeError } from '../../src/errors.ts'
import type { Embed } from '../../src/ports/embed.ts'
import {
  type EmbeddingReply,
  type EmbeddingScript,
  type EmbeddingServer,
  embeddingServer,
  openaiAnswer,
  vectorOf,
} from './embedding-server.ts'

const KEY = 'sk-test-0123456789abcdef'

interface Scripted extends EmbeddingServer {
  readonly embed: Embed
  readonly waits: readonly number[]
}

async function scripted(script?: EmbeddingScript, options: Partial<HttpEmbedOptions> = {}): Promise<Scripted> {
  const server = await embeddingServer(script)
  const waits: number[] = []
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms)
  }
  return { ...server, waits, embed: httpEmbed({ model: 'm', baseUrl: server.url, apiKey: KEY, wait, ...options }) }
}

async function failureOf(call: Promise<unknown>): Promise<KeepsakeError> {
  const error = await call.then(
    (value) => expect.fail(`answered ${inspect(value)}`),
    (reason: unknown) => reason,
  )
  if (!isKeepsakeError(error)) throw error
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(KEY)
  return error
}

function unit(numbers: readonly number[]): number[] {
  const norm = Math.hypot(...numbers)
  return numbers.map((number) => Math.fround(number / norm))
}

describe('vectors over HTTP', () => {
  it('are of length 1 and in the order of the texts, whatever order the server has', async () => {
    const backwards: EmbeddingScript = ({ body }) => {
      const answer = openaiAnswer(body.input) as { data: object[] } // as made there
      return { body: { ...answer, data: answer.data.reverse() } }
    }
    const { embed, host, requests } = await scripted(backwards)
    const vectors = await embed.embed(['one', 'two', 'three'])
    expect(vectors.map((vector) => [...vector])).toEqual(['one', 'two', 'three'].map((text) => unit(vectorOf(text))))
    expect(embed.model).toBe(`m@${host}/v1`)
    expect(requests).toMatchObject([
      {
        path: '/v1/embeddings',
        headers: { authorization: `Bearer ${KEY}` },
        body: { model: 'm', input: ['one', 'two', 'three'], encoding_format: 'float' },
      },
    ])
    expect(requests[0]?.body).not.toHaveProperty('dimensions')
  })

  it('are taken by their place where a server numbers none of them, and without a key where there is none', async () => {
    const bare: EmbeddingScript = ({ body }) => ({
      body: { data: body.input.map((text) => ({ embedding: vectorOf(text) })) },
    })
    const server = await embeddingServer(bare)
    const [, second] = await httpEmbed({ model: 'm', baseUrl: `${server.url}/` }).embed(['one', 'two'])
    expect([...(second ?? [])]).toEqual(unit(vectorOf('two')))
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it('come in batches, by how many and how long the texts are; nothing is asked for nothing', async () => {
    const { embed, requests } = await scripted()
    const texts = [
      ...Array.from({ length: 70 }, (_, number) => `text ${number}`),
      ...Array.from({ length: 10 }, () => 'x'.repeat(9_000)),
    ]
    const vectors = await embed.embed(texts)
    expect(vectors).toHaveLength(80)
    expect([...(vectors[69] ?? [])]).toEqual(unit(vectorOf('text 69')))
    expect(requests.map(({ body }) => body.input.length)).toEqual([32, 32, 13, 3])
    expect(requests.at(-1)?.body.input[0]).toHaveLength(8_000)
    expect(await embed.embed([])).toEqual([])
    expect(requests).toHaveLength(4)
  })

  it('are asked for no empty text and no half character, which servers refuse', async () => {
    const { embed, requests } = await scripted()
    const cutInHalf = `${'x'.repeat(7_999)}🎉`
    expect(await embed.embed(['', 'half \ud83d', cutInHalf])).toHaveLength(3)
    expect(requests.flatMap(({ body }) => body.input)).toEqual([' ', 'half \ufffd', `${'x'.repeat(7_999)}\ufffd`])
  })

  it('have as many dimensions as is asked for, and the name says so', async () => {
    const { embed, host, requests } = await scripted(undefined, { dimensions: 4 })
    const [vector] = await embed.embed(['one'])
    expect([vector?.length, embed.model, requests[0]?.body.dimensions]).toEqual([4, `m@${host}/v1#4`, 4])
  })

  it.each<[string, (answer: { data: { index: number; embedding: unknown }[] }) => unknown, string]>([
    ['one vector too few', ({ data }) => ({ data: data.slice(1) }), 'it holds 1 vectors for 2 texts'],
    ['one too many', ({ data }) => ({ data: [...data, ...data] }), 'it holds 4 vectors for 2 texts'],
    ['no list', () => ({ embeddings: [[1], [2]] }), 'it holds no list "data"'],
    [
      'the same number twice',
      ({ data }) => ({ data: data.map((row) => ({ ...row, index: 0 })) }),
      'which vector is of which text',
    ],
    [
      'numbers from 1',
      ({ data }) => ({ data: data.map((row) => ({ ...row, index: row.index + 1 })) }),
      'which vector is of which text',
    ],
    ['what is no record', () => ({ data: [[1], [2]] }), 'which vector is of which text'],
    [
      'two dimensions',
      ({ data }) => ({ data: data.map((row) => ({ ...row, embedding: row.index ? [1] : [1, 2] })) }),
      'has 1 dimensions, not 2',
    ],
    ['an empty vector', ({ data }) => ({ data: data.map((row) => ({ ...row, embedding: [] })) }), 'no list of numbers'],
    [
      'a text for a vector',
      ({ data }) => ({ data: data.map((row) => ({ ...row, embedding: 'AACAPw==' })) }),
      'no list of numbers',
    ],
    [
      'null for NaN',
      ({ data }) => ({ data: data.map((row) => ({ ...row, embedding: [1, null] })) }),
      'what is no number',
    ],
    ['zeros', ({ data }) => ({ data: data.map((row) => ({ ...row, embedding: [0, 0] })) }), 'nothing but zeros'],
  ])('are refused where the answer holds %s', async (_, change, problem) => {
    const { embed, requests } = await scripted(({ body }) => ({ body: change(openaiAnswer(body.input) as never) })) // as made there
    const { code, message, hint } = await failureOf(embed.embed(['one', 'two']))
    expect([code, requests.length]).toEqual(['MODEL', 1])
    expect(message).toContain("gave an answer that can't be read: ")
    expect(message).toContain(problem)
    expect(hint).toContain('Check the address')
  })

  it.each([
    ['1e999, which is read as infinite', '{"data":[{"index":0,"embedding":[1e999,1]}]}', 'no number'],
    ['NaN, which is no JSON', '{"data":[{"index":0,"embedding":[NaN]}]}', 'no JSON'],
    ['a page', '<!doctype html><title>Welcome</title>', 'an HTML page: Welcome'],
    ['nothing', '', 'it is empty'],
    ['an error of LM Studio', '{"error":"Unexpected endpoint or method. (POST /embeddings)"}', 'Unexpected endpoint'],
  ])('are refused where the answer is %s', async (_, body, problem) => {
    const { embed } = await scripted(() => ({ body }))
    expect((await failureOf(embed.embed(['one']))).message).toContain(problem)
  })

  it('are refused where a later batch has other dimensions than the first', async () => {
    const { embed } = await scripted(({ body }, number) => ({ body: openaiAnswer(body.input, number === 1 ? 8 : 9) }))
    await embed.embed(['one'])
    const { code, message, hint } = await failureOf(embed.embed(['two']))
    expect([code, message]).toEqual(['MODEL', expect.stringContaining('made vectors of 8 numbers, and now of 9')])
    expect(hint).toContain('Another model answers by this name')
  })

  it('are asked for again as often and as late as the server says', async () => {
    const replies: (EmbeddingReply | undefined)[] = [
      { status: 429, headers: { 'retry-after': '2' } },
      { status: 500 },
      { cut: 20, body: openaiAnswer(['one']) },
    ]
    const { embed, waits, requests } = await scripted((_, number) => replies[number - 1])
    expect(await embed.embed(['one'])).toHaveLength(1)
    expect([waits[0], waits.length, requests.length]).toEqual([2000, 3, 4])
  })

  it.each<[EmbeddingReply, number, string, string]>([
    [
      { status: 401, body: { error: { message: `Incorrect key ${KEY}` } } },
      1,
      'answered 401: Incorrect key [the key]',
      'Check the key in the environment variable OPENAI_API_KEY',
    ],
    [
      { status: 404, body: { error: 'model "m" not found, try pulling it first' } },
      1,
      'try pulling it first',
      'name of the model ("m")',
    ],
    [
      { status: 400, body: { error: { message: 'no such parameter' } } },
      1,
      'no such parameter',
      'a model that makes embeddings',
    ],
    [
      { status: 429, body: { error: { code: 'insufficient_quota', message: 'no money' } } },
      1,
      'no money',
      'your account',
    ],
    [
      { status: 307, headers: { location: 'http://elsewhere.example/v1' } },
      1,
      'it leads to http://elsewhere.example/v1',
      'redirects are not followed',
    ],
    [{ status: 503 }, 4, '(tried 4 times)', 'Try again later'],
    [{ cut: 10, body: openaiAnswer(['one']) }, 4, 'was cut before its end', 'Try again'],
  ])('that fail tell why, and what to do: %j', async (reply, tries, said, advice) => {
    const { embed, requests } = await scripted(() => reply)
    const { code, message, hint } = await failureOf(embed.embed(['one']))
    expect([code, requests.length]).toEqual(['MODEL', tries])
    expect(message).toContain(said)
    expect(hint).toContain(advice)
  })

  it.each([
    [400, 'the input length exceeds the context length', 'too long', true],
    [413, '', 'too long', true],
    [500, 'input is too large to process. increase the physical batch size', 'too long', true],
    [422, 'dimensions: must be 256 or 768', '"dimensions"', true],
    [400, 'this model does not support embeddings', 'Name a model that makes embeddings', true],
    [501, 'start it with --embeddings', 'Name a model that makes embeddings', false],
    [400, 'input[0]: a forbidden word', 'says why', true],
    [401, 'who are you?', 'Check the key', undefined],
    [503, 'too many requests of this length', 'Try again later', undefined],
  ])('that are refused with %i and "%s" tell what to do about that', async (status, message, advice, refused) => {
    const { embed } = await scripted(() => ({ status, body: { error: { message } } }))
    const { hint, data } = await failureOf(embed.embed(['one']))
    expect(hint).toContain(advice)
    expect([data['status'], data['refused']]).toEqual([status, refused])
    expect(data['mayPass']).toBe(status === 500 ? true : undefined)
  })

  it('that nobody makes are waited for only so long', async () => {
    const { embed } = await scripted(() => ({ silent: true }), { timeoutMs: 50 })
    const { code, message } = await failureOf(embed.embed(['one']))
    expect([code, message]).toEqual([
      'TIMEOUT',
      expect.stringMatching(/\/v1\/embeddings made no vectors within 50 ms$/),
    ])
  })

  it('are no longer waited for once the caller or the end says so', async () => {
    const { embed, requests } = await scripted(() => ({ silent: true }))
    const caller = new AbortController()
    const reason = new Error('enough')
    const [first, second] = [embed.embed(['one'], { signal: caller.signal }), embed.embed(['two'])]
    const ends = Promise.allSettled([first, second])
    caller.abort(reason)
    await expect(first).rejects.toBe(reason)
    await embed.close()
    await ends
    expect((await failureOf(second)).code).toBe('CLOSED')
    const asked = requests.length
    expect((await failureOf(embed.embed(['three']))).code).toBe('CLOSED')
    expect(requests).toHaveLength(asked)
  })

  it.each<[Partial<HttpEmbedOptions>, string]>([
    [{ baseUrl: 'ftp://host' }, 'begins with ftp:'],
    [{ baseUrl: `http://me:${KEY}@host` }, 'has a user name or a password in it'],
    [{ model: ' ' }, 'is empty'],
    [{ dimensions: 0 }, 'dimensions'],
    [{ retries: -1 }, 'retries'],
  ])('need options that make sense: %j', async (options, problem) => {
    const { code, message } = await failureOf((async () => httpEmbed({ model: 'm', ...options }))())
    expect([code, message]).toEqual(['INVALID', expect.stringContaining(problem)])
  })
})
