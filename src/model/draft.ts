/**
 * A state that entries can be looked up in, and a draft over it: changes on top of a base that is not touched until they
 * are durable. Reads fall through; what the draft says wins.
 */
import type { Entry, EntryHead, Scope } from './entry.ts'
import { KINDS } from './kinds.ts'

export interface StateView {
  /** The whole entry; a store may read its file for this. */
  get(id: string): Entry | undefined
  /** Without the text; never reads a file. */
  head(id: string): EntryHead | undefined
  /** The id that holds a handle (see `handlesOf`) in a scope. */
  owner(scope: Scope, handle: string): string | undefined
}

export class Draft implements StateView {
  readonly #base: StateView
  readonly #entries = new Map<string, Entry | null>()
  readonly #handles = new Map<string, string | null>()

  constructor(base: StateView) {
    this.#base = base
  }

  get(id: string): Entry | undefined {
    const mine = this.#entries.get(id)
    return mine === undefined ? this.#base.get(id) : (mine ?? undefined)
  }

  head(id: string): EntryHead | undefined {
    const mine = this.#entries.get(id)
    return mine === undefined ? this.#base.head(id) : (mine ?? undefined)
  }

  owner(scope: Scope, handle: string): string | undefined {
    const mine = this.#handles.get(`${scope}\0${handle}`)
    return mine === undefined ? this.#base.owner(scope, handle) : (mine ?? undefined)
  }

  /** Puts, replaces or (without an entry) removes. A handle that another entry holds stays with that one. */
  put(id: string, entry: Entry | undefined): void {
    const before = this.head(id)
    if (before) {
      for (const handle of handlesOf(before)) {
        if (this.owner(before.scope, handle) === id) this.#handles.set(`${before.scope}\0${handle}`, null)
      }
    }
    this.#entries.set(id, entry ?? null)
    if (!entry) return
    for (const handle of handlesOf(entry)) {
      if (this.owner(entry.scope, handle) === undefined) this.#handles.set(`${entry.scope}\0${handle}`, id)
    }
  }

  /** What the draft changed, in the order it was first touched. */
  *changed(): Generator<readonly [id: string, entry: Entry | null]> {
    yield* this.#entries
  }
}

/**
 * What makes an entry unique within its scope: its name and aliases (one set), and for context its key, which is apart
 * from the names and so carries a mark that no name can hold.
 */
export function handlesOf(entry: Pick<EntryHead, 'kind' | 'name' | 'aliases' | 'key'>): string[] {
  if (KINDS[entry.kind].naming === 'key') return entry.key === undefined ? [] : [keyHandle(entry.key)]
  return entry.name === null ? [] : [entry.name, ...entry.aliases]
}

export function keyHandle(key: string): string {
  return `\u0001${key}`
}
