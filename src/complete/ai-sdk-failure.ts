/** What a model of the AI SDK throws, as a failure of ours. Its own error is not kept: it holds the whole request. */
import { excerpt } from './excerpt.ts'
import { isRecord, numberOf, textOf } from './json-parts.ts'
import { ModelFailure } from './model-failure.ts'
import { retryAfterMs } from './retry-after.ts'

export function aiSdkFailure(model: string, error: unknown): ModelFailure {
  const { statusCode, isRetryable, responseHeaders, message } = isRecord(error) ? error : {}
  const status = numberOf(statusCode)
  const said = textOf(message) ?? (typeof error === 'string' ? error : 'it said nothing that can be read')
  const code = status === undefined ? '' : ` with ${status}`
  return new ModelFailure(`${model} failed${code}: ${excerpt(said, undefined)}`, {
    hint: 'Check how the model was made: its name, address and key. If all is right, try again later.',
    // The second is what fetch says of a connection that breaks.
    isPassing: isRetryable === true || said === 'terminated',
    ...(status === undefined ? {} : { status }),
    retryAfterMs: isRecord(responseHeaders) ? retryAfterMs(headersOf(responseHeaders)) : undefined,
  })
}

function headersOf(record: { readonly [name: string]: unknown }): Headers {
  const wanted = ['retry-after', 'date'].map((name) => [name, textOf(record[name]) ?? ''] as const)
  return new Headers(wanted.filter(([, value]) => value !== '').map(([name, value]): [string, string] => [name, value]))
}
