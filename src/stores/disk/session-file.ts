/**
 * A transcript's file as its readers see it, from either end. Positions are bytes, each behind a whole line, and how often the
 * file was purged before, so that none from before a purge counts after it; what has no end yet is not there yet. No more is read
 * than what is asked for: the first line, and the part of a page.
 * Deliberately absent: a count of lines. It is made when a line is broken, for its number, and would else cost the whole file.
 */
import type { SessionPage, SessionRecord, SessionTail } from '../../ports/store.ts'
import { readBytes, readOpened } from './reading.ts'
import { bytesOfMark, metadataIn, purgesOf, type SessionMetadata } from './session-metadata.ts'
import { NEWLINE, recordsIn } from './session-tail.ts'

const FIRST_LINE_BYTES = 4096
const PAGE_BYTES = 64 * 1024
const COUNTING_BYTES = 1024 * 1024
/** Of a file, and of purges before the count begins anew: together they fill the numbers that are exact. */
const MOST_BYTES = 2 ** 40
const MOST_PURGES = 2 ** 13

/** All whole lines from a position on. */
export function readForward(path: string, from: number): SessionPage | undefined {
  return look(path, (file) => {
    const first = firstLine(file)
    if (!first) return undefined
    const place = placeOf(file, first, from)
    const start = place ?? first.end
    const page = pageOf(file, first, start, bytesOf(file, start, file.size))
    return place === undefined ? { ...page, restarted: true } : page
  })
}

/** The whole lines that end at a position: as many as a page holds, or the one that is longer than that. */
export function readBackward(path: string, before: number | undefined): SessionTail | undefined {
  return look(path, (file) => {
    const first = firstLine(file)
    if (!first) return undefined
    const place = before === undefined ? file.size : placeOf(file, first, before)
    const { start, bytes } = lastLines(file, first.end, place ?? file.size)
    const tail = {
      ...pageOf(file, first, start, bytes),
      start: start === first.end ? 0 : positionOf(first, start),
    }
    return place === undefined ? { ...tail, restarted: true } : tail
  })
}

/** The metadata alone; `undefined` when there is no whole line. */
export function readMetadata(path: string): SessionMetadata | undefined {
  return look(path, firstLine)
}

/** The position of a place in the file, behind a whole line. Only for the holder of the lock. */
export function positionIn(path: string, place: number): number {
  return look(path, (file) => positionOf(firstLine(file), place)) ?? place
}

/** What stands behind the last whole line, and where that ends. Only for the holder of the lock. */
export function readRest(path: string): { readonly end: number; readonly rest: Uint8Array } | undefined {
  return look(path, (file) => {
    for (let length = 1; ; length = Math.max(length * 2, FIRST_LINE_BYTES)) {
      const from = Math.max(0, file.size - length)
      const bytes = bytesOf(file, from, file.size)
      const end = bytes.lastIndexOf(NEWLINE) + 1
      if (end > 0 || from === 0) return { end: from + end, rest: bytes.subarray(end) }
    }
  })
}

interface OpenFile {
  readonly fd: number
  readonly size: number
}

interface FirstLine extends SessionMetadata {
  /** Where the first record begins. */
  readonly end: number
}

class Shrunk extends Error {}

/** A failed append takes back what it wrote: whoever was reading that begins anew. */
function look<T>(path: string, read: (file: OpenFile) => T): T | undefined {
  return readOpened(path, (fd, { size }) => {
    try {
      return { made: read({ fd, size }) }
    } catch (error) {
      if (error instanceof Shrunk) return undefined
      throw error
    }
  })?.made
}

function bytesOf({ fd }: OpenFile, from: number, to: number): Uint8Array {
  const bytes = readBytes(fd, from, to - from)
  if (bytes.length < to - from) throw new Shrunk()
  return bytes
}

function firstLine(file: OpenFile): FirstLine | undefined {
  for (let length = FIRST_LINE_BYTES; ; length *= 4) {
    const bytes = bytesOf(file, 0, Math.min(length, file.size))
    const end = bytes.indexOf(NEWLINE)
    if (end !== -1) {
      const said = metadataIn(bytes.subarray(0, end))
      return { ...said, end: said.isRecord ? bytesOfMark(bytes) : end + 1 }
    }
    if (length >= file.size) return undefined
  }
}

function positionOf(first: SessionMetadata | undefined, place: number): number {
  return (purgesOf(first?.meta ?? {}) % MOST_PURGES) * MOST_BYTES + place
}

/** `undefined`: the position is of a transcript that a purge, or a hand, has rewritten since. */
function placeOf(file: OpenFile, first: FirstLine, position: number): number | undefined {
  if (position === 0) return first.end
  const place = position - positionOf(first, 0)
  if (!Number.isInteger(place) || place <= 0 || place > file.size) return undefined
  if (place <= first.end) return first.end
  return bytesOf(file, place - 1, place)[0] === NEWLINE ? place : undefined
}

/** Read back from `limit` in one piece, a longer one when no whole line is in it; never before `from`. */
function lastLines(
  file: OpenFile,
  from: number,
  limit: number,
): { readonly start: number; readonly bytes: Uint8Array } {
  for (let length = PAGE_BYTES; ; length *= 2) {
    const start = Math.max(from, limit - length)
    const bytes = bytesOf(file, start, limit)
    if (start === from) return { start, bytes }
    const whole = bytes.indexOf(NEWLINE) + 1
    if (bytes.lastIndexOf(NEWLINE) >= whole && whole > 0) return { start: start + whole, bytes: bytes.subarray(whole) }
  }
}

function pageOf(file: OpenFile, { meta, problem }: FirstLine, start: number, bytes: Uint8Array): SessionPage {
  const records: SessionRecord[] = []
  const broken: { line: number; problem: string }[] = []
  if (problem !== undefined) broken.push({ line: 1, problem })
  let linesBefore: number | undefined
  let at = 0
  for (let line = 1, end = bytes.indexOf(NEWLINE); end !== -1; line++, end = bytes.indexOf(NEWLINE, at)) {
    const found = recordsIn(bytes.subarray(at, end))
    if (found) for (const record of found) records.push(record)
    else {
      linesBefore ??= linesUpTo(file, start)
      broken.push({ line: linesBefore + line, problem: 'it is not a JSON object' })
    }
    at = end + 1
  }
  return { meta, records, next: positionOf({ meta }, start + at), broken }
}

function linesUpTo(file: OpenFile, end: number): number {
  let lines = 0
  for (let from = 0; from < end; from += COUNTING_BYTES) {
    const bytes = bytesOf(file, from, Math.min(from + COUNTING_BYTES, end))
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++
  }
  return lines
}
