/** Both APIs over real sockets: what goes wrong, how often it is tried again, and what is told of it. */
import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { ScriptedReply } from '../../examples/scripted-model.mjs'
import { wait as realWait } from '../../src/complete/retry-after.ts'
import { isKeepsakeError, type KeepsakeError } from '../../src/errors.ts'
import type { Completion, Model } from '../../src/ports/complete.ts'
import { asked, KEY, PROVIDERS, scripted, streamed } from './scripted.ts'

const GOOD: ScriptedReply = { text: 'Good at last.' }
/** Longer than the test's timeout. */
const BEYOND_TIMEOUT_MS = 600_000

async function failureOf(call: Promise<unknown>): Promise<KeepsakeError> {
  const error = await call.then(
    (value) => expect.fail(`answered ${inspect(value)}`),
    (reason: unknown) => reason,
  )
  if (!isKeepsakeError(error)) throw error
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(KEY)
  return error
}

const ASKED: readonly (readonly [string, (model: Model) => Promise<Completion>])[] = [
  ['whole', asked],
  ['streamed', streamed],
]

describe.each(PROVIDERS)('%s', (protocol, make) => {
  describe.each(ASKED)('asked for an answer %s', (_, ask) => {
    it('waits as long as the server says, and tries again', async () => {
      const soon = new Date(Date.now() + 90_000).toUTCString()
      const replies = [
        { status: 429, headers: { 'retry-after': '2' } },
        { status: 529, headers: { 'retry-after': soon } },
      ]
      const { model, waits } = await scripted(make, [...replies, { status: 503 }, GOOD])
      expect(await ask(model)).toMatchObject({ content: 'Good at last.' })
      expect(waits.slice(0, 2)).toEqual([2000, 60_000])
      expect(waits[2]).toBeGreaterThan(100)
    })

    it('gives up in the end, longer waits each time, and tells what the server said', async () => {
      const { model, waits, requests } = await scripted(make, [{ status: 500, text: `boom\u001b[31m\n${KEY}` }])
      const { code, message, hint, data } = await failureOf(ask(model))
      expect([code, data['status'], requests.length]).toEqual(['MODEL', 500, 4])
      expect(message).toMatch(
        /^http:\/\/127\.0\.0\.1:\d+\/v1\/\S+ answered 500: boom \[31m \[the key\] \(tried 4 times\)$/,
      )
      expect(hint).toContain('Try again later')
      expect(waits).toHaveLength(3)
      expect(waits[2]).toBeGreaterThan(waits[0] ?? 0)
    })

    it.each([
      [400, 'does not take the request'],
      [401, 'OPENAI_API_KEY|ANTHROPIC_API_KEY'],
      [404, 'name of the model \\("m"\\)'],
      [413, 'too long'],
    ])('does not try again after %s, and says what to do', async (status, hint) => {
      const { model, requests } = await scripted(make, [{ status, text: 'no' }, GOOD])
      const error = await failureOf(ask(model))
      expect(error.hint).toMatch(new RegExp(hint))
      expect(requests).toHaveLength(1)
    })

    it.each(['headers', 0, 20, 150] as const)('tries again when the connection breaks at %s', async (cut) => {
      const { model, requests } = await scripted(make, [{ text: '', cut }, GOOD])
      expect(await ask(model)).toMatchObject({ content: 'Good at last.' })
      expect(requests).toHaveLength(2)
    })

    it('tells of a connection that breaks each time', async () => {
      const { model } = await scripted(make, [{ text: 'x'.repeat(500), cut: 100 }])
      expect((await failureOf(ask(model))).message).toMatch(/was cut before its end \(tried 4 times\)$/)
    })

    it.each<[string, ScriptedReply, RegExp]>([
      [
        'an HTML page',
        { body: '<!DOCTYPE html><title>Sign in</title>…', headers: { 'content-type': 'text/html' } },
        /it is an HTML page: Sign in/,
      ],
      ['nothing', { body: '' }, /it is empty/],
      ['no JSON', { body: '{"choices": [' }, /it is no JSON: \{"choices": \[/],
      ['a number', { body: '7' }, /it has no c/],
      ['wrong types', { body: '{"choices":"many","content":{"a":1}}' }, /it has no c/],
      ['deep JSON', { body: `${'['.repeat(200_000)}${']'.repeat(200_000)}` }, /it has no c/],
      [
        'an error that is nested too deeply',
        { body: `{"error":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}` },
        /an error that can't be shown/,
      ],
      ['an error as a success', { body: '{"error":{"message":"out of memory"}}' }, /failed: out of memory/],
    ])('refuses %s', async (_what, reply, message) => {
      const { model, requests } = await scripted(make, [reply])
      expect((await failureOf(ask(model))).message).toMatch(message)
      expect(requests).toHaveLength(1)
    })

    it('says so when nobody listens', async () => {
      const port = await freePort()
      const model = make({
        model: 'm',
        baseUrl: `http://127.0.0.1:${port}/v1`,
        apiKey: KEY,
        retries: 1,
        wait: async () => {},
      })
      const { message, hint } = await failureOf(ask(model))
      expect(message).toMatch(/can't be reached: ECONNREFUSED \(tried 2 times\)$/)
      expect(hint).toContain('Is the server running')
    })
  })

  it('reads no more than 16 MB', async () => {
    const body = Buffer.alloc(17 * 1_048_576, 'x')
    const { model } = await scripted(make, [{ body }])
    expect((await failureOf(asked(model))).message).toMatch(/is longer than 16 MB/)
  })

  it('does not try again once a piece of the text was told', async () => {
    const { model, requests } = await scripted(make, [{ text: 'One two three '.repeat(20), cut: 1000 }, GOOD])
    const pieces: string[] = []
    const call = model.complete('hi', { model: 'm', onText: (piece) => pieces.push(piece) })
    expect((await failureOf(call)).message).toMatch(/was cut before its end$/)
    expect([pieces[0], requests.length]).toEqual(['One ', 1])
  })

  it('ends at once when it is aborted while a server is slow', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const { model } = await scripted(make, () => {
      stop.abort(reason)
      return { text: 'late', delayMs: BEYOND_TIMEOUT_MS }
    })
    await expect(model.complete('hi', { model: 'm', signal: stop.signal })).rejects.toBe(reason)
  })

  it('ends at once when it is aborted while it waits to try again', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const wait = (_: number, signal?: AbortSignal): Promise<void> => {
      setImmediate(() => stop.abort(reason))
      return realWait(BEYOND_TIMEOUT_MS, signal)
    }
    const { model, requests } = await scripted(make, [{ status: 429, headers: { 'retry-after': '20' } }], { wait })
    await expect(model.complete('hi', { model: 'm', signal: stop.signal })).rejects.toBe(reason)
    expect(requests).toHaveLength(1)
  })

  it('ends a stream at once when it is aborted, and the connection with it', async () => {
    const { model, requests } = await scripted(make, [{ text: 'word '.repeat(400), pieceDelayMs: 5 }])
    const stop = new AbortController()
    const reason = new Error('enough')
    const onText = (): void => stop.abort(reason)
    await expect(model.complete('hi', { model: 'm', onText, signal: stop.signal })).rejects.toBe(reason)
    expect(requests).toHaveLength(1)
  })

  it('lets a failure of the listener through as it is', async () => {
    const { model, requests } = await scripted(make, [GOOD])
    const failure = new Error('the screen is gone')
    const onText = (): void => {
      throw failure
    }
    await expect(model.complete('hi', { model: 'm', onText })).rejects.toBe(failure)
    expect(requests).toHaveLength(1)
  })

  it('follows no redirect', async () => {
    const target = await scripted(make, [GOOD])
    const { model } = await scripted(make, [
      { status: 307, body: '', headers: { location: `${target.url}/x?y=${KEY}` } },
    ])
    const { message, hint } = await failureOf(asked(model))
    expect(message).toContain(`answered 307: it leads to ${target.url}/x`)
    expect(hint).toContain('redirects are not followed')
    expect(target.requests).toHaveLength(0)
  })

  it('tells of an error inside a stream, and tries again where that is passing', async () => {
    const event = (error: object): ScriptedReply => ({
      body: `: hello\r\n\r\nevent: error\r\ndata: ${JSON.stringify({ type: 'error', error })}\r\n\r\n`,
      headers: { 'content-type': 'text/event-stream' },
    })
    const passing = await scripted(make, [event({ type: 'overloaded_error', message: 'busy' }), GOOD])
    expect(await streamed(passing.model)).toMatchObject({ content: 'Good at last.' })
    // As OpenAI's API writes it where there is no code.
    const coded = await scripted(make, [
      event({ message: 'busy', type: 'server_error', param: null, code: null }),
      GOOD,
    ])
    expect(await streamed(coded.model)).toMatchObject({ content: 'Good at last.' })
    const lasting = await scripted(make, [event({ type: 'invalid_request', message: `no ${KEY}` })])
    expect((await failureOf(streamed(lasting.model))).message).toMatch(/failed: no \[the key\]$/)
  })

  it.each([
    ['ftp://127.0.0.1/v1', /begins with ftp:/],
    ['file:///etc/passwd', /begins with file:/],
    ['nowhere', /is no address/],
    [`http://me:${KEY}@127.0.0.1/v1`, /has a user name or a password in it/],
  ])('takes no such address: %s', async (baseUrl, problem) => {
    const error = await failureOf(Promise.resolve().then(() => make({ model: 'm', baseUrl })))
    expect([error.code, error.message]).toEqual(['INVALID', expect.stringMatching(problem)])
  })

  it('takes no key that would be told by the system', async () => {
    const error = await failureOf(Promise.resolve().then(() => make({ model: 'm', apiKey: `${KEY}\n${KEY}` })))
    expect(error.message).toContain(`${protocol.toUpperCase()}_API_KEY holds a character`)
  })
})

/** One where nobody listens any more. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return address !== null && typeof address === 'object' ? address.port : 1
}
