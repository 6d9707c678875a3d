/**
 * The turns that a reader finds, in the order of the transcript. An id that comes again stands for the same message with more in
 * it: it keeps its place, and the last version counts. Ids of the source become ids of ours, the same at every reading.
 */
import { derivedId } from '../../model/id.ts'
import { parseInstant } from '../../model/time.ts'

export interface ImportedTurn {
  readonly id: string
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly at?: string
  readonly tools?: readonly string[]
}

export interface FoundTurn extends Omit<ImportedTurn, 'id' | 'at' | 'tools'> {
  /** What the source calls it; left out where it has no name for it. */
  readonly sourceId: string | undefined
  readonly timestamp: unknown
  readonly tools?: readonly (string | undefined)[]
}

export class TurnList {
  readonly #format: string
  readonly #turns = new Map<string, ImportedTurn>()
  readonly #times = new Map<string, number>()
  #lastAt: string | undefined

  constructor(format: string) {
    this.#format = format
  }

  /** A turn in which nothing is said and nothing done is none. */
  add({ sourceId, timestamp, role, content, tools = [] }: FoundTurn): void {
    const at = parseInstant(timestamp) ?? this.#lastAt
    this.#lastAt = at
    const named = tools.filter((name) => name !== undefined)
    if (content === '' && (role !== 'assistant' || named.length === 0)) return
    const id = derivedId(
      this.#format,
      sourceId ?? this.#nameFor([String(timestamp), role, content, ...named].join('\0')),
    )
    this.#turns.set(id, {
      id,
      role,
      content,
      ...(at === undefined ? {} : { at }),
      ...(named.length === 0 ? {} : { tools: named }),
    })
  }

  get turns(): ImportedTurn[] {
    return [...this.#turns.values()]
  }

  /** By what it says, and how often that was said before: so it is the same also where the beginning was not read. */
  #nameFor(text: string): string {
    const before = this.#times.get(text) ?? 0
    this.#times.set(text, before + 1)
    return `said\0${before}\0${text}`
  }
}
