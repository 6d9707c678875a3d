/**
 * A transcript as its readers see it, from either end, wherever its bytes lie. Positions are bytes, each behind a whole line, and
 * how often it was purged before, so that none from before a purge counts after it; what has no end yet is not there yet. No more is
 * read than what is asked for: the first line, and the part of a page.
 * Deliberately absent: a count of lines. It is made when a line is broken, for its number, and would else cost the whole text.
 */
import { purgeCount } from '../../model/transcript-metadata.ts'
import type { SessionPage, SessionRecord, SessionTail } from '../../ports/store.ts'
import { bytesOfMark, metadataIn, type SessionMetadata } from './session-metadata.ts'
import { NEWLINE, recordsIn } from './session-tail.ts'

const FIRST_LINE_BYTES = 4096
const PAGE_BYTES = 64 * 1024
const COUNTING_BYTES = 1024 * 1024
/** The maximum size of a transcript in bytes. The rest of an exact integer counts purges, and wraps around. */
const MOST_BYTES = 2 ** 40
const MOST_PURGES = 2 ** 13

/** The bytes of one transcript, which do not change while they are looked at: a file's, or those of the parts that it is kept in. */
export interface LineSource {
  readonly size: number
  /** All of these, or it throws. */
  bytes(from: number, to: number): Uint8Array
}

export interface LoadedBytes {
  readonly from: number
  readonly bytes: Uint8Array
}

/**
 * Reads a transcript whose bytes are not in memory. If `read` needs bytes that are not loaded, they are loaded and `read` is called again.
 * `load` returns at least the requested bytes.
 */
export async function readLoading<T>(
  size: number,
  load: (from: number, to: number) => Promise<LoadedBytes>,
  read: (source: LineSource) => T,
): Promise<T> {
  const loaded: LoadedBytes[] = []
  for (;;) {
    let missing: readonly [from: number, to: number] | undefined
    const bytes = (from: number, to: number): Uint8Array => {
      const piece = loaded.find((one) => one.from <= from && to <= one.from + one.bytes.length)
      if (from >= to || piece) return piece?.bytes.subarray(from - piece.from, to - piece.from) ?? new Uint8Array()
      missing = [from, to]
      throw new Error('these bytes are not loaded')
    }
    try {
      return read({ size, bytes })
    } catch (error) {
      if (!missing) throw error
      loaded.push(await load(...missing))
    }
  }
}

/** All whole lines from a position on; `undefined` when there is not one whole line. */
export function readForward(source: LineSource, from: number): SessionPage | undefined {
  const first = firstLine(source)
  if (!first) return undefined
  const place = placeOf(source, first, from)
  const start = place ?? first.end
  const page = pageOf(source, first, start, source.bytes(start, source.size))
  return place === undefined ? { ...page, restarted: true } : page
}

/** The whole lines that end at a position: as many as a page holds, or the one that is longer than that. */
export function readBackward(source: LineSource, before: number | undefined): SessionTail | undefined {
  const first = firstLine(source)
  if (!first) return undefined
  const place = before === undefined ? source.size : placeOf(source, first, before)
  const { start, bytes } = lastLines(source, first.end, place ?? source.size)
  const tail = {
    ...pageOf(source, first, start, bytes),
    start: start === first.end ? 0 : positionOf(first, start),
  }
  return place === undefined ? { ...tail, restarted: true } : tail
}

/** The metadata alone; `undefined` when there is no whole line. */
export function readMetadata(source: LineSource): SessionMetadata | undefined {
  return firstLine(source)
}

/** The position of a place in the transcript, behind a whole line. Only for the holder of the lock. */
export function positionIn(source: LineSource, place: number): number {
  return positionOf(firstLine(source), place)
}

/** What stands behind the last whole line, and where that ends. Only for the holder of the lock. */
export function readRest(source: LineSource): { readonly end: number; readonly rest: Uint8Array } {
  for (let length = 1; ; length = Math.max(length * 2, FIRST_LINE_BYTES)) {
    const from = Math.max(0, source.size - length)
    const bytes = source.bytes(from, source.size)
    const end = bytes.lastIndexOf(NEWLINE) + 1
    if (end > 0 || from === 0) return { end: from + end, rest: bytes.subarray(end) }
  }
}

interface FirstLine extends SessionMetadata {
  /** Where the first record begins. */
  readonly end: number
}

function firstLine(source: LineSource): FirstLine | undefined {
  for (let length = FIRST_LINE_BYTES; ; length *= 4) {
    const bytes = source.bytes(0, Math.min(length, source.size))
    const end = bytes.indexOf(NEWLINE)
    if (end !== -1) {
      const said = metadataIn(bytes.subarray(0, end))
      return { ...said, end: said.isRecord ? bytesOfMark(bytes) : end + 1 }
    }
    if (length >= source.size) return undefined
  }
}

function positionOf(first: SessionMetadata | undefined, place: number): number {
  return (purgeCount(first?.meta ?? {}) % MOST_PURGES) * MOST_BYTES + place
}

/** `undefined`: the position is of a transcript that a purge, or a hand, has rewritten since. */
function placeOf(source: LineSource, first: FirstLine, position: number): number | undefined {
  if (position === 0) return first.end
  const place = position - positionOf(first, 0)
  if (!Number.isInteger(place) || place <= 0 || place > source.size) return undefined
  if (place <= first.end) return first.end
  return source.bytes(place - 1, place)[0] === NEWLINE ? place : undefined
}

/** Read back from `limit` in one piece, a longer one when no whole line is in it; never before `from`. */
function lastLines(
  source: LineSource,
  from: number,
  limit: number,
): { readonly start: number; readonly bytes: Uint8Array } {
  for (let length = PAGE_BYTES; ; length *= 2) {
    const start = Math.max(from, limit - length)
    const bytes = source.bytes(start, limit)
    if (start === from) return { start, bytes }
    const whole = bytes.indexOf(NEWLINE) + 1
    if (bytes.lastIndexOf(NEWLINE) >= whole && whole > 0) return { start: start + whole, bytes: bytes.subarray(whole) }
  }
}

function pageOf(source: LineSource, { meta, problem }: FirstLine, start: number, bytes: Uint8Array): SessionPage {
  const records: SessionRecord[] = []
  const broken: { line: number; problem: string }[] = []
  if (problem !== undefined) broken.push({ line: 1, problem })
  let linesBefore: number | undefined
  let at = 0
  for (let line = 1, end = bytes.indexOf(NEWLINE); end !== -1; line++, end = bytes.indexOf(NEWLINE, at)) {
    const found = recordsIn(bytes.subarray(at, end))
    if (found) for (const record of found) records.push(record)
    else {
      linesBefore ??= linesUpTo(source, start)
      broken.push({ line: linesBefore + line, problem: 'it is not a JSON object' })
    }
    at = end + 1
  }
  return { meta, records, next: positionOf({ meta }, start + at), broken }
}

function linesUpTo(source: LineSource, end: number): number {
  let lines = 0
  for (let from = 0; from < end; from += COUNTING_BYTES) {
    const bytes = source.bytes(from, Math.min(from + COUNTING_BYTES, end))
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++
  }
  return lines
}
