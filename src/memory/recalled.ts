/** What `recall` is asked for and answers: a text for a model, with a query or without. */
import type { Hit, Searched, SearchOptions } from '../recall/found.ts'

/** With a query: what a search may be told besides. Without: `days` and `budgetTokens`. */
export interface RecallOptions extends SearchOptions {
  readonly query?: string
  /** Calendar days of the log, today included; default 3. */
  readonly days?: number
  /** Default 8,000. */
  readonly budgetTokens?: number
}

export interface Recalled {
  readonly text: string
  readonly warnings: readonly string[]
  /** With a query only. */
  readonly hits?: readonly Hit[]
  readonly searched?: Searched
}
