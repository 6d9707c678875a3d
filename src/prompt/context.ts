/** What a model is given before a turn, and what of that turn has to be known for it. */
import type { PromptPart } from './part.ts'

export interface Asked {
  /** What the user just said. Left out or blank: nothing is recalled. */
  readonly message?: string
  /** What was said before, where a client starts a new model session. */
  readonly recap?: string
}

export interface Context {
  readonly system: string
  /** The `<recall>` block for the message; empty when there is none. */
  readonly recall: string
  readonly parts: readonly PromptPart[]
  readonly warnings: readonly string[]
}
