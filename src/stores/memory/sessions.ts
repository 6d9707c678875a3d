/** Transcripts in RAM. */
import { InvalidError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SessionRecord, Sessions } from '../../ports/store.ts'
import type { Enter } from './enter.ts'

interface MemorySession {
  readonly createdAt: string
  /** JSON, as a transcript would hold them: a copy in, a copy out. */
  readonly lines: string[]
}

export function memorySessions(clock: Clock, enter: Enter): Sessions {
  const scopes = new Map<Scope, Map<string, MemorySession>>()

  function sessionsOf(scope: Scope): Map<string, MemorySession> {
    const agent = normalizeAgentId(scope)
    const sessions = scopes.get(agent) ?? new Map<string, MemorySession>()
    scopes.set(agent, sessions)
    return sessions
  }

  return {
    async append(scope, key, records, { signal } = {}) {
      enter(signal)
      const sessions = sessionsOf(scope)
      if (key === '') throw new InvalidError('session', 'is empty', 'a key of any characters')
      const lines = records.map(recordLine)
      const session = sessions.get(key) ?? { createdAt: instant(clock()), lines: [] }
      for (const line of lines) session.lines.push(line)
      sessions.set(key, session)
    },
    async read(scope, key, from = 0, { signal } = {}) {
      enter(signal)
      const session = sessionsOf(scope).get(key)
      if (!session) return undefined
      const { createdAt, lines } = session
      const records = lines.slice(from).map((line): SessionRecord => JSON.parse(line))
      return { meta: { key, createdAt }, records, next: lines.length, broken: [] }
    },
    async list(scope, { signal } = {}) {
      enter(signal)
      return [...sessionsOf(scope)].map(([key, { createdAt }]) => ({ key, createdAt }))
    },
  }
}

function recordLine(record: SessionRecord): string {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new InvalidError('record', 'is not an object', 'a JSON object')
  }
  try {
    return JSON.stringify(record)
  } catch (cause) {
    throw new InvalidError('record', `is not JSON: ${String(cause)}`, 'a JSON object')
  }
}
