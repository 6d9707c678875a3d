/**
 * The checkpoint: the catalogue as one file, and the place in the journal up to which every file it tells of is known to be
 * on disk. Opening reads it and the few records after it. Without it, or when it is not whole, the journal is read from
 * its beginning. Its parts are used as they lie in it, so that opening costs no more than reading and its checksum.
 */
import { endianness } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DamagedError } from '../../errors.ts'
import { type Contested, type HeadSections, PackedHeads, packHeads } from '../disk/packed-heads.ts'
import { readFileAt, uncounted } from '../disk/reading.ts'
import { replaceFileDurably } from '../disk/system.ts'
import { Catalog } from './catalog.ts'
import type { FolderAtRest } from './folder-at-rest.ts'
import type { Position } from './journal.ts'
import { type FileSections, PackedFiles, packFiles } from './packed-files.ts'

const VERSION = 5
const NEWLINE = 10
const FIRST_LINE_BYTES = 11

export interface Checkpoint {
  readonly catalog: Catalog
  readonly epoch: string
  readonly position: Position
  readonly bytes: number
}

/** The second line of the file; the first has the version, and the checksum of all that follows. */
interface Header {
  /** Of the bytes in a number. */
  readonly order: string
  readonly epoch: string
  readonly position: Position
  readonly number: number
  readonly turn: number
  readonly nextSeq: number
  readonly contested: Contested
  /** Files whose hash is known and whose signature is not. */
  readonly unsigned: readonly string[]
  /** What follows the header, in this order, each with its length in bytes. */
  readonly sections: readonly (readonly [name: string, length: number])[]
}

export function readCheckpoint(stateFolder: string): Checkpoint | undefined {
  const file = readFileAt(checkpointPath(stateFolder), uncounted)
  if (!file) return undefined
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength)
  const begin = bytes.indexOf(NEWLINE) + 1
  const rest = bytes.subarray(begin)
  if (bytes.toString('latin1', 0, begin) !== firstLine(rest)) return undefined
  const end = rest.indexOf(NEWLINE)
  const header = JSON.parse(rest.toString('utf8', 0, end)) as Header // the checksum proves that we wrote it
  if (header.order !== endianness()) return undefined
  const section = sectionsOf(header, rest.subarray(end + 1))
  const catalog = new Catalog(packedHeads(section, header.contested, checkpointPath(stateFolder)), packedFiles(section))
  for (const path of header.unsigned) catalog.unsigned.add(path)
  catalog.nextSeq = header.nextSeq
  catalog.epoch = header.epoch
  catalog.number = header.number
  catalog.turn = header.turn
  return { catalog, epoch: header.epoch, position: header.position, bytes: bytes.length }
}

/** Durable when it returns; the size of what was written. */
export async function writeCheckpoint(
  stateFolder: string,
  temporaryFolder: string,
  state: Omit<Checkpoint, 'bytes'> & { readonly folders: ReadonlyMap<string, FolderAtRest> },
): Promise<number> {
  const { catalog, epoch, position, folders } = state
  const packed: HeadSections & FileSections = {
    ...packHeads([...catalog.heads()], catalog.contested()),
    ...packFiles([...catalog.files], folders),
  }
  const sections = Object.entries<ArrayBufferView>({ ...packed })
  const header: Header = {
    order: endianness(),
    epoch,
    position,
    number: catalog.number,
    turn: catalog.turn,
    nextSeq: catalog.nextSeq,
    contested: [...catalog.contested()].flatMap((key) => [[key, catalog.ownerOf(key) ?? '']]),
    unsigned: [...catalog.unsigned],
    sections: sections.map(([name, { byteLength }]) => [name, byteLength]),
  }
  const parts = sections.map(([, { buffer, byteOffset, byteLength }]) => new Uint8Array(buffer, byteOffset, byteLength))
  const bytes = Buffer.concat([Buffer.alloc(FIRST_LINE_BYTES), Buffer.from(`${JSON.stringify(header)}\n`), ...parts])
  bytes.write(firstLine(bytes.subarray(FIRST_LINE_BYTES)), 'latin1')
  await replaceFileDurably(checkpointPath(stateFolder), bytes, temporaryFolder)
  return bytes.length
}

type Section = (name: keyof HeadSections | keyof FileSections) => Uint8Array

function sectionsOf(header: Header, bytes: Uint8Array): Section {
  const found = new Map<string, Uint8Array>()
  let at = 0
  for (const [name, length] of header.sections) {
    found.set(name, bytes.subarray(at, at + length))
    at += length
  }
  return (name) => found.get(name) ?? new Uint8Array()
}

function packedHeads(section: Section, contested: Contested, path: string): PackedHeads {
  const integers = (name: keyof HeadSections): Uint32Array => new Uint32Array(copied(section(name)))
  return new PackedHeads(
    {
      rows: section('rows'),
      offsets: integers('offsets'),
      groups: section('groups'),
      groupOf: integers('groupOf'),
      ids: integers('ids'),
      handles: integers('handles'),
      places: integers('places'),
      seqs: integers('seqs'),
    },
    contested,
    () => new DamagedError(path, 'it is not one that Keepsake writes', 'Remove it: it is made anew.'),
  )
}

function packedFiles(section: Section): PackedFiles {
  return new PackedFiles({
    paths: section('paths'),
    pathOffsets: new Uint32Array(copied(section('pathOffsets'))),
    folders: section('folders'),
    byPath: new Uint32Array(copied(section('byPath'))),
    signatures: new Float64Array(copied(section('signatures'))),
    sizes: new Float64Array(copied(section('sizes'))),
    hashes: section('hashes'),
  })
}

/** Arrays of numbers must begin at a multiple of their size. */
function copied(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}

function firstLine(rest: Uint8Array): string {
  return `${VERSION} ${crc32(rest).toString(16).padStart(8, '0')}\n`
}

export function checkpointPath(stateFolder: string): string {
  return join(stateFolder, 'checkpoint')
}
