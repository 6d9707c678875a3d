/**
 * Server-sent events whose data is JSON, from bytes that may be parted anywhere. Takes what servers really send: with and without
 * a blank after the colon, any line ends, comments, events that nothing parts. Linear in the length of the stream.
 */
import { excerpt } from './excerpt.ts'
import { parsedJson } from './json-parts.ts'
import { type Endpoint, unreadableFailure } from './model-failure.ts'

/** `done`: the stream says itself that it is over. */
export type StreamEvent = { readonly is: 'data'; readonly value: unknown } | { readonly is: 'done' }

export async function* eventStream(
  bytes: AsyncIterable<Uint8Array>,
  endpoint: Endpoint,
): AsyncGenerator<StreamEvent, void> {
  let parts: string[] = []
  for await (const line of linesOf(bytes)) {
    const [, field, text = ''] = /^(data|error):[ \t]?([\s\S]*)$/.exec(line) ?? []
    if (line === '') {
      if (parts.length > 0) yield { is: 'data', value: joined(parts, endpoint) }
      parts = []
    } else if (field === 'data' && text.trim() === '[DONE]') {
      yield { is: 'done' }
      return
    } else if (field !== undefined) {
      const value = parts.length === 0 ? parsedJson(text) : undefined
      if (value === undefined) parts.push(text)
      else yield { is: 'data', value: field === 'error' ? { error: value } : value }
    }
  }
  // What is not whole at the end was cut: who reads the events knows whether something is missing.
  const value = parsedJson(parts.join('\n'))
  if (value !== undefined) yield { is: 'data', value }
}

function joined(parts: readonly string[], endpoint: Endpoint): unknown {
  const text = parts.join('\n')
  const value = parsedJson(text)
  if (value !== undefined || text.trim() === '') return value
  throw unreadableFailure(endpoint, `a piece of it is no JSON: ${excerpt(text, endpoint.apiKey)}`)
}

/** Without their ends: `\n`, `\r\n` or `\r`. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let begun: string[] = []
  let endsWithReturn = false
  for await (const chunk of bytes) {
    const decoded = decoder.decode(chunk, { stream: true })
    if (decoded === '') continue
    const text = endsWithReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded
    endsWithReturn = decoded.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    begun.push(first)
    for (const next of others) {
      yield begun.join('')
      begun = [next]
    }
  }
  const last = begun.join('') + decoder.decode()
  if (last !== '') yield last
}
