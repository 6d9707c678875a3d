/**
 * Transcripts that agent programs keep, read into turns: text in, turns out, without trust and without I/O. A reading of the same
 * file after it has grown gives the same turns under the same ids, and the new ones. What the program itself put into the
 * conversation (reminders, contexts, summaries, thinking) and our own blocks are left out.
 */
import { looksLikeClaude, readClaude } from './claude.ts'
import { looksLikeCodex, readCodex } from './codex.ts'
import type { ForeignRecord } from './foreign-json.ts'
import { looksLikeGemini, readGemini } from './gemini.ts'
import type { Reading } from './reading.ts'
import { type SourceLines, sourceLines } from './source-lines.ts'

export type { Reading } from './reading.ts'
export type { ImportedTurn } from './turn-list.ts'

export type TranscriptFormat = 'claude' | 'codex' | 'gemini'

interface Reader {
  readonly looksLike: (record: ForeignRecord) => boolean
  readonly read: (lines: SourceLines) => Reading
}

/** In this order a line is tried: the marks of the first two are their own, Claude Code's are the most common. */
const READERS: Readonly<Record<TranscriptFormat, Reader>> = {
  codex: { looksLike: looksLikeCodex, read: readCodex },
  gemini: { looksLike: looksLikeGemini, read: readGemini },
  claude: { looksLike: looksLikeClaude, read: readClaude },
}

export const TRANSCRIPT_FORMATS: readonly TranscriptFormat[] = ['claude', 'codex', 'gemini']

const MOST_LINES_TO_TELL = 50

/** Whose transcript it is, by its first lines; `undefined` where none of them says. */
export function formatOf(text: string): TranscriptFormat | undefined {
  const order = Object.keys(READERS) as TranscriptFormat[] // the keys of the table above
  for (const { record } of sourceLines(text, MOST_LINES_TO_TELL).records) {
    const format = order.find((name) => READERS[name].looksLike(record))
    if (format !== undefined) return format
  }
  return undefined
}

/** Whether any of its first lines could be of that program. */
export function isTranscriptOf(format: TranscriptFormat, text: string): boolean {
  return sourceLines(text, MOST_LINES_TO_TELL).records.some(({ record }) => READERS[format].looksLike(record))
}

export function readTranscript(text: string, format: TranscriptFormat): Reading {
  return READERS[format].read(sourceLines(text))
}
