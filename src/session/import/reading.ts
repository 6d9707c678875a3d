/** What each reader of a client's transcripts gives. */
import type { SkippedLine } from './source-lines.ts'
import type { ImportedTurn } from './turn-list.ts'

export interface Reading {
  /** What the client calls the session. */
  readonly sessionId?: string
  readonly turns: ImportedTurn[]
  /** Lines that could not be read. What was left out on purpose is not among them. */
  readonly skipped: SkippedLine[]
}
