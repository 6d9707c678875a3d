/**
 * Transcripts on the server, as the port asks for them. This file only puts the parts together: appending is in session-append.ts, reading
 * in session-reading.ts. The key under which a transcript is kept counts, whatever a metadata line says that came here with a move.
 */
import { isKeepsakeError, SessionConflictError } from '../../../errors.ts'
import type { Scope } from '../../../model/entry.ts'
import { normalizeAgentId } from '../../../model/name.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CallOptions, SessionInfo, Sessions, SessionText } from '../../../ports/store.ts'
import { byAge, keptRecords, type SessionId, sessionId, sessionInfo } from '../../disk/kept-session.ts'
import type { Enter } from '../../memory/enter.ts'
import type { MemoryGround } from '../memory-place.ts'
import type { ShelfRecord } from '../server/shelf.ts'
import { SessionAppender } from './session-append.ts'
import { firstLineIn, readFirstLine } from './session-first-line.ts'
import { SessionLog } from './session-log.ts'
import { readBackward, readForward } from './session-reading.ts'
import { firstRecords, openFirst, textsNow } from './session-texts.ts'

export interface ChromaSessions extends Sessions {
  /** Every transcript up to where it ends now. They are read as they are asked for, each time anew: by scope, then by key. */
  texts(options?: CallOptions): Promise<() => AsyncIterable<SessionText>>
  /** Once no append is under way. */
  idle(): Promise<void>
}

export function chromaSessions(ground: MemoryGround, clock: Clock, enter: Enter): ChromaSessions {
  const { log } = ground
  const appender = new SessionAppender(ground, clock)

  const find = async (id: SessionId, options: CallOptions): Promise<SessionLog | undefined> => {
    const memory = await ground.find(options)
    return memory && new SessionLog(log, memory.generation, id)
  }

  /** One that is damaged is told, and keeps nobody from the others. */
  const look = async (generation: string, record: ShelfRecord, options: CallOptions): Promise<SessionInfo[]> => {
    try {
      const begin = await openFirst(log, generation, record, options)
      if (!begin) return []
      const session = new SessionLog(log, generation, begin.id)
      const said = firstLineIn([begin.piece]) ?? (await readFirstLine(session, options))
      return said ? [sessionInfo(begin.id.key, said)] : []
    } catch (error) {
      if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
      return [{ key: String(record.labels['key']), createdAt: null, problem: error.message }]
    }
  }

  const list = async (scope: Scope, options: CallOptions): Promise<SessionInfo[]> => {
    const memory = await ground.find(options)
    if (!memory) return []
    const found: SessionInfo[] = []
    for (const record of await firstRecords(log, memory.generation, { scope }, options)) {
      found.push(...(await look(memory.generation, record, options)))
    }
    return found.sort(byAge)
  }

  return {
    async append(scope, key, records, { expectEnd, ...options } = {}) {
      enter(options.signal)
      const kept = keptRecords(key, records)
      const id = sessionId(scope, key)
      // Before a memory is made for it.
      if (expectEnd && !(await ground.find(options))) throw new SessionConflictError(key, expectEnd, 0)
      return appender.append(id, kept, { ...options, ...(expectEnd === undefined ? {} : { expectEnd }) })
    },
    async read(scope, key, from = 0, options = {}) {
      enter(options.signal)
      const session = await find(sessionId(scope, key), options)
      return session && readForward(session, from, options)
    },
    async readBefore(scope, key, before, options = {}) {
      enter(options.signal)
      const session = await find(sessionId(scope, key), options)
      return session && readBackward(session, before, appender.endSeen(session), options)
    },
    async list(scope, options = {}) {
      enter(options.signal)
      return list(normalizeAgentId(scope), options)
    },
    async texts(options = {}) {
      enter(options.signal)
      const memory = await ground.find(options)
      return memory ? textsNow(log, memory.generation, options) : nothing
    },
    idle: () => appender.idle(),
  }
}

async function* nothing(): AsyncGenerator<never> {}
