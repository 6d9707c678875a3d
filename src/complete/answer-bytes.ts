/** The bytes of an answer, within bounds. What goes wrong on the wire becomes a failure of ours here, and nowhere else. */
import { cutFailure, type Endpoint, tooLongFailure } from './model-failure.ts'

const MOST_BYTES = 16 * 1_048_576

export interface Bounds {
  readonly mostBytes?: number
  /** Until when bytes are waited for, as `Date.now` tells time; asked before each wait. `undefined`: for as long as it takes. */
  readonly until?: () => number | undefined
}

/** Ends the connection when its reader stops early. */
export async function* answerBytes(
  response: Response,
  endpoint: Endpoint,
  signal: AbortSignal | undefined,
  { mostBytes = MOST_BYTES, until = () => undefined }: Bounds = {},
): AsyncGenerator<Uint8Array, void> {
  const reader = response.body?.getReader()
  if (!reader) return
  let length = 0
  try {
    for (;;) {
      const read = reader.read().catch(() => {
        signal?.throwIfAborted()
        throw cutFailure(endpoint)
      })
      const next = await before(until(), read)
      if (next.done) return
      length += next.value.byteLength
      if (length > mostBytes) throw tooLongFailure(endpoint, mostBytes)
      yield next.value
    }
  } finally {
    // Not awaited: a server that goes on sending must not hold us up.
    reader.cancel().catch(() => undefined)
  }
}

type Read = { readonly done: true } | { readonly done: false; readonly value: Uint8Array }

/** What is not there in time is the end. */
function before(until: number | undefined, read: Promise<Read>): Promise<Read> {
  if (until === undefined) return read
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve({ done: true }), Math.max(0, until - Date.now()))
    read.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export async function answerText(answer: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  const texts: string[] = []
  for await (const bytes of answer) texts.push(decoder.decode(bytes, { stream: true }))
  return texts.join('') + decoder.decode()
}

const MOST_OF_AN_ERROR = 65_536

/** As much of a refusal as there is to get; that it is cut or too long does not matter. */
export async function refusalText(
  response: Response,
  endpoint: Endpoint,
  signal: AbortSignal | undefined,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of answerBytes(response, endpoint, signal, { mostBytes: MOST_OF_AN_ERROR })) {
      text += decoder.decode(bytes, { stream: true })
    }
  } catch {
    signal?.throwIfAborted()
  }
  return text
}
