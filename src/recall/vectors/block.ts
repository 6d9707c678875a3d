/**
 * Vectors as they are saved: blocks of rows and one head, each with a note in JSON before its numbers. A block tells by itself
 * whose vectors it has and of which text, so that one that is lost, or of another time than the next, costs embedding and never a
 * wrong answer.
 */
import type { Scope } from '../../model/entry.ts'
import { PIECES_VERSION } from '../pieces.ts'

/** Whoever changes what is written here moves it. */
const VERSION = 1

export const BLOCK_ROWS = 1024

/** An entry at a revision, and how many rows it has, in all blocks together. */
export interface BlockOwner {
  readonly id: string
  readonly revision: string
  readonly of: number
}

export interface Block {
  readonly owners: readonly BlockOwner[]
  /** The hash of the text, and the number of the owner among these; nobody's where it is missing. */
  readonly rows: readonly { readonly hash: string; readonly owner?: number }[]
  readonly vectors: Float32Array
}

/** Whose vectors these are: a file may have been put in the place of another. */
export interface VectorSet {
  readonly model: string
  readonly scope: Scope
}

export interface Head {
  readonly dimensions: number
  readonly rows: number
  /** Moves when rows are numbered anew. */
  readonly generation: number
  /** Of the feed, when it was written. */
  readonly epoch: string
  /** Made of other pieces than would be made now: the vectors are right, but not what entries have. */
  readonly isOldPieces: boolean
}

interface Note extends VectorSet {
  readonly version: number
}

interface HeadNote extends Note, Omit<Head, 'isOldPieces'> {
  readonly pieces: number
}

interface BlockNote extends Note {
  readonly generation: number
  readonly dimensions: number
  readonly owners: readonly (readonly [id: string, revision: string, of: number])[]
  readonly rows: readonly (readonly [hash: string, owner: number])[]
}

const NOBODY = -1
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function encodeHead({ model, scope }: VectorSet, { isOldPieces: _, ...head }: Head): Uint8Array {
  const note: HeadNote = { version: VERSION, pieces: PIECES_VERSION, model, scope, ...head }
  return encoder.encode(JSON.stringify(note))
}

/** `undefined`: of another set, or of another version. */
export function decodeHead(set: VectorSet, bytes: Uint8Array): Head | undefined {
  const note = JSON.parse(decoder.decode(bytes)) as HeadNote // as we wrote it: see Derived
  if (!isOf(set, note)) return undefined
  const { dimensions, rows, generation, epoch, pieces } = note
  return { dimensions, rows, generation, epoch, isOldPieces: pieces !== PIECES_VERSION }
}

export function encodeBlock({ model, scope }: VectorSet, head: Head, block: Block): Uint8Array {
  const { generation, dimensions } = head
  const note: BlockNote = {
    version: VERSION,
    model,
    scope,
    generation,
    dimensions,
    owners: block.owners.map(({ id, revision, of }) => [id, revision, of]),
    rows: block.rows.map(({ hash, owner = NOBODY }) => [hash, owner]),
  }
  const json = encoder.encode(JSON.stringify(note))
  const start = vectorsAt(json.length)
  const bytes = new Uint8Array(start + block.vectors.byteLength)
  new DataView(bytes.buffer).setUint32(0, json.length, true)
  bytes.set(json, LENGTH_BYTES)
  bytes.set(new Uint8Array(block.vectors.buffer, block.vectors.byteOffset, block.vectors.byteLength), start)
  return bytes
}

/** `undefined`: of another set, version or dimension, or emptied. */
export function decodeBlock(
  set: VectorSet,
  head: Head,
  bytes: Uint8Array,
): (Block & { readonly generation: number }) | undefined {
  if (bytes.length === 0) return undefined
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const json = decoder.decode(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length))
  const note = JSON.parse(json) as BlockNote // as we wrote it: see Derived
  if (!isOf(set, note) || note.dimensions !== head.dimensions) return undefined
  const numbers = new Uint8Array(bytes.subarray(vectorsAt(length))) // a copy begins at a multiple of 4, wherever the bytes lay
  return {
    generation: note.generation,
    owners: note.owners.map(([id, revision, of]) => ({ id, revision: head.isOldPieces ? '' : revision, of })),
    rows: note.rows.map(([hash, owner]) => (owner === NOBODY ? { hash } : { hash, owner })),
    vectors: new Float32Array(numbers.buffer),
  }
}

const LENGTH_BYTES = 4

function vectorsAt(jsonLength: number): number {
  return Math.ceil((LENGTH_BYTES + jsonLength) / 4) * 4
}

function isOf(set: VectorSet, note: Note): boolean {
  return note.version === VERSION && note.model === set.model && note.scope === set.scope
}
