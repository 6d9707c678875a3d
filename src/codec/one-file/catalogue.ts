/**
 * `cata`, the catalogue that a fold makes: what all frames before it come to, so that opening reads this one and what follows
 * it. A line of JSON, then sections that are used as they lie: the packed heads of the entries (as stores/disk/packed-heads.ts
 * has them), where each one's text is, where each kept change is. No text stands in it: texts are in the frames that brought them.
 */
import type { Scope } from '../../model/entry.ts'
import { isListOf } from '../head-shape.ts'
import { aligned, encodeAlignedLine, encodeText } from './bytes.ts'
import { decodeLine, malformed, type PayloadPlace, parsed } from './malformed.ts'
import { bytesOf, floatsOf, integersOf } from './numbers.ts'
import { isCatalogue, isSessionRow } from './shapes.ts'

/** Transcripts are cut at line ends into pieces of about this much, so that the end of a long one is read without the rest. */
export const MOST_EXTENT_BYTES: number = 64 * 1024

/** Where bytes lie, and what proves them: a TextPlace in three numbers. */
export type Extent = readonly [offset: number, length: number, crc: number]

/** What the line says. */
export interface CatalogueHead {
  readonly epoch: string
  /** Of the last change. */
  readonly number: number
  readonly nextSeq: number
  /** Of the first change of this epoch's feed; those before it are only history. */
  readonly firstOfEpoch: number
  /** From when on the past is known. Missing: from the very beginning. */
  readonly since?: string
  /** Names that more than one entry claims, and who has each. */
  readonly contested: readonly (readonly [handle: string, owner: string])[]
  /** Where the `base` frames begin. */
  readonly bases: readonly number[]
  /** Where the `file` frames begin, by path. */
  readonly files: readonly (readonly [path: string, frame: number])[]
  readonly derived: readonly (readonly [key: string, bytes: Extent])[]
}

/** A transcript: its pieces in order. */
export type SessionRow = readonly [scope: Scope, key: string, extents: readonly Extent[]]

export interface CatalogueSections {
  readonly rows: Uint8Array
  readonly offsets: Uint32Array
  readonly groups: Uint8Array
  readonly groupOf: Uint32Array
  readonly ids: Uint32Array
  readonly handles: Uint32Array
  readonly seqs: Uint32Array
  /** Of the text of each row. */
  readonly textOffsets: Float64Array
  readonly textLengths: Uint32Array
  readonly textCrcs: Uint32Array
  /** Of every kept change, oldest first: its number, and where its frame begins. */
  readonly changeNumbers: Float64Array
  readonly changeOffsets: Float64Array
}

export interface DecodedCatalogue {
  readonly head: CatalogueHead
  readonly sections: CatalogueSections
  /** Parsed anew with each call: most commands ask for none. */
  sessions(): readonly SessionRow[]
}

/** The parts of a payload. */
export function encodeCatalogue(
  head: CatalogueHead,
  sections: CatalogueSections,
  sessions: readonly SessionRow[],
): Uint8Array[] {
  const parts = [...NAMES.map((name) => bytesOf(sections[name])), encodeText(JSON.stringify(sessions))]
  const lengths = [...NAMES, SESSIONS].map((name, n) => [name, parts[n]?.length ?? 0])
  const padded = parts.flatMap((part) => [part, new Uint8Array(aligned(part.length) - part.length)])
  return [encodeAlignedLine({ ...head, sections: lengths }), ...padded]
}

/** `payload`: one whose checksum is right. Sections are views of it where it begins at a multiple of 8 of its buffer. */
export function decodeCatalogue(payload: Uint8Array, place: PayloadPlace): DecodedCatalogue {
  const { value, end } = decodeLine(payload, place, isCatalogue)
  const { sections: lengths, ...head } = value
  const found = new Map<string, Uint8Array>()
  let next = end
  for (const [name, length] of lengths) {
    found.set(name, payload.subarray(next, next + length))
    next += aligned(length)
  }
  const section = (name: keyof CatalogueSections | typeof SESSIONS): Uint8Array => {
    const bytes = found.get(name)
    if (!bytes || bytes.length % (WIDTHS[name] ?? 1) !== 0) throw malformed(place)
    return bytes
  }
  const sections = {
    rows: section('rows'),
    offsets: integersOf(section('offsets')),
    groups: section('groups'),
    groupOf: integersOf(section('groupOf')),
    ids: integersOf(section('ids')),
    handles: integersOf(section('handles')),
    seqs: integersOf(section('seqs')),
    textOffsets: floatsOf(section('textOffsets')),
    textLengths: integersOf(section('textLengths')),
    textCrcs: integersOf(section('textCrcs')),
    changeNumbers: floatsOf(section('changeNumbers')),
    changeOffsets: floatsOf(section('changeOffsets')),
  }
  if (!isEven(sections)) throw malformed(place)
  const sessions = section(SESSIONS)
  return {
    head,
    sections,
    sessions() {
      const rows = parsed(sessions, place)
      if (!isListOf<SessionRow>(rows, isSessionRow)) throw malformed(place)
      return rows
    },
  }
}

/** Whether there is as much of everything that stands beside each row. What the rows say is looked at when they are parsed. */
function isEven({ offsets, groupOf, textOffsets, textLengths, textCrcs, ...others }: CatalogueSections): boolean {
  const rows = offsets.length - 1
  const beside = [groupOf, textOffsets, textLengths, textCrcs].every(({ length }) => length === rows)
  return beside && others.changeNumbers.length === others.changeOffsets.length
}

/** What stands in the line. */
export interface CatalogueLine extends CatalogueHead {
  /** What follows it, in order, and how many bytes each has. */
  readonly sections: readonly (readonly [name: string, length: number])[]
}

const SESSIONS = 'sessions'

/** Bytes of a number, where there are numbers. */
const WIDTHS: Readonly<Partial<Record<keyof CatalogueSections | typeof SESSIONS, number>>> = {
  offsets: 4,
  groupOf: 4,
  ids: 8,
  handles: 8,
  seqs: 8,
  textOffsets: 8,
  textLengths: 4,
  textCrcs: 4,
  changeNumbers: 8,
  changeOffsets: 8,
}

/** In the order in which they stand in the file. */
const NAMES: readonly (keyof CatalogueSections)[] = [
  'rows',
  'offsets',
  'groups',
  'groupOf',
  'ids',
  'handles',
  'seqs',
  'textOffsets',
  'textLengths',
  'textCrcs',
  'changeNumbers',
  'changeOffsets',
]
