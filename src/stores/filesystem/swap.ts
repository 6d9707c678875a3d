/**
 * Puts a new text in the place of an old one without ever destroying what somebody else saved there meanwhile. A plain
 * rename over a file destroys whatever is there at that instant. So what is there is moved aside first, ours is linked in
 * only where nothing is, and what was moved aside is looked at afterwards, and once more later, because an editor that had
 * it open may still write into it. For the moment between, a reader of ours finds the old text where it was moved to.
 */
import { linkSync, readdirSync, renameSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type FileBytes, hashBytes, readFileAt, statFile } from '../disk/reading.ts'
import { attempt, codeOf, makeFolder, removeFile, temporaryName, wrapped, writeNewFile } from '../disk/system.ts'
import { isOutside } from './layout.ts'

/** An editor has finished its save by then. */
const LATE_SAVE_MS = 1000

/** What was moved aside. */
interface Aside {
  readonly file: string
  /** The hash of the path that it lay at. */
  readonly key: string
  /** The hash that it should have. */
  readonly expected: string
}

/** A text that somebody saved at the very moment that we wrote. */
export interface Displaced {
  readonly key: string
  readonly bytes: Uint8Array
  readonly stats: Stats
  /** Called once it is safe elsewhere. */
  done(): void
}

export class Swap {
  readonly #folder: string
  readonly #parked: string
  readonly #temporary: string
  #waiting: { readonly aside: Aside; readonly since: number }[] = []

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'swap')
    this.#parked = join(stateFolder, 'displaced')
    this.#temporary = join(stateFolder, 'tmp')
  }

  makeFolders(): void {
    makeFolder(this.#folder)
    makeFolder(this.#parked)
  }

  /**
   * Replaces (or with `null` removes) a file that should have the hash `before`. `taken`: somebody put a file there in
   * that very moment, and it stays. What turns out to have been saved by somebody else meanwhile is handed back.
   */
  replace(
    relative: string,
    path: string,
    bytes: Uint8Array | null,
    before: string | null,
    mode: number,
  ): { readonly taken: boolean; readonly displaced: readonly Displaced[] } {
    const temporary = bytes && temporaryName(isOutside(relative) ? dirname(path) : this.#temporary)
    if (bytes && temporary) writeNewFile(temporary, bytes, mode)
    const old = before === null ? undefined : this.#moveAside(relative, path)
    const taken = temporary ? !this.#linkInOrPutBack(temporary, path, old) : false
    if (before === null || old === undefined) return { taken, displaced: [] }
    const aside = this.#park(old, keyOf(relative), before)
    const displaced = this.#changed(aside)
    if (!displaced) this.#waiting.push({ aside, since: performance.now() })
    return { taken, displaced: displaced ? [displaced] : [] }
  }

  #linkInOrPutBack(temporary: string, path: string, old: string | undefined): boolean {
    try {
      return linkedIn(temporary, path)
    } catch (error) {
      if (old !== undefined && linkedIn(old, path)) removeFile(old)
      throw error
    } finally {
      removeFile(temporary)
    }
  }

  /** What was saved late into files that were moved aside a while ago; the rest of those is cleared away. */
  late(): Displaced[] {
    if (this.#waiting.length === 0) return []
    const due = performance.now() - LATE_SAVE_MS
    const over = this.#waiting.filter(({ since }) => since <= due)
    if (over.length === 0) return []
    this.#waiting = this.#waiting.filter(({ since }) => since > due)
    return over.flatMap(({ aside }) => this.#cleared(aside))
  }

  /** The same for what other processes left a while ago; or, where nothing may be left lying, for all. */
  leftByOthers(all = false): Displaced[] {
    const mine = new Set(all ? [] : this.#waiting.map(({ aside }) => aside.file))
    if (all) this.#waiting = []
    return this.#leftAside().flatMap((aside) => {
      const stats = mine.has(aside.file) ? undefined : statFile(aside.file)
      return stats && (all || isOver(stats)) ? this.#cleared(aside) : []
    })
  }

  /** After a new boot nobody can tell a late save from a text that never reached the disk: what lies aside is ours, and goes. */
  forgetAside(): void {
    this.#waiting = []
    for (const { file } of this.#leftAside()) removeFile(file)
  }

  /** Whether a crash left something moved aside, or an editor has saved into it and is through with that. Reads only. */
  hasLateSaves(): boolean {
    if (listed(this.#folder).length > 0) return true
    return this.#leftAside().some((aside) => {
      const stats = statFile(aside.file)
      return stats !== undefined && isOver(stats) && this.#changed(aside) !== undefined
    })
  }

  /**
   * After a crash between moving aside and linking in: the old text goes back, and is then treated like any other. Where
   * something is in its place already, it is handed back unless `isOurs` knows it.
   */
  putBack(
    paths: Iterable<string>,
    absolute: (path: string) => string,
    isOurs: (path: string, bytes: Uint8Array) => boolean,
  ): Displaced[] {
    const left = new Set(listed(this.#folder))
    return [...paths].flatMap((relative) => {
      const file = this.#placeFor(relative, absolute(relative))
      if (!isOutside(relative) && !left.has(basename(file))) return []
      const found = readFileAt(file)
      if (!found) return []
      const done = (): void => removeFile(file)
      const isBack = linkedIn(file, absolute(relative)) || holds(absolute(relative), found.bytes)
      if (!isBack && !isOurs(relative, found.bytes)) {
        return [{ key: keyOf(relative), bytes: found.bytes, stats: found.stats, done }]
      }
      done()
      return []
    })
  }

  /** The old text of a file that is being replaced at this moment. */
  inBetween(relative: string, path: string): FileBytes | undefined {
    return readFileAt(this.#placeFor(relative, path))
  }

  #moveAside(relative: string, path: string): string | undefined {
    const place = this.#placeFor(relative, path)
    try {
      renameSync(path, place)
      return place
    } catch (error) {
      if (codeOf(error) === 'ENOENT' && !statFile(path)) return undefined
      throw wrapped('writing', path, error)
    }
  }

  #park(file: string, key: string, expected: string): Aside {
    const parked = temporaryName(this.#parked, `${key}-${expected}-`)
    attempt('moving aside', file, () => renameSync(file, parked))
    return { file: parked, key, expected }
  }

  #changed({ file, key, expected }: Aside): Displaced | undefined {
    const found = readFileAt(file)
    const hash = found && hashBytes(found.bytes)
    if (!found || hash === undefined || hash === expected) return undefined
    // Emptied, and not yet written.
    if (found.bytes.length === 0 && !isOver(found.stats)) return undefined
    return { key, bytes: found.bytes, stats: found.stats, done: () => this.#keepWhileSaved(file, key, hash) }
  }

  /** The editor may be in the middle of its save: what it writes after this much is looked for later. */
  #keepWhileSaved(file: string, key: string, hash: string): void {
    const now = statFile(file)
    if (!now || isOver(now)) removeFile(file)
    else this.#waiting.push({ aside: this.#park(file, key, hash), since: performance.now() })
  }

  #cleared(aside: Aside): Displaced[] {
    const displaced = this.#changed(aside)
    if (displaced) return [displaced]
    removeFile(aside.file)
    return []
  }

  #leftAside(): Aside[] {
    return listed(this.#parked).flatMap((name) => {
      const [, key, expected] = /^([0-9a-f]{32})-([0-9a-f]{32})-/.exec(name) ?? []
      return key === undefined || expected === undefined ? [] : [{ file: join(this.#parked, name), key, expected }]
    })
  }

  #placeFor(relative: string, path: string): string {
    // A rename can't leave its file system, and the identity may lie on another.
    if (isOutside(relative)) return join(dirname(path), `.${basename(path)}.keepsake-swap`)
    return join(this.#folder, keyOf(relative))
  }
}

/** Nobody has touched it for so long that its editor is done; a time to come proves nothing and must not hold it for ever. */
function isOver({ ctimeMs }: Stats): boolean {
  return Math.abs(Date.now() - ctimeMs) > LATE_SAVE_MS
}

/** What a path is called in file names of ours. */
export function keyOf(relative: string): string {
  return hashBytes(relative)
}

function holds(path: string, bytes: Uint8Array): boolean {
  const present = readFileAt(path)?.bytes
  return present !== undefined && Buffer.compare(present, bytes) === 0
}

/** Gives a file a second name where nothing is yet; `false` when something is there. */
function linkedIn(file: string, path: string): boolean {
  try {
    linkSync(file, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw wrapped('writing', path, error)
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw wrapped('reading', folder, error)
  }
}
