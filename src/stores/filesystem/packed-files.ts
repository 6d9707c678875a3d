/**
 * The known files of a checkpoint as they lie in the file: numbers in typed arrays, the paths as one text. A look at the whole
 * folder compares ten thousand of them without an object each. Never changes: see known-files.ts.
 */

import { buildHashIndex, type HashIndex, rowsAt } from '../disk/hash-index.ts'
import { type PackedTexts, packTexts, textAt, textsBetween } from '../disk/packed-texts.ts'
import type { FolderAtRest } from './folder-at-rest.ts'
import { type KnownFile, knownFile } from './known-file.ts'

export interface FileSections {
  /** Folder by folder: see packed-texts.ts. */
  readonly paths: Uint8Array
  readonly pathOffsets: Uint32Array
  /** JSON: each folder, how many files it has, and how it was when it was at rest. */
  readonly folders: Uint8Array
  readonly byPath: HashIndex
  /** Four numbers a file; not numbers, where it has none. */
  readonly signatures: Float64Array
  readonly sizes: Float64Array
  /** Each of the same width; blanks for none. */
  readonly hashes: Uint8Array
}

type FolderRow = readonly [folder: string, count: number, atRest: FolderAtRest | null]

export interface PackedFolder {
  /** The rows of its files. */
  readonly from: number
  readonly to: number
  readonly atRest: FolderAtRest | null
}

const SIGNATURE_NUMBERS = 4
const HASH_WIDTH = 32

export class PackedFiles {
  readonly #sections: FileSections
  readonly #paths: PackedTexts
  readonly #hashes: Buffer
  readonly #folders = new Map<string, PackedFolder>()

  constructor(sections: FileSections) {
    this.#sections = sections
    this.#paths = { bytes: asBuffer(sections.paths), offsets: sections.pathOffsets }
    this.#hashes = asBuffer(sections.hashes)
    let from = 0
    for (const [folder, count, atRest] of parse<FolderRow[]>(sections.folders)) {
      this.#folders.set(folder, { from, to: from + count, atRest })
      from += count
    }
  }

  get size(): number {
    return this.#sections.sizes.length
  }

  /** Made when it is asked for: a look at all of them keeps none. */
  pathAt(row: number): string {
    return textAt(this.#paths, row)
  }

  /** For a look at all of these rows. */
  pathsOf({ from, to }: Pick<PackedFolder, 'from' | 'to'>): (row: number) => string {
    return textsBetween(this.#paths, from, to)
  }

  get signatures(): Float64Array {
    return this.#sections.signatures
  }

  rowOf(path: string): number | undefined {
    for (const row of rowsAt(this.#sections.byPath, path)) if (this.pathAt(row) === path) return row
    return undefined
  }

  get folders(): Iterable<string> {
    return this.#folders.keys()
  }

  folder(path: string): PackedFolder | undefined {
    return this.#folders.get(path)
  }

  isSigned(row: number): boolean {
    return !Number.isNaN(this.signatures[row * SIGNATURE_NUMBERS])
  }

  fileAt(row: number): KnownFile {
    const hash = this.#hashes.toString('latin1', row * HASH_WIDTH, (row + 1) * HASH_WIDTH).trimEnd()
    const size = this.#sections.sizes[row] ?? Number.NaN
    const [inode = 0, length = 0, mtimeMs = 0, ctimeMs = 0] = this.signatures.subarray(row * SIGNATURE_NUMBERS)
    return knownFile(
      hash === '' ? undefined : hash,
      Number.isNaN(size) ? undefined : size,
      this.isSigned(row) ? [inode, length, mtimeMs, ctimeMs] : undefined,
    )
  }
}

/** `files`: folder by folder. */
export function packFiles(
  files: readonly (readonly [path: string, file: KnownFile])[],
  atRest: ReadonlyMap<string, FolderAtRest>,
): FileSections {
  const paths = files.map(([path]) => path)
  const { bytes, offsets: pathOffsets } = packTexts(paths)
  const folders = new Map<string, number>()
  const signatures = new Float64Array(files.length * SIGNATURE_NUMBERS).fill(Number.NaN)
  const sizes = new Float64Array(files.length)
  const hashes = Buffer.alloc(files.length * HASH_WIDTH, ' ')
  files.forEach(([path, { hash, size, signature }], row) => {
    const folder = folderOf(path)
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
    if (signature) signatures.set(signature, row * SIGNATURE_NUMBERS)
    sizes[row] = size ?? Number.NaN
    if (hash !== undefined) hashes.write(hash, row * HASH_WIDTH, HASH_WIDTH, 'latin1')
  })
  return {
    paths: bytes,
    pathOffsets,
    folders: json([...folders].map(([path, count]): FolderRow => [path, count, atRest.get(path) ?? null])),
    byPath: buildHashIndex(paths),
    signatures,
    sizes,
    hashes,
  }
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

function parse<T>(bytes: Uint8Array): T {
  return JSON.parse(asBuffer(bytes).toString()) as T // under the file's checksum
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
