/** The sessions of one memory, each once: what one knows of what it injected must be there when it is asked for again. */
import { InvalidError } from '../errors.ts'
import type { CallOptions, Touched } from '../ports/store.ts'
import type { SessionPlace } from './place.ts'
import { Session } from './session.ts'
import type { SessionSummary } from './summaries.ts'

/** A server may see any number of sessions. What is forgotten is read again from the transcript. */
const MOST_OPEN = 100

export class OpenSessions {
  readonly #place: Omit<SessionPlace, 'key'>
  /** The one that was asked for last is the last. */
  readonly #sessions = new Map<string, Session>()

  constructor(place: Omit<SessionPlace, 'key'>) {
    this.#place = place
  }

  get(key: string): Session {
    const session = this.#sessions.get(requireKey(key)) ?? new Session({ ...this.#place, key })
    this.#sessions.delete(key)
    this.#sessions.set(key, session)
    this.#forgetIdle(session)
    return session
  }

  /** The oldest first. One that is busy stays: a second object of it would not stand in its queue. */
  #forgetIdle(wanted: Session): void {
    for (const [key, session] of this.#sessions) {
      if (this.#sessions.size <= MOST_OPEN) return
      if (session !== wanted && !session.isBusy) this.#sessions.delete(key)
    }
  }

  async list(options: CallOptions): Promise<readonly SessionSummary[]> {
    const { summariesOf } = await import('./summaries.ts')
    return summariesOf(this.#place, options)
  }

  /** Where an undo or a purge took an archive away, or an undo brought one back. What could not be done comes back as sentences. */
  async follow(touched: readonly Touched[], options: CallOptions): Promise<readonly string[]> {
    if (!touched.some(isOfArchive)) return []
    const { followArchives } = await import('./unmarking.ts')
    return followArchives(this.#place, touched, options)
  }

  /** Before a purge; `follow` comes after it. */
  async announcePurge(touched: readonly Touched[], options: CallOptions): Promise<readonly string[]> {
    if (!touched.some(isOfArchive)) return []
    const { announcePurge } = await import('./unmarking.ts')
    return announcePurge(this.#place, touched, options)
  }
}

function isOfArchive({ before, after }: Touched): boolean {
  return (after ?? before)?.kind === 'archive'
}

function requireKey(key: unknown): string {
  const allowed = 'the key of a session: any text that is not empty'
  if (typeof key !== 'string' || key === '') throw new InvalidError('session', 'is empty', allowed)
  if (key.includes('\0') || !key.isWellFormed()) {
    throw new InvalidError('session', 'holds a NUL character or broken Unicode', allowed)
  }
  return key
}
