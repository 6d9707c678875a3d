/**
 * A transcript without some texts. A transcript is only ever appended to; purging is the one exception, and even that keeps
 * every record: only the words are replaced.
 */
import type { JsonValue } from '../../model/entry.ts'
import { PURGED } from '../../model/purged.ts'
import { decodeText } from './reading.ts'
import { purgedOnce } from './session-metadata.ts'

const LINE_END = 0x0a

/**
 * Line by line, so that one that is no JSON, or no text at all, is still searched as it is. Its metadata tells readers that it is
 * another text now.
 */
export function purgedTranscript(bytes: Uint8Array, needles: readonly string[]): Uint8Array {
  const purged = purgedLines(bytes, needles)
  return purged === bytes ? bytes : countedOnce(purged)
}

/** The lines alone, as they stand in a part of a transcript: the very bytes where they say none of it. */
export function purgedLines(bytes: Uint8Array, needles: readonly string[]): Uint8Array {
  if (needles.length === 0) return bytes
  const lines = linesOf(bytes)
  const purged = lines.map((line) => purgedBytes(line, needles))
  return purged.every((line, index) => line === lines[index]) ? bytes : joinedLines(purged)
}

/** The transcript, or its beginning, with one more purge in its metadata. */
export function countedOnce(bytes: Uint8Array): Uint8Array {
  const [first = bytes, ...others] = linesOf(bytes)
  const metadata = decodeText(first)
  return metadata === undefined ? bytes : joinedLines([Buffer.from(purgedOnce(metadata)), ...others])
}

function joinedLines(lines: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [Buffer.of(LINE_END), line])))
}

/** Without their ends; the last one may be empty. */
function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  let start = 0
  for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return [...lines, bytes.subarray(start)]
}

/** The line itself where it says none of them. */
function purgedBytes(line: Uint8Array, needles: readonly string[]): Uint8Array {
  const text = decodeText(line)
  if (text !== undefined) {
    const purged = purgedLine(text, needles)
    return purged === text ? line : Buffer.from(purged)
  }
  // Not UTF-8: its bytes are searched, each as a letter of its own, for the words as they are and as JSON writes them.
  const letters = Buffer.from(line).toString('latin1')
  const forms = needles.flatMap((needle) => [JSON.stringify(needle).slice(1, -1), needle])
  const purged = without(
    letters,
    forms.map((form) => Buffer.from(form).toString('latin1')),
  )
  return purged === letters ? line : Buffer.from(purged, 'latin1')
}

function purgedLine(line: string, needles: readonly string[]): string {
  // An editor's mark at the beginning of the file is no JSON.
  if (line.startsWith('\ufeff')) return `\ufeff${purgedLine(line.slice(1), needles)}`
  let value: JsonValue
  try {
    value = JSON.parse(line) as JsonValue // JSON.parse gives nothing else
  } catch {
    return without(line, needles)
  }
  const purged = JSON.stringify(purgedValue(value, needles))
  return purged === JSON.stringify(value) ? line : purged
}

function purgedValue(value: JsonValue, needles: readonly string[]): JsonValue {
  if (typeof value === 'string') return without(value, needles)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: JsonValue) => purgedValue(item, needles))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [without(key, needles), purgedValue(item, needles)]),
  )
}

function without(text: string, needles: readonly string[]): string {
  return needles.reduce((rest, needle) => rest.replaceAll(needle, PURGED), text)
}
