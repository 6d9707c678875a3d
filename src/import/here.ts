/** What is there already, as far as an import must know: who holds which name, and what the entries say that are asked about. */
import type { Entry, EntryHead } from '../model/entry.ts'
import type { CheckedCandidate } from './checked.ts'

/** Kinds without names of their own are known by their texts. */
const KNOWN_BY_TEXT = ['fact', 'experience']

/** What the history tells about MEMORY.md. */
export interface MemoryPast {
  readonly texts: ReadonlySet<string>
  readonly isOfSource: boolean
}

export class Here {
  readonly #owners = new Map<string, EntryHead>()
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #texts = new Set<string>()
  /** Everything that MEMORY.md ever said, as far as that is known. */
  readonly memoryTexts: ReadonlySet<string>
  /** Whether MEMORY.md was filled together with entries of the source that is imported. */
  readonly memoryIsOfSource: boolean

  /** `heads`: all of the agent's own. `entries`: at least those that `textsNeeded` names. */
  constructor(heads: readonly EntryHead[], entries: readonly Entry[], memory: MemoryPast) {
    for (const head of heads) {
      for (const name of [head.name, ...head.aliases]) if (name !== null) this.#owners.set(name, head)
    }
    this.#entries = new Map(entries.map((entry) => [entry.id, entry]))
    for (const entry of entries) if (KNOWN_BY_TEXT.includes(entry.kind)) this.#texts.add(textKey(entry))
    this.memoryTexts = memory.texts
    this.memoryIsOfSource = memory.isOfSource
  }

  /** As it is here, if it was imported before. */
  imported(candidate: CheckedCandidate): Entry | undefined {
    return this.#entries.get(candidate.id)
  }

  holds(name: string): boolean {
    return this.#owners.has(name)
  }

  called(name: string): Entry | undefined {
    return this.#entries.get(this.#owners.get(name)?.id ?? '')
  }

  hasText(candidate: CheckedCandidate): boolean {
    return this.#texts.has(textKey(candidate))
  }
}

/** The entries whose texts decide about these candidates. */
export function textsNeeded(candidates: readonly CheckedCandidate[], heads: readonly EntryHead[]): ReadonlySet<string> {
  const ids = new Set(candidates.map(({ id }) => id))
  const names = new Set(candidates.map(({ kind, name }) => (kind === 'memory' ? 'MEMORY' : name)))
  const kinds = new Set<string>(candidates.map(({ kind }) => kind).filter((kind) => KNOWN_BY_TEXT.includes(kind)))
  const isNeeded = (head: EntryHead): boolean =>
    ids.has(head.id) ||
    kinds.has(head.kind) ||
    [head.name, ...head.aliases].some((name) => names.has(name ?? undefined))
  return new Set(heads.filter(isNeeded).map(({ id }) => id))
}

/** One text of one time is one experience, one text about one user one fact. */
export function textKey(
  one: Pick<Entry, 'content' | 'metadata'> & { readonly kind: string; readonly createdAt?: string },
): string {
  const apart = one.kind === 'fact' ? one.metadata['user_id'] : one.createdAt
  return `${one.kind}\0${JSON.stringify(apart ?? null)}\0${one.content}`
}
