/**
 * A transcript without some texts. A transcript is only ever appended to; purging is the one exception, and even that keeps
 * every record: only the words are replaced.
 */
import type { JsonValue } from '../../model/entry.ts'
import { PURGED } from '../../model/purged.ts'
import { decodeText } from './reading.ts'
import { purgedOnce } from './session-metadata.ts'

/** Line by line, so that one that is no JSON is still searched as it is. Its metadata tells readers that it is another text now. */
export function purgedTranscript(bytes: Uint8Array, needles: readonly string[]): Uint8Array {
  const text = decodeText(bytes)
  if (text === undefined || needles.length === 0) return bytes
  const [first = '', ...others] = text.split('\n').map((line) => purgedLine(line, needles))
  const purged = [first, ...others].join('\n')
  return purged === text ? bytes : Buffer.from([purgedOnce(first), ...others].join('\n'))
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
