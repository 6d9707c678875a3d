/** What tests in TypeScript need to know of scripted-model.mjs. */
export interface ScriptedMessage {
  readonly role: string
  readonly content: string
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[]
}

/** What was asked, in the same words for both APIs. */
export interface ScriptedRequest {
  readonly protocol: 'openai' | 'anthropic'
  readonly model: string
  readonly system: string
  readonly messages: readonly ScriptedMessage[]
  /** The names of the tools that were offered. */
  readonly tools: readonly string[]
  /** Whether there are some, and it was not told to leave them alone. */
  readonly mayCall: boolean
  readonly isStreamed: boolean
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As it was sent. */
  readonly body: Readonly<Record<string, unknown>>
  /** From 1. */
  readonly number: number
}

export interface ScriptedReply {
  readonly text?: string
  /** The text as it is streamed; left out: word by word. */
  readonly pieces?: readonly string[]
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: unknown }[]
  readonly stop?: 'length' | 'refused'
  /** Before anything is answered. */
  readonly delayMs?: number
  /** After each event of a stream. */
  readonly pieceDelayMs?: number
  /** From 400 on, `text` is the error's message. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, instead of an answer of the API. */
  readonly body?: string | Uint8Array
  /** The connection breaks: before the headers, or after so many bytes of the body. */
  readonly cut?: number | 'headers'
}

/** `undefined`: what the server would have said without a script. */
export type Script = (request: ScriptedRequest) => ScriptedReply | undefined | Promise<ScriptedReply | undefined>

export interface ScriptedModel {
  /** The base URL for both APIs. */
  readonly url: string
  readonly requests: readonly ScriptedRequest[]
  close(): Promise<void>
}

export function startScriptedModel(options?: {
  readonly port?: number
  readonly reply?: Script
}): Promise<ScriptedModel>
