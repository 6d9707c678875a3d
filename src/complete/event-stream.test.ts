import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventStream, type StreamEvent } from './event-stream.ts'

const ENDPOINT = { url: new URL('http://127.0.0.1/v1'), model: 'm', apiKey: undefined, keyVariable: 'KEY' }

async function eventsIn(bytes: Uint8Array, cuts: readonly number[] = []): Promise<StreamEvent[]> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  async function* chunks(): AsyncGenerator<Uint8Array, void> {
    for (const [index, place] of places.slice(1).entries()) yield bytes.subarray(places[index], place)
  }
  const events: StreamEvent[] = []
  for await (const event of eventStream(chunks(), ENDPOINT)) events.push(event)
  return events
}

const said = async (text: string): Promise<unknown[]> =>
  (await eventsIn(new TextEncoder().encode(text))).map((event) => (event.is === 'done' ? 'done' : event.value))

describe('a stream of events', () => {
  it.each([
    ['a blank after the colon', 'data: {"a":1}\n\n', [{ a: 1 }]],
    ['none', 'data:{"a":1}\n\n', [{ a: 1 }]],
    ['carriage returns', 'data: 1\r\n\r\ndata: 2\r\rdata: 3\r\n\r\n', [1, 2, 3]],
    ['nothing between events', 'data: 1\ndata: 2\n', [1, 2]],
    ['comments, names, ids and retries', ': hello\nevent: x\nid: 7\nretry: 10\ndata: 1\n\n', [1]],
    ['data in several lines', 'data: {"a":\ndata: 1}\n\n', [{ a: 1 }]],
    ['no end of the last line', 'data: 1\n\ndata: 2', [1, 2]],
    ['an end that is said', 'data: 1\n\ndata: [DONE]\n\ndata: 2\n\n', [1, 'done']],
    ['a mark of the byte order', '\ufeffdata: 1\n\n', [1]],
    ['the last piece cut', 'data: 1\n\ndata: {"a":', [1]],
    ['a field called error', 'error: {"message":"no"}\n\n', [{ error: { message: 'no' } }]],
    ['nothing', '', []],
  ])('takes %s', async (_what, text, events) => {
    expect(await said(text)).toEqual(events)
  })

  it('refuses a piece that is no JSON', async () => {
    await expect(said('data: {"a":\n\ndata: 1\n\n')).rejects.toMatchObject({ code: 'MODEL' })
  })

  it('is the same wherever the bytes are parted', async () => {
    const end = fc.constantFrom('\n\n', '\r\n\r\n', '\r\r', '\n')
    const event = fc
      .tuple(fc.jsonValue(), end)
      .map(([value, after]) => ({ value, text: `data: ${JSON.stringify(value)}${after}` }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 6 }),
        fc.array(fc.nat(500), { maxLength: 8 }),
        async (all, cuts) => {
          const bytes = new TextEncoder().encode(all.map(({ text }) => text).join(''))
          const values = (await eventsIn(bytes, cuts)).map((one) => one.is === 'data' && one.value)
          expect(values).toEqual(all.map(({ value }) => JSON.parse(JSON.stringify(value))))
        },
      ),
      { numRuns: 200 },
    )
  })

  // Rescanning earlier input for each chunk or line would exceed the test's timeout.
  it('is read in one pass: a line of 4 MB in small pieces, and 150,000 lines', async () => {
    const long = new TextEncoder().encode(`data: "${'x'.repeat(4_000_000)}"\n\n`)
    const cuts = Array.from({ length: 40_000 }, (_, index) => index * 100)
    expect(await eventsIn(long, cuts)).toHaveLength(1)
    expect(await eventsIn(new TextEncoder().encode('data: [\n'.repeat(150_000)))).toEqual([])
  })
})
