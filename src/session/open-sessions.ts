/** The sessions of one memory, each once: what one knows of what it injected must be there when it is asked for again. */
import { InvalidError } from '../errors.ts'
import { Session, type SessionPlace } from './session.ts'

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
    if (typeof key !== 'string' || key === '') throw new InvalidError('session', 'is empty', 'the key of a session')
    const session = this.#sessions.get(key) ?? new Session({ ...this.#place, key })
    this.#sessions.delete(key)
    this.#sessions.set(key, session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MOST_OPEN && oldest !== undefined) this.#sessions.delete(oldest)
    return session
  }
}
