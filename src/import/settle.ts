/**
 * Decides what becomes of each candidate, and makes the one batch that does it. Nothing that is here is lost: a name that another
 * text holds is left to it, and only what an import wrote, and nobody has changed since, is written again.
 */
import type { Entry } from '../model/entry.ts'
import { KINDS } from '../model/kinds.ts'
import type { AddOperation, Operation, WriteOperation } from '../model/operation.ts'
import { type CheckedCandidate, type ImportSource, saysTheSame } from './checked.ts'
import { type Here, textKey } from './here.ts'
import { Names } from './names.ts'

/** `known`: here already. `kept`: imported before, changed here since, and so left as it is although the source says otherwise. */
export type Deed = 'new' | 'updated' | 'known' | 'kept'

export interface SettledCandidate {
  readonly candidate: CheckedCandidate
  readonly deed: Deed
  /** What a new one is called here, where another text has the name that it has there. */
  readonly renamedTo?: string
}

export interface Settled {
  readonly items: readonly SettledCandidate[]
  readonly operations: readonly Operation[]
  /** The revisions that the operations were planned on. */
  readonly expect: Readonly<Record<string, string>>
}

const MEMORY = 'MEMORY'

export function settle(candidates: readonly CheckedCandidate[], here: Here, source: ImportSource): Settled {
  const settling = new Settling(here, source)
  for (const candidate of candidates) settling.take(candidate)
  return settling.settled()
}

class Settling {
  readonly #here: Here
  readonly #source: ImportSource
  readonly #names: Names
  readonly #items: SettledCandidate[] = []
  readonly #writes: WriteOperation[] = []
  readonly #additions: AddOperation[] = []
  readonly #expect: Record<string, string> = {}
  /** Of what this batch adds without a name. */
  readonly #texts = new Set<string>()
  #hasMemory = false

  constructor(here: Here, source: ImportSource) {
    this.#here = here
    this.#source = source
    this.#names = new Names(here, source.format)
  }

  take(candidate: CheckedCandidate): void {
    const before = this.#here.imported(candidate)
    if (candidate.kind === 'memory') this.#takeMemory(candidate, before)
    else if (before) this.#bringUpToDate(candidate, before)
    else if (this.#isHere(candidate)) this.#items.push({ candidate, deed: 'known' })
    else this.#add(candidate)
  }

  settled(): Settled {
    // Once every name is given: an alias of one may be the name of another.
    const additions = this.#additions.map(({ aliases = [], ...rest }) => {
      const free = aliases.filter((alias) => this.#names.isFree(alias) && this.#names.take(alias) === alias)
      return { ...rest, ...(free.length === 0 ? {} : { aliases: free }) }
    })
    return { items: this.#items, operations: [...this.#writes, ...additions], expect: this.#expect }
  }

  /** There is one MEMORY.md, and what it says is its agent's own: another text becomes a note beside it. */
  #takeMemory(candidate: CheckedCandidate, before: Entry | undefined): void {
    const metadata = { ...candidate.metadata, imported_from: this.#source.format }
    const note: CheckedCandidate = { ...candidate, kind: 'note', name: MEMORY, metadata }
    const memory = this.#here.called(MEMORY)
    const isBlank = memory === undefined || memory.content.trim() === ''
    if (before) this.#bringUpToDate(note, before)
    else if (isBlank && !this.#hasMemory) this.#fillMemory(candidate, memory)
    else if (memory && !this.#hasMemory && this.#isOlder(memory, candidate)) this.#updateMemory(candidate, memory)
    else if (this.#here.memoryTexts.has(candidate.content)) this.#items.push({ candidate, deed: 'known' })
    else this.#add(note)
  }

  #fillMemory(candidate: CheckedCandidate, memory: Entry | undefined): void {
    this.#hasMemory = true
    if (memory) {
      this.#rewrite(candidate, memory)
      return
    }
    const { content, createdAt, updatedAt } = candidate
    const times = { ...(createdAt && { createdAt }), ...(updatedAt && { updatedAt }) }
    this.#items.push({ candidate, deed: 'new' })
    this.#additions.push({ op: 'add', scope: this.#source.agent, kind: 'memory', content, ...times })
  }

  /**
   * Whether MEMORY.md is what this source said before. A page does not say whose it is: the change that filled it does, by what
   * else it brought; and a text that only grew holds all that is here.
   */
  #isOlder(memory: Entry, candidate: CheckedCandidate): boolean {
    if (memory.origin.by !== 'import') return false
    const lines = new Set(candidate.content.split('\n'))
    return this.#here.memoryIsOfSource || memory.content.split('\n').every((line) => lines.has(line))
  }

  #updateMemory(candidate: CheckedCandidate, memory: Entry): void {
    this.#hasMemory = true
    if (memory.content === candidate.content) this.#items.push({ candidate, deed: 'known' })
    else this.#rewrite(candidate, memory)
  }

  #isHere(candidate: CheckedCandidate): boolean {
    if (candidate.kind === 'note') return this.#here.called(candidate.name ?? '')?.content === candidate.content
    return this.#here.hasText(candidate) || this.#texts.has(textKey(candidate))
  }

  #bringUpToDate(candidate: CheckedCandidate, entry: Entry): void {
    if (saysTheSame(candidate, entry)) this.#items.push({ candidate, deed: 'known' })
    else if (entry.origin.by === 'import') this.#rewrite(candidate, entry)
    else this.#items.push({ candidate, deed: 'kept' })
  }

  #rewrite(candidate: CheckedCandidate, { id, revision }: Entry): void {
    const { content, description, metadata, expiresAt } = candidate
    const said = { description, metadata, ...(expiresAt === undefined ? {} : { expiresAt }) }
    this.#items.push({ candidate, deed: 'updated' })
    this.#writes.push({ op: 'write', id, content, ...(candidate.kind === 'memory' ? {} : said) })
    this.#expect[id] = revision
  }

  #add(candidate: CheckedCandidate): void {
    const { id, kind, content, name, aliases, description, metadata, createdAt, updatedAt, expiresAt } = candidate
    if (kind !== 'note') this.#texts.add(textKey(candidate))
    const free = name === undefined ? this.#madeName(candidate) : this.#names.take(name)
    const renamed = name === undefined || free === undefined || free === name ? {} : { renamedTo: free }
    this.#items.push({ candidate, deed: 'new', ...renamed })
    this.#additions.push({
      op: 'add',
      id,
      scope: this.#source.agent,
      kind,
      content,
      ...(free === undefined ? {} : { name: free }),
      ...(aliases.length === 0 ? {} : { aliases }),
      description,
      metadata,
      ...(createdAt && { createdAt }),
      ...(updatedAt && { updatedAt }),
      ...(expiresAt && { expiresAt }),
    })
  }

  #madeName({ kind, content }: CheckedCandidate): string | undefined {
    return KINDS[kind].naming === 'given' ? this.#names.make(content) : undefined
  }
}
