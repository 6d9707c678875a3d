/** The scripted server with a model of ours in front of it, for tests; put away after the file. */
import {
  type Script,
  type ScriptedModel,
  type ScriptedReply,
  startScriptedModel,
} from '../../examples/scripted-model.mjs'
import { anthropicModel } from '../../src/complete/anthropic.ts'
import { openaiModel } from '../../src/complete/openai.ts'
import type { ProviderOptions } from '../../src/complete/provider.ts'
import type { Completion, Model } from '../../src/ports/complete.ts'
import { afterThisFile } from '../clean-up.ts'

export const KEY = 'sk-test-0123456789abcdef'

type MakeModel = (options: ProviderOptions) => Model

export const PROVIDERS: readonly (readonly ['openai' | 'anthropic', MakeModel])[] = [
  ['openai', openaiModel],
  ['anthropic', anthropicModel],
]

export interface Scripted extends ScriptedModel {
  readonly model: Model
  /** How long it waited between tries. */
  readonly waits: readonly number[]
}

export async function scripted(
  make: MakeModel,
  reply: Script | readonly (ScriptedReply | undefined)[],
  options: Partial<ProviderOptions> = {},
): Promise<Scripted> {
  const script: Script = typeof reply === 'function' ? reply : ({ number }) => reply[Math.min(number, reply.length) - 1]
  const server = await startScriptedModel({ reply: script })
  afterThisFile(() => server.close())
  const waits: number[] = []
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms)
  }
  return { ...server, waits, model: make({ model: 'm', baseUrl: server.url, apiKey: KEY, wait, ...options }) }
}

/** Asks with streaming; gives the pieces as they came, too. */
export async function streamed(model: Model, message = 'hi'): Promise<Completion & { readonly pieces: string[] }> {
  const pieces: string[] = []
  const completion = await model.complete(message, { model: 'm', onText: (piece) => pieces.push(piece) })
  return { ...completion, pieces }
}

export function asked(model: Model, message = 'hi'): Promise<Completion> {
  return model.complete(message, { model: 'm' })
}
