/**
 * Writes a new file of a memory, frame by frame, beside the place that it is for. Its header comes last, so that what a crash leaves
 * of it can't be taken for a memory. A file that an earlier try left is gone through byte by byte and written on from where it
 * first differs.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { encodeCatalogue } from '../../codec/one-file/catalogue.ts'
import { FRAME_BYTES, type FrameType, frameParts } from '../../codec/one-file/frame.ts'
import { encodeHeader, GENERATION_BYTES, HEADER_BYTES } from '../../codec/one-file/header.ts'
import { packHeads } from '../disk/packed-heads.ts'
import { readBytes } from '../disk/reading.ts'
import { attempt, FILE_MODE, fixMode, removeFile, syncData, wrapped } from '../disk/system.ts'
import type { CatalogueParts } from './catalogue-parts.ts'
import { writeAllAt } from './write-at.ts'

const CHUNK_BYTES = 1024 * 1024

export interface BuilderOptions {
  readonly mode?: number
  /** Go on with what an earlier try left there, if it did. */
  readonly resume?: boolean
}

export class FileBuilder {
  readonly path: string
  readonly #fd: number
  #open = true
  /** How much of an earlier try lies behind what is written so far. */
  #leftOver: number
  #written = HEADER_BYTES
  #pending: Uint8Array[] = []
  #pendingBytes = 0
  /** Bytes that an earlier try had written. */
  reused = 0

  constructor(path: string, { mode = FILE_MODE, resume = false }: BuilderOptions = {}) {
    this.path = path
    if (!resume) removeFile(path)
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | (resume ? 0 : constants.O_EXCL)
    this.#fd = attempt('writing', path, () => openSync(path, flags, FILE_MODE))
    this.#leftOver = this.#attempt(() => {
      fixMode(this.#fd, mode)
      return Math.max(0, fstatSync(this.#fd).size - HEADER_BYTES)
    })
  }

  /** Where the next frame begins. */
  get end(): number {
    return this.#written + this.#pendingBytes
  }

  /** Where the frame begins. */
  append(type: FrameType, parts: readonly Uint8Array[]): number {
    const at = this.end
    for (const part of frameParts(type, parts, crc32)) this.#put(part)
    return at
  }

  /** Frames that are whole already. */
  copy(bytes: Uint8Array): number {
    const at = this.end
    this.#put(bytes)
    return at
  }

  #put(bytes: Uint8Array): void {
    if (bytes.length >= CHUNK_BYTES) {
      this.#flush()
      this.#write(bytes) // an index is too large to be copied once more
      return
    }
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    if (this.#pendingBytes >= CHUNK_BYTES) this.#flush()
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    this.#write(bytes)
  }

  #write(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#attempt(() => {
      if (this.#isThere(bytes)) this.reused += bytes.length
      else writeAllAt(this.#fd, bytes, this.#written)
    })
    this.#written += bytes.length
  }

  /** What differs from here on is cut off: it belonged to something else. */
  #isThere(bytes: Uint8Array): boolean {
    if (this.#leftOver === 0) return false
    const known = readBytes(this.#fd, this.#written, Math.min(bytes.length, this.#leftOver))
    if (Buffer.compare(known, bytes) === 0) {
      this.#leftOver -= bytes.length
      return true
    }
    ftruncateSync(this.#fd, this.#written)
    this.#leftOver = 0
    return false
  }

  /** Ends it with its catalogue. Durable, and closed, when it returns. */
  async finish(parts: CatalogueParts): Promise<void> {
    const catalogue = this.append('cata', catalogueOf(parts))
    this.#flush()
    try {
      const generation = crypto.getRandomValues(new Uint8Array(GENERATION_BYTES))
      const slot = { end: this.end, number: parts.number }
      ftruncateSync(this.#fd, this.end)
      writeAllAt(this.#fd, encodeHeader({ generation, catalogue }, slot, crc32), 0)
      await syncData(this.#fd)
    } catch (error) {
      throw wrapped('writing', this.path, error)
    }
    this.close()
  }

  /** What was written stays. */
  close(): void {
    if (this.#open) closeSync(this.#fd)
    this.#open = false
  }

  #attempt<T>(run: () => T): T {
    try {
      return attempt('writing', this.path, run)
    } catch (error) {
      this.close()
      throw error
    }
  }
}

/** Where the payload of a frame begins. */
export function payloadAt(frame: number): number {
  return frame + FRAME_BYTES
}

function catalogueOf({ heads, placeOf, changes, sessions, ...head }: CatalogueParts): Uint8Array[] {
  const contested = new Set(head.contested.map(([handle]) => handle))
  const { places: _, ...packed } = packHeads(heads, contested)
  const texts = heads.map(({ id }) => placeOf(id))
  const sections = {
    ...packed,
    textOffsets: Float64Array.from(texts, ({ offset }) => offset),
    textLengths: Uint32Array.from(texts, ({ length }) => length),
    textCrcs: Uint32Array.from(texts, ({ crc }) => crc),
    changeNumbers: Float64Array.from(changes, ({ number }) => number),
    changeOffsets: Float64Array.from(changes, ({ offset }) => offset),
  }
  return encodeCatalogue(head, sections, sessions)
}
