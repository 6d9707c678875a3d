/** Transcripts in RAM, by scope and key. */
import { InvalidError, SessionConflictError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SessionInfo, Sessions, SessionText } from '../../ports/store.ts'
import type { Enter } from './enter.ts'
import { recordLine, Transcript } from './transcript.ts'

export interface MemorySessions extends Sessions {
  /** Every transcript, by scope, then by key. */
  texts(): readonly SessionText[]
  /** Replaces the sessions with the same scope and key. */
  adopt(texts: readonly SessionText[]): void
}

export function memorySessions(clock: Clock, enter: Enter): MemorySessions {
  const scopes = new Map<Scope, Map<string, Transcript>>()

  function sessionsOf(scope: Scope): Map<string, Transcript> {
    const agent = normalizeAgentId(scope)
    const sessions = scopes.get(agent) ?? new Map<string, Transcript>()
    scopes.set(agent, sessions)
    return sessions
  }

  return {
    async append(scope, key, records, { signal, expectEnd } = {}) {
      enter(signal)
      const sessions = sessionsOf(scope)
      if (key === '' || key.includes('\0'))
        throw new InvalidError('session', 'is empty or has a NUL character', 'a key of any other characters')
      if (records.length === 0) throw new InvalidError('records', 'is empty', 'at least one record')
      // Refuses what is none, before anything is made.
      for (const record of records) recordLine(record)
      const session = sessions.get(key)
      session?.endLastLine()
      const end = session?.end ?? 0
      if (expectEnd !== undefined && expectEnd !== end) throw new SessionConflictError(key, expectEnd, end)
      const transcript = session ?? Transcript.begun(key, instant(clock()))
      transcript.append(records)
      sessions.set(key, transcript)
      return { end: transcript.end }
    },
    async read(scope, key, from = 0, { signal } = {}) {
      enter(signal)
      return sessionsOf(scope).get(key)?.read(from)
    },
    async readBefore(scope, key, before, { signal } = {}) {
      enter(signal)
      return sessionsOf(scope).get(key)?.readBefore(before)
    },
    async list(scope, { signal } = {}) {
      enter(signal)
      return [...sessionsOf(scope)].map(([key, transcript]) => transcript.info(key)).sort(byAge)
    },
    texts() {
      const all = [...scopes].flatMap(([scope, sessions]) =>
        [...sessions].map(([key, transcript]): SessionText => ({ scope, key, text: transcript.text() })),
      )
      return all.sort((a, b) => order(a.scope, b.scope) || order(a.key, b.key))
    },
    adopt(texts) {
      for (const { scope, key, text } of texts) sessionsOf(scope).set(key, Transcript.adopted(text))
    },
  }
}

function byAge(a: SessionInfo, b: SessionInfo): number {
  return order(a.createdAt ?? '', b.createdAt ?? '') || order(a.key, b.key)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
