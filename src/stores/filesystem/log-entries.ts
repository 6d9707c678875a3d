/**
 * The entries of one log as it was read. A command shows one or two of a day's fifty, so the first few that are asked for are
 * cut out of the text one by one; whoever asks for more gets all of them parsed, once.
 */
import type { Entry } from '../../model/entry.ts'

const ONE_BY_ONE = 4

export class LogEntries {
  readonly #all: () => readonly Entry[]
  readonly #one: ((id: string) => Entry | undefined) | undefined
  readonly #isCurrent: () => boolean
  readonly #made = new Map<string, Entry>()
  #isWhole = false

  /**
   * `one`: where the text is what the journal tells; it may decline. `isCurrent`: whether the catalogue, which has a part in
   * what an entry is, is the one that the text was read with.
   */
  constructor(all: () => readonly Entry[], isCurrent: () => boolean, one?: (id: string) => Entry | undefined) {
    this.#all = all
    this.#isCurrent = isCurrent
    this.#one = one
    if (!one) this.#makeAll()
  }

  /** Whether it may still be asked. */
  get isUsable(): boolean {
    return this.#isWhole || this.#isCurrent()
  }

  get(id: string): Entry | undefined {
    const known = this.#made.get(id)
    if (known || this.#isWhole) return known
    const entry = this.#made.size < ONE_BY_ONE ? this.#one?.(id) : undefined
    if (entry) this.#made.set(id, entry)
    else this.#makeAll()
    return this.#made.get(id)
  }

  /** Whether nothing is to be made any more. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  made(): Iterable<Entry> {
    return this.#made.values()
  }

  #makeAll(): void {
    for (const entry of this.#all()) this.#made.set(entry.id, entry)
    this.#isWhole = true
  }
}
