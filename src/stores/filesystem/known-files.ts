/** What each file of the workspace should be, by folder: whoever checks them all goes folder by folder. */
import type { Signature } from '../../codec/journal-record.ts'

export interface KnownFile {
  /** Of the whole text; unknown for logs that were appended to. */
  hash: string | undefined
  size: number | undefined
  /** Proves, while it still matches, that the file is as expected without reading it. */
  signature: Signature | undefined
  /** The last look at the whole folder that met it. */
  round: number
}

/** All of one shape: a memory has many, and every start makes them. */
export function knownFile(hash?: string, size?: number, signature?: Signature): KnownFile {
  return { hash, size, signature, round: 0 }
}

const NONE: ReadonlyMap<string, KnownFile> = new Map()

export class KnownFiles {
  readonly #folders = new Map<string, Map<string, KnownFile>>()

  get(path: string): KnownFile | undefined {
    return this.#folders.get(folderOf(path))?.get(path)
  }

  has(path: string): boolean {
    return this.get(path) !== undefined
  }

  set(path: string, file: KnownFile): void {
    const folder = folderOf(path)
    const files = this.#folders.get(folder)
    if (files) files.set(path, file)
    else this.#folders.set(folder, new Map([[path, file]]))
  }

  delete(path: string): void {
    this.#folders.get(folderOf(path))?.delete(path)
  }

  /** By whole path; `folder` ends with a slash, or is empty. */
  inFolder(folder: string): ReadonlyMap<string, KnownFile> {
    return this.#folders.get(folder) ?? NONE
  }

  *[Symbol.iterator](): Generator<[path: string, file: KnownFile]> {
    for (const files of this.#folders.values()) yield* files
  }

  *keys(): Generator<string> {
    for (const files of this.#folders.values()) yield* files.keys()
  }

  forEach(visit: (file: KnownFile, path: string) => void): void {
    for (const files of this.#folders.values()) files.forEach(visit)
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
