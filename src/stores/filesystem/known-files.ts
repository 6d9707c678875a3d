/**
 * What each file of the workspace should be, by folder: whoever checks them all goes folder by folder. What a checkpoint tells
 * stays packed until somebody asks for that very file, for a look at the whole folder needs only its numbers.
 */
import type { Stats } from 'node:fs'
import { sameSignature } from '../disk/reading.ts'
import type { KnownFile } from './known-file.ts'
import { folderOf, type PackedFiles } from './packed-files.ts'

export class KnownFiles {
  readonly #folders = new Map<string, Map<string, KnownFile>>()
  readonly #packed: PackedFiles | undefined
  /** By packed row, the last look that met it; `UNPACKED` when the maps tell of it, or nobody does any more. */
  readonly #rounds: Float64Array

  constructor(packed?: PackedFiles) {
    this.#packed = packed
    this.#rounds = new Float64Array(packed?.size ?? 0)
  }

  get(path: string): KnownFile | undefined {
    const known = this.#folders.get(folderOf(path))?.get(path)
    if (known) return known
    const row = this.#rowOf(path)
    return row === undefined ? undefined : this.#unpack(path, row)
  }

  has(path: string): boolean {
    return this.get(path) !== undefined
  }

  set(path: string, file: KnownFile): void {
    this.delete(path)
    this.#put(path, file)
  }

  delete(path: string): void {
    const row = this.#rowOf(path)
    if (row !== undefined) this.#rounds[row] = UNPACKED
    this.#folders.get(folderOf(path))?.delete(path)
  }

  /** Notes that a look has met a file. */
  meet(path: string, round: number): void {
    const known = this.get(path)
    if (known) known.round = round
  }

  isMet(path: string, round: number): boolean {
    const row = this.#rowOf(path)
    return (row === undefined ? this.get(path)?.round : this.#rounds[row]) === round
  }

  /** How many files of a folder are, by their signature, just as we know them; they are met. `look` stats one, or declines. */
  meetUntouched(folder: string, round: number, look: (path: string) => Stats | undefined): number {
    let untouched = this.#meetPacked(folder, round, look)
    for (const [path, known] of this.#folders.get(folder) ?? NONE) {
      const stats = known.signature && look(path)
      if (!stats || !known.signature || !sameSignature(known.signature, stats)) continue
      known.round = round
      untouched++
    }
    return untouched
  }

  /** Ten thousand files are looked at here by every command that reads: no object, no call more than it takes. */
  #meetPacked(folder: string, round: number, look: (path: string) => Stats | undefined): number {
    if (!this.#packed) return 0
    const rounds = this.#rounds
    const { signatures } = this.#packed
    const rows = this.#packed.folder(folder) ?? NO_ROWS
    const pathAt = this.#packed.pathsOf(rows)
    let untouched = 0
    for (let row = rows.from; row < rows.to; row++) {
      const at = row * 4
      const inode = signatures[at] as number // four for each row
      if (rounds[row] === UNPACKED || Number.isNaN(inode)) continue
      const stats = look(pathAt(row))
      if (
        stats === undefined ||
        inode !== stats.ino ||
        signatures[at + 1] !== stats.size ||
        signatures[at + 2] !== stats.mtimeMs ||
        signatures[at + 3] !== stats.ctimeMs
      ) {
        continue
      }
      rounds[row] = round
      untouched++
    }
    return untouched
  }

  /** How many texts a folder has, told from its own look alone; `undefined` when it must be listed. */
  textsIn(folder: string, stats: Stats | undefined): number | undefined {
    const atRest = this.#packed?.folder(folder)?.atRest
    return atRest && stats && sameSignature(atRest.signature, stats) ? atRest.texts : undefined
  }

  folders(): ReadonlySet<string> {
    return new Set([...(this.#packed?.folders ?? []), ...this.#folders.keys()])
  }

  /** What a look did not meet in a folder. */
  *unmet(folder: string, round: number): Generator<string> {
    const { from, to } = this.#packed?.folder(folder) ?? NO_ROWS
    for (let row = from; row < to; row++) {
      const met = this.#rounds[row]
      if (met !== round && met !== UNPACKED) yield this.#packed?.pathAt(row) ?? ''
    }
    for (const [path, known] of this.#folders.get(folder) ?? NONE) if (known.round !== round) yield path
  }

  *[Symbol.iterator](): Generator<[path: string, file: KnownFile]> {
    this.#unpackAll()
    for (const files of this.#folders.values()) yield* files
  }

  *keys(): Generator<string> {
    for (const [path] of this) yield path
  }

  #rowOf(path: string): number | undefined {
    const row = this.#packed?.rowOf(path)
    return row === undefined || this.#rounds[row] === UNPACKED ? undefined : row
  }

  #unpack(path: string, row: number): KnownFile | undefined {
    const file = this.#packed?.fileAt(row)
    if (!file) return undefined
    file.round = this.#rounds[row] ?? 0
    this.#rounds[row] = UNPACKED
    this.#put(path, file)
    return file
  }

  #unpackAll(): void {
    this.#rounds.forEach((met, row) => {
      if (met !== UNPACKED) this.#unpack(this.#packed?.pathAt(row) ?? '', row)
    })
  }

  #put(path: string, file: KnownFile): void {
    const folder = folderOf(path)
    const files = this.#folders.get(folder)
    if (files) files.set(path, file)
    else this.#folders.set(folder, new Map([[path, file]]))
  }
}

const UNPACKED = -1
const NO_ROWS = { from: 0, to: 0 }
const NONE: ReadonlyMap<string, KnownFile> = new Map()
