/**
 * The file of a memory, opened for reading. It stays readable as it was for as long as somebody holds it, also after a fold has put
 * another one in its place: a scan, or a history that is read bit by bit, sees one moment.
 * Invariant: no bytes leave here as a text or a frame unless their checksum is right.
 */
import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { TextPlace } from '../../codec/one-file/bytes.ts'
import { decodeFrameHead, FRAME_BYTES, type FrameHead } from '../../codec/one-file/frame.ts'
import { type DecodedHeader, damagedFile, decodeHeader, HEADER_BYTES } from '../../codec/one-file/header.ts'
import { ForeignError, isKeepsakeError, KeepsakeError } from '../../errors.ts'
import { decodeText as decodedText, readBytes } from '../disk/reading.ts'
import { attempt, codeOf, wrapped } from '../disk/system.ts'

type Allocate = (length: number) => Buffer

export interface CheckedFrame {
  /** Of the file. */
  readonly path: string
  readonly head: FrameHead
  /** Where it begins in the file. */
  readonly at: number
  readonly payload: Uint8Array
}

export class OneFile {
  readonly path: string
  readonly #fd: number
  readonly #stats: Stats
  #holders = 1

  private constructor(path: string, fd: number, stats: Stats) {
    this.path = path
    this.#fd = fd
    this.#stats = stats
  }

  /** `undefined` when there is none. */
  static open(path: string): OneFile | undefined {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    let fd: number
    try {
      fd = openSync(path, flags)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      if (codeOf(error) === 'ELOOP') throw new ForeignError(path, 'it is a link; a memory is opened by its own path')
      throw wrapped('reading', path, error)
    }
    try {
      const stats = fstatSync(fd)
      if (!stats.isFile()) throw new ForeignError(path, 'it is not a file')
      return new OneFile(path, fd, stats)
    } catch (error) {
      closeSync(fd)
      throw wrapped('reading', path, error)
    }
  }

  get mode(): number {
    return this.#stats.mode & 0o777
  }

  isSame({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): boolean {
    return dev === this.#stats.dev && ino === this.#stats.ino
  }

  get isOpen(): boolean {
    return this.#holders > 0
  }

  size(): number {
    this.#refuseClosed()
    return attempt('reading', this.path, () => fstatSync(this.#fd).size)
  }

  /** Up to `length` bytes from `offset` on; less at the end of the file. */
  bytes(offset: number, length: number, allocate?: Allocate): Uint8Array {
    this.#refuseClosed()
    return attempt('reading', this.path, () => readBytes(this.#fd, offset, length, allocate))
  }

  /** A look may fall into the moment in which a slot is written, and another one into the moment of the other. */
  header(): DecodedHeader {
    try {
      return this.#headerNow()
    } catch (error) {
      if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
      return this.#headerNow()
    }
  }

  #headerNow(): DecodedHeader {
    return decodeHeader(this.bytes(0, HEADER_BYTES), crc32, this.path)
  }

  /** A frame that must be there whole. */
  frame(at: number, allocate?: Allocate): CheckedFrame {
    const head = decodeFrameHead(this.bytes(at, FRAME_BYTES), crc32)
    if (typeof head === 'string') throw damagedFile(this.path, 'a record in it is damaged', at)
    const payload = this.bytes(at + FRAME_BYTES, head.length, allocate)
    if (payload.length < head.length || crc32(payload) !== head.crc) {
      throw damagedFile(this.path, 'a record in it is damaged', at)
    }
    return { path: this.path, head, at, payload }
  }

  /** Bytes by their place; `undefined` when they are not what was written there. */
  proved({ offset, length, crc }: TextPlace, allocate?: Allocate): Uint8Array | undefined {
    const bytes = this.bytes(offset, length, allocate)
    return bytes.length === length && crc32(bytes) === crc ? bytes : undefined
  }

  /** `whose`: as an error names it. */
  text(place: TextPlace, whose: () => string): string {
    return textIn(this.proved(place), this.path, place, whose)
  }

  hold(): void {
    this.#refuseClosed()
    this.#holders++
  }

  release(): void {
    if (!this.isOpen) return
    this.#holders--
    if (this.#holders === 0) closeSync(this.#fd)
  }

  /** Whoever holds it. */
  close(): void {
    if (this.isOpen) closeSync(this.#fd)
    this.#holders = 0
  }

  /** Its descriptor may be another file's by now. */
  #refuseClosed(): void {
    if (this.isOpen) return
    throw new KeepsakeError('CLOSED', `${this.path}: what was read from was replaced or closed meanwhile`, {
      hint: 'Ask for it again.',
    })
  }
}

export function textIn(
  bytes: Uint8Array | undefined,
  path: string,
  { offset }: TextPlace,
  whose: () => string,
): string {
  const text = bytes && decodedText(bytes)
  if (text === undefined) throw damagedFile(path, `the text of ${whose()} is damaged`, offset)
  return text
}
