/** The names that an import may give: those that nobody has here, and that it has not given yet. */
import { KINDS } from '../model/kinds.ts'
import { nameFromContent } from '../model/name.ts'
import type { ImportFormat } from './formats.ts'
import type { Here } from './here.ts'

const RESERVED = new Set(Object.values(KINDS).flatMap(({ fixedName }) => fixedName ?? []))
const MOST_CHARACTERS = 200

export class Names {
  readonly #here: Here
  readonly #format: ImportFormat
  readonly #given = new Set<string>()
  /** How often each was asked for: a thousand of one name are not tried from the first on each time. */
  readonly #asked = new Map<string, number>()

  constructor(here: Here, format: ImportFormat) {
    this.#here = here
    this.#format = format
  }

  isFree(name: string): boolean {
    return !this.#given.has(name) && !RESERVED.has(name) && !this.#here.holds(name)
  }

  /** The name, or where it is not free, the name and where it comes from: `Alex (mem0)`, `Alex (mem0 2)`. */
  take(name: string): string {
    return this.#take(name, (n) => ` (${this.#format}${n === 1 ? '' : ` ${n}`})`)
  }

  /** For what has no name there: its first words, as the store names a fact. It would try all numbers anew for each of thousands. */
  make(content: string): string {
    return this.#take(nameFromContent(content), (n) => ` (${n + 1})`)
  }

  #take(name: string, suffixOf: (n: number) => string): string {
    for (let n = this.#asked.get(name) ?? 0; ; n++) {
      const suffix = n === 0 ? '' : suffixOf(n)
      const candidate =
        [...name]
          .slice(0, MOST_CHARACTERS - suffix.length)
          .join('')
          .trimEnd() + suffix
      if (!this.isFree(candidate)) continue
      this.#given.add(candidate)
      this.#asked.set(name, n + 1)
      return candidate
    }
  }
}
