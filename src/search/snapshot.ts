/**
 * The file that an index is saved in: a fixed head, a header in JSON, and the segments as they are in memory. Opening it
 * lays typed arrays over the bytes; nothing is parsed but the header. What can't be trusted is told in a sentence, never
 * thrown: the caller builds the index anew. No checksum: who keeps the bytes gives them back whole, or not at all.
 *
 *   0 magic   8 version, length of the header   16 length of all   24 header …
 */

import { checkSegment } from './check-segment.ts'
import { type Schema, sameSchema } from './document.ts'
import { FrozenSegment } from './frozen-segment.ts'
import { decode, encode } from './utf8.ts'

const MAGIC = 'keepsidx'
/** Changes with any change of the layout. */
const VERSION = 3
const HEAD_BYTES = 24

export interface SnapshotFacts {
  /** The version of the analyzer. */
  readonly analyzer: string
  readonly schema: Schema
  readonly note: string
}

interface Header extends SnapshotFacts {
  readonly segments: readonly SegmentPlace[]
}

interface SegmentPlace {
  readonly at: number
  readonly length: number
  /** Whether what is removed follows behind it: a bit for each document, then a number for each term. */
  readonly removals: boolean
}

export function writeSnapshot(segments: readonly FrozenSegment[], facts: SnapshotFacts): Uint8Array {
  const parts: { readonly at: number; readonly bytes: Uint8Array }[] = []
  let end = 0
  const place = (bytes: Uint8Array): number => {
    const at = end
    parts.push({ at, bytes })
    end = aligned(end + bytes.length)
    return at
  }
  // Counted from the end of the header, whose length depends on these numbers.
  const places = segments.map((segment): SegmentPlace => {
    const at = place(segment.bytes)
    const removals = segment.removals()
    if (removals) {
      place(bytesOf(removals.documents))
      place(bytesOf(removals.byTerm))
    }
    return { at, length: segment.bytes.length, removals: removals !== undefined }
  })
  const header = encode(JSON.stringify({ ...facts, segments: places } satisfies Header))
  const start = aligned(HEAD_BYTES + header.length)
  const all = new Uint8Array(start + end)
  all.set(encode(MAGIC))
  all.set(header, HEAD_BYTES)
  for (const { at, bytes } of parts) all.set(bytes, start + at)
  const words = new Uint32Array(all.buffer)
  words[2] = VERSION
  words[3] = header.length
  new Float64Array(all.buffer)[2] = all.length
  return all
}

export function readSnapshot(
  given: Uint8Array,
  analyzer: string,
  schema: Schema,
): { readonly segments: readonly FrozenSegment[]; readonly note: string } | { readonly problem: string } {
  if (given.length < MAGIC.length || decode(given.subarray(0, MAGIC.length)) !== MAGIC) {
    return { problem: 'it is not a search index of Keepsake' }
  }
  if (given.length < HEAD_BYTES) return { problem: 'it is cut off' }
  // Typed arrays need a multiple of 8; a small file may have been read into the middle of a shared buffer.
  const bytes = given.byteOffset % 8 === 0 ? given : given.slice()
  const head = new Uint32Array(bytes.buffer, bytes.byteOffset, HEAD_BYTES / 4)
  if (head[2] !== VERSION) return { problem: `it has version ${head[2]}, not ${VERSION}` }
  const length = new Float64Array(bytes.buffer, bytes.byteOffset, HEAD_BYTES / 8)[2] ?? 0
  if (bytes.length < length) return { problem: `it is cut off: ${bytes.length} of ${length} bytes` }
  if (bytes.length !== length || length % 8 !== 0) return DAMAGED

  const header = readHeader(bytes.subarray(HEAD_BYTES, HEAD_BYTES + (head[3] ?? 0)))
  if (header === undefined) return DAMAGED
  if (header.analyzer !== analyzer) {
    return { problem: `its words were made by the analyzer ${header.analyzer}, not ${analyzer}` }
  }
  if (!sameSchema(header.schema, schema)) return { problem: 'it has other fields or columns' }
  const body = bytes.subarray(aligned(HEAD_BYTES + (head[3] ?? 0)))
  const segments: FrozenSegment[] = []
  for (const place of header.segments) {
    const segment = readSegment(body, place, schema)
    if (segment === undefined) return DAMAGED
    segments.push(segment)
  }
  return { segments, note: header.note }
}

const DAMAGED = { problem: 'it is damaged' }

function readSegment(
  body: Uint8Array,
  { at, length, removals }: SegmentPlace,
  schema: Schema,
): FrozenSegment | undefined {
  if (at % 8 !== 0) return undefined
  const segment = FrozenSegment.over(body.subarray(at, at + length))
  if (segment === undefined || !checkSegment(segment, schema)) return undefined
  if (!removals) return segment
  const documentsAt = aligned(at + length)
  const byTermAt = aligned(documentsAt + segment.removed.words.byteLength)
  const end = byTermAt + segment.terms * 4
  if (end > body.length) return undefined
  // Copies: they are written to, and the bytes may be somebody else's too.
  const documents = numbersOf(body.slice(documentsAt, documentsAt + segment.removed.words.byteLength))
  segment.restoreRemovals({ documents, byTerm: numbersOf(body.slice(byTermAt, end)) })
  return segment
}

function readHeader(bytes: Uint8Array): Header | undefined {
  let value: unknown
  try {
    value = JSON.parse(decode(bytes))
  } catch {
    return undefined
  }
  const header = value as Header // looked at below, as far as it is used
  const places: unknown = header?.segments
  const sound =
    typeof header?.analyzer === 'string' &&
    typeof header.note === 'string' &&
    isListOf(header.schema?.fields, 'string') &&
    isListOf(header.schema?.columns, 'string') &&
    Array.isArray(places) &&
    places.every((place: Partial<SegmentPlace> | null) => isSize(place?.at) && isSize(place?.length))
  return sound ? header : undefined
}

function isListOf(value: unknown, type: string): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === type)
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

function numbersOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

function aligned(length: number): number {
  return Math.ceil(length / 8) * 8
}
