/**
 * What a language model must do: one function from a message to a text. The least it is given is the message and the name of the
 * model, and the least it gives is the content, so that a bare prompt function of one's own is one as it is. All else is for those
 * who can do more: what was said before, tools, streaming. Types only.
 */
import type { JsonValue } from '../model/entry.ts'
import type { CallOptions } from './store.ts'

export type Complete = (message: string, options: CompleteOptions) => Promise<Completion>

export interface CompleteOptions extends CallOptions {
  readonly model: string
  readonly system?: string
  /** The whole conversation. Its last message of the user is the `message`. Left out: the message alone. */
  readonly messages?: readonly ModelMessage[]
  readonly tools?: readonly ToolOffer[]
  /** It has to answer without calling any. The tools are named all the same: the conversation holds calls of them. */
  readonly toolChoice?: 'none'
  /** The longest answer; left out, as long as the model likes. What it thinks may count. */
  readonly maxTokens?: number
  /** About how long the answer will be, for who has to name a longest one. It shortens no answer. */
  readonly expectedTokens?: number
  /** Called with each piece of the text as it comes; the completion has all of it. */
  readonly onText?: (piece: string) => void
}

export interface Completion {
  readonly content: string
  readonly toolCalls?: readonly ModelToolCall[]
  /** Why it ended. `length`: it was cut. */
  readonly stop?: 'end' | 'tools' | 'length' | 'refused'
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ModelToolCall[] }
  | {
      readonly role: 'tool'
      readonly content: string
      /** Which call it answers. */
      readonly callId: string
      readonly name: string
      readonly isError?: true
    }

export interface ModelToolCall {
  readonly id: string
  readonly name: string
  /** As JSON; a text where a model has sent none, to be told so. */
  readonly arguments: JsonValue
}

export interface ToolOffer {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly [key: string]: unknown }
}

/** A model by its name, for who would be told which one it is. */
export interface Model {
  readonly name: string
  readonly complete: Complete
}
