/** A model behind an API over HTTP: what both APIs do alike with a call. */
import { InvalidError } from '../errors.ts'
import type { CompleteOptions, Completion, Model, ModelMessage } from '../ports/complete.ts'
import type { AnswerReading } from './answer-reading.ts'
import { httpCall } from './http-call.ts'
import type { Endpoint } from './model-failure.ts'
import { ModelText } from './model-text.ts'
import type { ProviderOptions } from './provider.ts'
import { checkRetries } from './retry.ts'

export interface HttpApi {
  readonly endpoint: Endpoint
  readonly headers: Readonly<Record<string, string>>
  readonly bodyOf: (asked: CompleteOptions, messages: readonly ModelMessage[]) => object
  readonly read: (reading: AnswerReading) => Promise<Completion>
}

export function httpModel(api: HttpApi, options: ProviderOptions): Model {
  checkRetries(options)
  checkName(options.model)
  return { name: options.model, complete: (message, asked) => completeWith(api, options, message, asked) }
}

function checkName(model: unknown): void {
  if (typeof model === 'string' && model.trim() !== '') return
  throw new InvalidError('model', `${JSON.stringify(model) ?? 'undefined'} is no name`, 'the name of a model')
}

function completeWith(
  { endpoint, headers, bodyOf, read }: HttpApi,
  options: ProviderOptions,
  message: string,
  asked: CompleteOptions,
): Promise<Completion> {
  const { signal, onText } = asked
  const messages = asked.messages ?? [{ role: 'user', content: message }]
  const body = bodyOf({ ...asked, model: asked.model || options.model }, messages)
  // Each try begins anew.
  let text = new ModelText(onText)
  const readOne = (response: Response): Promise<Completion> => {
    text = new ModelText(onText)
    return read({ ...{ response, endpoint, signal, messages, text }, isStreamed: onText !== undefined })
  }
  return httpCall({ ...{ endpoint, headers, body, signal }, read: readOne, isTold: () => text.isTold }, options)
}
