/**
 * The first line of a transcript: the key and the time of the session, as far as it can be read. A hand may have broken it, or
 * taken it out, and the session is there all the same: which one it is says the file's name, and that alone.
 */

import { parseInstant } from '../../model/time.ts'
import { isTranscriptMetadata } from '../../model/transcript-metadata.ts'
import type { SessionRecord } from '../../ports/store.ts'
import { safeFileName, textOfFileName } from './safe-file-name.ts'
import { parseLine, recordsIn } from './session-tail.ts'

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

export interface SessionMetadata {
  readonly meta: SessionRecord
  /** What is wrong with it. */
  readonly problem?: string
  /** The line holds what was said already: there is no metadata before it. */
  readonly isRecord?: true
}

/** How many bytes an editor has put before the first line. */
export function bytesOfMark(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0
}

/** `line`: without its end. */
export function metadataIn(line: Uint8Array): SessionMetadata {
  const text = line.subarray(bytesOfMark(line))
  const value = parseLine(text)
  if (!isTranscriptMetadata(value)) {
    if (recordsIn(text)) return { meta: {}, problem: 'there is no metadata line before it', isRecord: true }
    return { meta: {}, problem: 'the metadata line can not be read' }
  }
  const { createdAt: said, ...rest } = value
  const createdAt = parseInstant(said)
  if (createdAt !== undefined) return { meta: { ...rest, createdAt } }
  const problem =
    said === undefined ? 'it does not say "createdAt"' : `createdAt: ${JSON.stringify(said)} is not a time`
  return { meta: rest, problem }
}

/** Which session a file is of. `key`: as the metadata says. `undefined`: no key leads to this file. */
export function keyOfFile(fileName: string, key: unknown): string | undefined {
  const name = fileName.replace(/\.jsonl$/, '')
  if (typeof key === 'string' && isNamedAfter(name, key)) return key
  const text = textOfFileName(name)
  return text !== undefined && isNamedAfter(name, text) ? text : undefined
}

/** What is wrong with the key that the metadata says of a file. */
export function keyProblem(fileName: string, key: unknown): string | undefined {
  const own = keyOfFile(fileName, key)
  if (own === undefined) return 'no key leads to a file of this name'
  if (key === undefined || own === key) return undefined
  return `its metadata says the key ${JSON.stringify(key)}, and its name ${JSON.stringify(own)}, which counts`
}

function isNamedAfter(name: string, key: string): boolean {
  return key !== '' && key.isWellFormed() && safeFileName(key, 'session') === name
}
