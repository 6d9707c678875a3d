import type { Embed, EmbedSource } from '../../src/ports/embed.ts'
import type { CallOptions } from '../../src/ports/store.ts'

export class Letters implements Embed, EmbedSource {
  readonly model: string
  readonly loaded: Embed
  readonly given: readonly string[]
  before: (texts: readonly string[]) => Promise<void> | void
  constructor(model?: string, dimensions?: number)
  load(): Promise<Embed>
  embed(texts: readonly string[], options?: CallOptions): Promise<readonly Float32Array[]>
  close(): Promise<void>
  /** What was given since the last call. */
  take(): string[]
}

export function lettersOf(text: string, dimensions?: number): Float32Array
