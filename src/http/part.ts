/** One of several things that are served at one address: which requests are its own, which of them it refuses, and its answers. Types only. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Refusal {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Part {
  /** By the request's target, letter by letter as it was sent. */
  owns(target: string): boolean
  /** Somebody may come here by a link of another site: it holds nothing, and does nothing. */
  readonly isOpenToLinks?: true
  /** From the head alone, before a byte of the body is read; what holds for every part was checked before. */
  refusalOf(req: IncomingMessage): Refusal | undefined
  /** The body of a refusal, as this part's clients read it: JSON. */
  errorText(refusal: Refusal): string
  answer(req: IncomingMessage, res: ServerResponse): Promise<void>
  /** What is open ends. */
  close(): Promise<void>
}
