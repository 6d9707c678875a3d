/**
 * The first 128 bytes of the one file: what it is, which of its lives this is, where its catalogue lies, and twice how far it
 * was acknowledged. The two slots are written in turns, so that a torn one leaves the other.
 * Invariant: every byte is under a checksum. Magic, version and the place of the header's checksum stay in all versions, so that
 * a newer file can be told from a damaged one.
 */
import { DamagedError, ForeignError, NewerError } from '../../errors.ts'
import type { Crc } from './bytes.ts'

export const FILE_VERSION = 1
export const HEADER_BYTES = 128

/** A byte above ASCII, both line ends and the end mark of old systems: a transfer as text changes one of them. */
const MAGIC: readonly number[] = [0x89, 0x4b, 0x45, 0x45, 0x50, 0x0d, 0x0a, 0x1a]
const NAME: readonly number[] = MAGIC.slice(1, 5)
const VERSION_AT = 8
const GENERATION_AT = 12
export const GENERATION_BYTES = 16
const CATALOGUE_AT = 32
const CRC_AT = 60
const SLOT_BYTES = 32
const SLOT_AT = { A: 64, B: 96 } as const
const SLOT_CRC_AT = SLOT_BYTES - 4

export interface FileHeader {
  /** Random, new with every fold: tells a file that took another's place apart, even under the same inode. */
  readonly generation: Uint8Array
  /** Where the catalogue's frame begins. */
  readonly catalogue: number
}

export interface Slot {
  /** So many bytes of the file were acknowledged: what fails its check before this is damage, behind it a crash's rest. */
  readonly end: number
  /** Of the last change before that. */
  readonly number: number
}

export type SlotName = keyof typeof SLOT_AT

export interface DecodedHeader {
  readonly header: FileHeader
  /** The one that tells of more. */
  readonly slot: Slot
  /** Which to write next: never the one that counts. */
  readonly nextSlot: SlotName
  /** The other slot can't be read. The file is whole all the same. */
  readonly problem?: string
}

/** Both slots alike. */
export function encodeHeader({ generation, catalogue }: FileHeader, slot: Slot, crc: Crc): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES)
  const view = new DataView(bytes.buffer)
  bytes.set(MAGIC)
  view.setUint32(VERSION_AT, FILE_VERSION, true)
  bytes.set(generation.subarray(0, GENERATION_BYTES), GENERATION_AT)
  view.setFloat64(CATALOGUE_AT, catalogue, true)
  view.setUint32(CRC_AT, crc(bytes.subarray(0, CRC_AT)), true)
  for (const at of Object.values(SLOT_AT)) bytes.set(encodeSlot(slot, crc), at)
  return bytes
}

/** `bytes`: the beginning of the file, as much as there is of it. Refuses what is not a whole header of this version. */
export function decodeHeader(bytes: Uint8Array, crc: Crc, path: string): DecodedHeader {
  refuseOtherFiles(bytes, crc, path)
  if (bytes.length < HEADER_BYTES) throw damagedFile(path, `it ends after ${bytes.length} bytes, within its header`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES)
  if (view.getUint32(CRC_AT, true) !== crc(bytes.subarray(0, CRC_AT))) {
    throw damagedFile(path, 'the checksum of its header is wrong', 0)
  }
  const version = view.getUint32(VERSION_AT, true)
  if (version > FILE_VERSION) throw new NewerError(path, version, FILE_VERSION)
  if (version < FILE_VERSION) throw damagedFile(path, `its header has version ${version}, which never was`, VERSION_AT)
  const header = {
    generation: bytes.slice(GENERATION_AT, GENERATION_AT + GENERATION_BYTES),
    catalogue: view.getFloat64(CATALOGUE_AT, true),
  }
  const a = decodeSlot(bytes, 'A', crc)
  const b = decodeSlot(bytes, 'B', crc)
  if (a && b) return b.end > a.end ? { header, slot: b, nextSlot: 'A' } : { header, slot: a, nextSlot: 'B' }
  const slot = a ?? b
  if (!slot) throw damagedFile(path, 'both places that say how far it goes are damaged', SLOT_AT.A)
  const nextSlot = a ? 'B' : 'A'
  const problem = `one of the two places that say how far it goes is damaged (byte ${SLOT_AT[nextSlot]})`
  return { header, slot, nextSlot, problem }
}

export function encodeSlot({ end, number }: Slot, crc: Crc): Uint8Array {
  const bytes = new Uint8Array(SLOT_BYTES)
  const view = new DataView(bytes.buffer)
  view.setFloat64(0, end, true)
  view.setFloat64(8, number, true)
  view.setUint32(SLOT_CRC_AT, crc(bytes.subarray(0, SLOT_CRC_AT)), true)
  return bytes
}

export function slotOffset(which: SlotName): number {
  return SLOT_AT[which]
}

/** Every refusal of a damaged one file reads alike. `at`: the byte of the file where it is wrong. */
export function damagedFile(path: string, problem: string, at?: number): DamagedError {
  const where = at === undefined ? '' : ` (byte ${at})`
  return new DamagedError(
    path,
    `${problem}${where}`,
    'It was left as it is. Take back a backup with keepsake restore, or save what can be read with: keepsake doctor --fix',
  )
}

function decodeSlot(bytes: Uint8Array, which: SlotName, crc: Crc): Slot | undefined {
  const slot = bytes.subarray(SLOT_AT[which], SLOT_AT[which] + SLOT_BYTES)
  const view = new DataView(slot.buffer, slot.byteOffset, SLOT_BYTES)
  if (view.getUint32(SLOT_CRC_AT, true) !== crc(slot.subarray(0, SLOT_CRC_AT))) return undefined
  return { end: view.getFloat64(0, true), number: view.getFloat64(8, true) }
}

/** Empty or cut short is damage: such a file is only ever put in its place whole. */
function refuseOtherFiles(bytes: Uint8Array, crc: Crc, path: string): void {
  if (bytes.length === 0) throw damagedFile(path, 'it is empty')
  if (MAGIC.every((byte, at) => at >= bytes.length || bytes[at] === byte)) return
  if (NAME.every((byte, at) => bytes[at + 1] === byte)) {
    throw damagedFile(path, 'its first bytes were changed, as a transfer in text mode does', 0)
  }
  if (isOursButForMagic(bytes, crc)) throw damagedFile(path, 'its first bytes were changed', 0)
  throw new ForeignError(path, 'this is not a file of Keepsake')
}

function isOursButForMagic(bytes: Uint8Array, crc: Crc): boolean {
  if (bytes.length < HEADER_BYTES) return false
  const header = bytes.slice(0, HEADER_BYTES)
  header.set(MAGIC)
  return new DataView(header.buffer).getUint32(CRC_AT, true) === crc(header.subarray(0, CRC_AT))
}
