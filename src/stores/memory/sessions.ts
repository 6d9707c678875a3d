/** Transcripts in RAM. Positions count records. */
import { InvalidError, SessionConflictError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SessionRecord, Sessions } from '../../ports/store.ts'
import type { Enter } from './enter.ts'

/** What one page read from behind holds; more when one append brought more. */
const PAGE_RECORDS = 100

interface MemorySession {
  readonly createdAt: string
  /** JSON, as a transcript would hold them: a copy in, a copy out. */
  readonly lines: string[]
  /** Where each append begins. */
  readonly starts: number[]
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
    async append(scope, key, records, { signal, expectEnd } = {}) {
      enter(signal)
      const sessions = sessionsOf(scope)
      if (key === '') throw new InvalidError('session', 'is empty', 'a key of any characters')
      const lines = records.map(recordLine)
      if (lines.length === 0) throw new InvalidError('records', 'is empty', 'at least one record')
      const session = sessions.get(key) ?? { createdAt: instant(clock()), lines: [], starts: [] }
      const start = session.lines.length
      if (expectEnd !== undefined && expectEnd !== start) throw new SessionConflictError(key, expectEnd, start)
      session.starts.push(start)
      for (const line of lines) session.lines.push(line)
      sessions.set(key, session)
      return { end: session.lines.length }
    },
    async read(scope, key, from = 0, { signal } = {}) {
      enter(signal)
      const session = sessionsOf(scope).get(key)
      if (!session) return undefined
      const { createdAt, lines } = session
      return { meta: { key, createdAt }, records: lines.slice(from).map(recordOf), next: lines.length, broken: [] }
    },
    async readBefore(scope, key, before, { signal } = {}) {
      enter(signal)
      const session = sessionsOf(scope).get(key)
      if (!session) return undefined
      const { createdAt, lines, starts } = session
      const isPlace = before === undefined || before === lines.length || starts.lastIndexOf(before) !== -1
      const next = isPlace ? (before ?? lines.length) : lines.length
      const last = next === lines.length ? starts.length : starts.lastIndexOf(next)
      let first = Math.max(last - 1, 0)
      while (first > 0 && next - (starts[first - 1] ?? 0) <= PAGE_RECORDS) first--
      const start = starts[first] ?? 0
      const tail = {
        meta: { key, createdAt },
        records: lines.slice(start, next).map(recordOf),
        start,
        next,
        broken: [],
      }
      return isPlace ? tail : { ...tail, restarted: true }
    },
    async list(scope, { signal } = {}) {
      enter(signal)
      const found = [...sessionsOf(scope)].map(([key, { createdAt }]) => ({ key, createdAt }))
      return found.sort((a, b) =>
        a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.key < b.key ? -1 : 1,
      )
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

function recordOf(line: string): SessionRecord {
  return JSON.parse(line)
}
