/** What a person or a program types into a chat, line by line. */

export interface Lines {
  /** The next line; `undefined` when there are no more. */
  next(prompt: string): Promise<string | undefined>
  /**
   * What is answered to a question. Nothing that was typed before it was asked is an answer to it: that is dropped. Missing where
   * nobody can be asked.
   */
  readonly ask?: (question: string) => Promise<string | undefined>
  /** Does something that takes long. Who interrupts it (Ctrl-C) means this, not the chat. */
  during<T>(work: (interrupted: AbortSignal) => Promise<T>): Promise<T>
  close(): void
}
