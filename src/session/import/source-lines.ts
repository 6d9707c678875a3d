/**
 * A transcript's file as records, each with its line. Broken lines are told and passed over: a program that is still writing
 * leaves its last line half done. Older programs wrote one JSON document instead, which counts as one record.
 */
import { type ForeignRecord, isRecord } from './foreign-json.ts'

export interface SkippedLine {
  readonly line: number
  readonly problem: string
}

export interface SourceLines {
  readonly records: readonly { readonly line: number; readonly record: ForeignRecord }[]
  readonly skipped: readonly SkippedLine[]
}

/** `most`: look at no more than so many lines. */
export function sourceLines(text: string, most: number = Number.POSITIVE_INFINITY): SourceLines {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  const document = wholeDocument(source)
  if (document) return { records: [{ line: 1, record: document }], skipped: [] }
  const records: { line: number; record: ForeignRecord }[] = []
  const skipped: SkippedLine[] = []
  let line = 0
  for (let from = 0; from < source.length && line < most; ) {
    const newline = source.indexOf('\n', from)
    const end = newline === -1 ? source.length : newline
    const written = source.slice(from, end)
    from = end + 1
    line += 1
    if (written.trim() === '') continue
    const value = parsed(written)
    if (isRecord(value)) records.push({ line, record: value })
    else skipped.push({ line, problem: problemOf(value, newline === -1) })
  }
  return { records, skipped }
}

function problemOf(value: unknown, isLast: boolean): string {
  if (value !== undefined) return 'is not a JSON object'
  return isLast ? 'is cut off' : 'is not JSON'
}

/** A document is indented, so its first line is an opening brace and no more. */
function wholeDocument(source: string): ForeignRecord | undefined {
  const opening = /^\s*\{[ \t]*\r?\n/.test(source.slice(0, 1000))
  const value = opening ? parsed(source) : undefined
  return isRecord(value) ? value : undefined
}

/** `undefined` is no JSON value. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
