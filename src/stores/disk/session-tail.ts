/**
 * What may stand behind the last whole line of a transcript. Our appends are one write of a line and its end, so what lacks its
 * end was promised to nobody, but it need not be ours: a hand's last line often has none. So only what a crash of ours
 * can have left is ever cut.
 */
import type { JsonValue } from '../../model/entry.ts'
import type { SessionRecord } from '../../ports/store.ts'
import { decodeText } from './reading.ts'

export const NEWLINE = 10

const METADATA = '{"key":'

/**
 * `unended`: it lacks only its end. `torn`: a crash cut it. `unknown`: neither, so someone else wrote it; `foreign` when it is
 * all that there is.
 */
export type Rest = 'unended' | 'torn' | 'unknown' | 'foreign'

/** `isFirst`: no whole line comes before it. */
export function restOf(bytes: Uint8Array, isFirst: boolean): Rest {
  if (recordsIn(bytes)) return 'unended'
  // A power cut can leave zeros where the text was to be.
  const rest = Buffer.from(bytes).toString('latin1').replace(/\0+$/, '')
  if (isFirst) return isCutMetadata(rest) ? 'torn' : 'foreign'
  return rest === '' || /^[{[]/.test(rest) ? 'torn' : 'unknown'
}

/** The first line that we write names the session's key. */
function isCutMetadata(line: string): boolean {
  return line.startsWith(METADATA) || METADATA.startsWith(line)
}

/** What one append brought, or `undefined` when the line can't be read. */
export function recordsIn(line: Uint8Array): readonly SessionRecord[] | undefined {
  const value = parseLine(line)
  const items = Array.isArray(value) ? value : [value]
  return items.every(isRecord) ? items : undefined
}

export function parseLine(line: Uint8Array): JsonValue | undefined {
  const text = decodeText(line)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as JsonValue // JSON.parse gives nothing else
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is SessionRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
