/** One message of a conversation that is to be condensed, whoever keeps the conversation. */
export interface Said {
  readonly role: string
  readonly content: string
  readonly at?: string
  /** The tools that it calls, or that it is the result of. */
  readonly tools?: readonly string[]
}
