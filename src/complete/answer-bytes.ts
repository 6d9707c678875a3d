/** The bytes of an answer, within bounds. What goes wrong on the wire becomes a failure of ours here, and nowhere else. */
import { cutFailure, type Endpoint, tooLongFailure } from './model-failure.ts'

const MOST_BYTES = 16 * 1_048_576

/** Ends the connection when its reader stops early. */
export async function* answerBytes(
  response: Response,
  endpoint: Endpoint,
  signal: AbortSignal | undefined,
  mostBytes: number = MOST_BYTES,
): AsyncGenerator<Uint8Array, void> {
  const reader = response.body?.getReader()
  if (!reader) return
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        signal?.throwIfAborted()
        throw cutFailure(endpoint)
      })
      if (done) return
      length += value.byteLength
      if (length > mostBytes) throw tooLongFailure(endpoint, mostBytes)
      yield value
    }
  } finally {
    // Not awaited: a server that goes on sending must not hold us up.
    reader.cancel().catch(() => undefined)
  }
}

export async function answerText(
  response: Response,
  endpoint: Endpoint,
  signal: AbortSignal | undefined,
): Promise<string> {
  const decoder = new TextDecoder()
  const texts: string[] = []
  for await (const bytes of answerBytes(response, endpoint, signal)) texts.push(decoder.decode(bytes, { stream: true }))
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
    for await (const bytes of answerBytes(response, endpoint, signal, MOST_OF_AN_ERROR)) {
      text += decoder.decode(bytes, { stream: true })
    }
  } catch {
    signal?.throwIfAborted()
  }
  return text
}
