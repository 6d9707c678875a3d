/**
 * Texts that the model does not take, and the entries that hold one: these want nothing any more, and have no vector until their text is
 * another. Known to this process alone, so that the next one tries again.
 */
import type { Refusal } from './embed-taken.ts'
import type { RefusedEntry } from './meaning-view.ts'

/** How long a text stands refused where something else may have been at fault. */
const PASSING_MS = 300_000

/** An entry, and the hashes of its pieces. */
export interface EntryPieces {
  readonly id: string
  readonly revision: string
  /** For who is told of it. */
  readonly name: string | null
  readonly hashes: ReadonlySet<string>
}

interface RefusedText {
  readonly reason: string
  /** By `performance.now()`; it is tried again then. */
  readonly untilMs: number
}

interface Refused extends RefusedEntry {
  readonly revision: string
  /** Of the text. */
  readonly hash: string
}

export class Refusals {
  readonly #texts = new Map<string, RefusedText>()
  readonly #entries = new Map<string, Refused>()

  get entries(): readonly RefusedEntry[] {
    return [...this.#entries.values()].map(({ id, name, reason }) => ({ id, name, reason }))
  }

  /** Ids, and the revisions they are at. */
  revisions(): readonly (readonly [string, string])[] {
    return [...this.#entries].map(([id, { revision }]) => [id, revision])
  }

  /** Texts by their hash, and why. */
  refuse(texts: ReadonlyMap<string, Refusal>): void {
    const soonMs = performance.now() + PASSING_MS
    for (const [hash, { reason, mayPass }] of texts) {
      this.#texts.set(hash, { reason, untilMs: mayPass ? soonMs : Number.POSITIVE_INFINITY })
    }
  }

  /** Whether one of these texts was. */
  isRefused(hashes: Iterable<string>): boolean {
    if (this.#texts.size === 0) return false
    for (const hash of hashes) if (this.#texts.has(hash)) return true
    return false
  }

  /** Whether it holds a text that was refused. */
  setAside({ id, revision, name, hashes }: EntryPieces): boolean {
    if (this.#texts.size === 0) return false
    for (const hash of hashes) {
      const text = this.#texts.get(hash)
      if (!text) continue
      this.#entries.set(id, { id, name, reason: text.reason, revision, hash })
      return true
    }
    return false
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  /** Whether it is set aside as it is now. */
  holds(id: string, revision: string): boolean {
    return this.#entries.get(id)?.revision === revision
  }

  delete(id: string): void {
    this.#entries.delete(id)
  }

  retain(ids: ReadonlySet<string>): void {
    for (const id of this.#entries.keys()) if (!ids.has(id)) this.#entries.delete(id)
  }

  /** What stood only for a time, and whose time is over: ids and revisions that are set aside no more. */
  takePassed(): readonly (readonly [string, string])[] {
    const nowMs = performance.now()
    for (const [hash, { untilMs }] of this.#texts) if (untilMs <= nowMs) this.#texts.delete(hash)
    const passed = [...this.#entries.values()].filter(({ hash }) => !this.#texts.has(hash))
    for (const { id } of passed) this.#entries.delete(id)
    return passed.map(({ id, revision }) => [id, revision])
  }
}
