/** What an agent tells while it works. */
import type { Consolidated } from '../consolidate/consolidated.ts'
import type { ModelToolCall } from '../ports/complete.ts'

export type AgentEvent =
  /** The next piece of what the model says. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | { readonly type: 'tool-result'; readonly call: ModelToolCall; readonly text: string; readonly isError: boolean }
  | { readonly type: 'condensing' }
  | { readonly type: 'condensed'; readonly consolidated: Consolidated }
  | { readonly type: 'warning'; readonly text: string }

type Listener = (event: AgentEvent) => void

/** One who listens and fails does not end a turn that has done things already: it is told as a warning, once. */
export class Telling {
  readonly warnings: string[] = []
  readonly #listener: Listener | undefined
  #hasFailed = false

  constructor(listener: Listener | undefined) {
    this.#listener = listener
  }

  get isHeard(): boolean {
    return this.#listener !== undefined
  }

  tell(event: AgentEvent): void {
    try {
      const told: unknown = this.#listener?.(event)
      // An async function is taken for one that gives nothing; nobody waits for it, but it may fail.
      if (told instanceof Promise) told.catch((error: unknown) => this.#failed(error))
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.warnings.push(`what listens to the agent failed: ${error instanceof Error ? error.message : String(error)}`)
  }

  /** Each once. */
  warn(...texts: readonly string[]): void {
    for (const text of texts) {
      if (this.warnings.includes(text)) continue
      this.warnings.push(text)
      this.tell({ type: 'warning', text })
    }
  }
}
