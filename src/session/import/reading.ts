/** What each reader of a client's transcripts gives. */
import type { GivenText } from '../turn-input.ts'
import type { SkippedLine } from './source-lines.ts'
import type { ImportedTurn } from './turn-list.ts'

export interface Reading {
  /** What the client calls the session. */
  readonly sessionId?: string
  /** The folder in which the session began. */
  readonly cwd?: string
  readonly turns: ImportedTurn[]
  /** What the session was given of this memory: who says it again says nothing new. */
  readonly given: GivenText[]
  /** Lines that could not be read. What was left out on purpose is not among them. */
  readonly skipped: SkippedLine[]
}
