/**
 * One transcript on the server: a log of its own, whose records are pieces that together are its very bytes. What one append brings is
 * one record, so it is there whole or not at all, and of two machines that append at once the later one takes the next number.
 * Invariant: a piece is whole lines. One that came with a move may lack its last end; the next piece then begins with that.
 */
import type { CallOptions } from '../../../ports/store.ts'
import type { SessionId } from '../../disk/kept-session.ts'
import { NEWLINE } from '../../disk/session-tail.ts'
import { sha256Hex } from '../../disk/sha256.ts'
import { concatBytes } from '../bytes.ts'
import { NumberedLog } from '../log/numbered-log.ts'
import type { Shelf } from '../server/shelf.ts'
import { decodePiece, encodePiece } from './session-piece.ts'

export const SESSION_KIND = 's'
const HASH_DIGITS = 16
/** A label holds no more. It is for people, and for the list where nothing else can be read. */
const LABEL_BYTES = 200

export interface Piece {
  /** From 1. */
  readonly number: number
  readonly bytes: Uint8Array
}

export interface PiecesOptions extends CallOptions {
  readonly most?: number
}

export interface RewriteOptions extends PiecesOptions {
  /** Before each writing; throws where it is not to be done any more. */
  readonly guard?: () => Promise<void>
}

export class SessionLog {
  readonly id: SessionId
  /** Of the ids of its records: no other session has it, in no memory. */
  readonly prefix: string
  readonly #log: NumberedLog

  constructor(shelf: Shelf, generation: string, id: SessionId) {
    const session = sessionHash(id)
    this.id = id
    this.prefix = `${generation}/${SESSION_KIND}/${session}/`
    this.#log = new NumberedLog(shelf, {
      generation,
      kind: SESSION_KIND,
      prefix: this.prefix,
      labels: { scope: id.scope, session, key: cutToBytes(id.key, LABEL_BYTES) },
    })
  }

  /** The number of its last piece, 0 when there is none. `known`: one that was there once. */
  end(known: number, options: CallOptions): Promise<number> {
    return this.#log.last(known, options)
  }

  /** Those after a number, in their order. */
  async pieces(after: number, options: PiecesOptions): Promise<Piece[]> {
    const records = (await this.#log.read(after, options)) ?? []
    return records.map(({ position, text }) => ({ number: position, bytes: this.#bytes(position, text) }))
  }

  /** Whether it is there, under this number: else another one is. */
  async append(number: number, bytes: Uint8Array, options: CallOptions): Promise<boolean> {
    return (await this.#log.append(number, encodePiece(this.id, bytes), options)) !== 'lost'
  }

  /** All pieces of a transcript that nobody else knows of yet. */
  async fill(pieces: readonly Uint8Array[], options: CallOptions): Promise<void> {
    const texts = pieces.map((bytes) => encodePiece(this.id, bytes))
    await this.#log.fill(0, texts, options)
  }

  /** What `change` makes of some pieces takes their places; where it gives the very bytes, they stay. How many were changed. */
  async rewrite(
    after: number,
    { guard, ...options }: RewriteOptions,
    change: (piece: Piece) => Uint8Array,
  ): Promise<number> {
    let changed = 0
    for (const record of (await this.#log.read(after, options)) ?? []) {
      const { position } = record
      const before = this.#bytes(position, record.text)
      const bytes = change({ number: position, bytes: before })
      if (bytes === before) continue
      await guard?.()
      await this.#log.rewrite(record, encodePiece(this.id, bytes), options)
      changed++
    }
    return changed
  }

  #bytes(number: number, text: string): Uint8Array {
    return decodePiece(text, `${number} of the session ${JSON.stringify(this.id.key)}`).bytes
  }
}

/** Whether something follows that ends its last line. */
export function isUnended({ bytes }: Piece): boolean {
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE
}

export function joinedBytes(pieces: readonly Piece[]): Uint8Array {
  const [only, another] = pieces
  return only && !another ? only.bytes : concatBytes(pieces.map(({ bytes }) => bytes))
}

/** At a code point. */
function cutToBytes(text: string, most: number): string {
  let [cut, size] = ['', 0]
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > most) break
    cut += character
  }
  return cut
}

/** In ids, where a key may be too long or hold what an id may not. */
export function sessionHash({ scope, key }: SessionId): string {
  return sha256Hex(`${scope}\0${key}`).slice(0, HASH_DIGITS)
}
