/**
 * Transcripts in the one file: what one append brings is one frame, so it is there whole or not at all, and the lines of all
 * frames of a session are its transcript, to be read as any other (session-file.ts). The key under which it is kept counts,
 * whatever a metadata line says that came here with a move.
 * A last line without its end can only have come that way. It is kept to the byte: the next append ends it.
 */
import { crc32 } from 'node:zlib'
import { damagedFile } from '../../codec/one-file/header.ts'
import { encodeSession } from '../../codec/one-file/named-bytes.ts'
import { isKeepsakeError, SessionConflictError } from '../../errors.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SessionInfo, SessionRecord, Sessions } from '../../ports/store.ts'
import { byAge, keptRecords, type SessionId, sessionId, sessionInfo } from '../disk/kept-session.ts'
import { type LineSource, positionIn, readBackward, readForward, readMetadata, readRest } from '../disk/session-file.ts'
import { restOf } from '../disk/session-tail.ts'
import { extentSource } from './extent-source.ts'
import { placeOf } from './file-catalogue.ts'
import type { FileFollower } from './follower.ts'
import type { Turn, Turns } from './turn.ts'

export function fileSessions(
  follower: FileFollower,
  turns: Turns,
  clock: Clock,
  enter: (signal?: AbortSignal) => void,
): Sessions {
  /** `undefined` when there is none, or nothing in it. */
  const find = ({ scope, key }: SessionId): LineSource | undefined => {
    const { file, catalogue } = follower.state ?? {}
    const source = extentSource(catalogue?.session(scope, key)?.extents ?? [], (extent) => {
      const bytes = file?.proved(placeOf(extent))
      if (!bytes) throw damagedFile(follower.path, `the session "${key}" is damaged`, extent[0])
      return bytes
    })
    return source.size === 0 ? undefined : source
  }

  async function append(turn: Turn, id: SessionId, records: readonly SessionRecord[], expectEnd: number | undefined) {
    const write = async (text: string): Promise<number> => {
      const bytes = Buffer.from(text)
      await turn.append('sess', encodeSession(id, bytes, crc32), { durable: true })
      return bytes.length
    }
    if (isEndMissing(find(id))) await write('\n')
    const source = find(id)
    const { end, rest } = source ? readRest(source) : NOTHING_YET
    const position = source ? positionIn(source, end) : 0
    if (expectEnd !== undefined && expectEnd !== position) throw new SessionConflictError(id.key, expectEnd, position)
    const meta = source ? '' : `${JSON.stringify({ key: id.key, createdAt: instant(clock()) })}\n`
    const line = JSON.stringify(records.length === 1 ? records[0] : records)
    const written = await write(`${rest.length > 0 ? '\n' : ''}${meta}${line}\n`)
    return { end: position + rest.length + written }
  }

  /** One that is damaged is told, and keeps nobody from the others. */
  const look = (id: SessionId): SessionInfo[] => {
    try {
      const source = find(id)
      const said = source && readMetadata(source)
      return said ? [sessionInfo(id.key, said)] : []
    } catch (error) {
      if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
      return [{ key: id.key, createdAt: null, problem: error.message }]
    }
  }

  return {
    async append(scope, key, records, { signal, expectEnd } = {}) {
      enter(signal)
      const kept = keptRecords(records)
      const id = sessionId(scope, key)
      follower.catchUp()
      // Before a turn, which may make the file.
      if (expectEnd && !find(id)) throw new SessionConflictError(key, expectEnd, 0)
      return turns.exclusively((turn) => append(turn, id, kept, expectEnd), signal)
    },
    async read(scope, key, from = 0, { signal } = {}) {
      enter(signal)
      const id = sessionId(scope, key)
      follower.catchUp()
      const source = find(id)
      return source && readForward(source, from)
    },
    async readBefore(scope, key, before, { signal } = {}) {
      enter(signal)
      const id = sessionId(scope, key)
      follower.catchUp()
      const source = find(id)
      return source && readBackward(source, before)
    },
    async list(scope, { signal } = {}) {
      enter(signal)
      const agent = normalizeAgentId(scope)
      const sessions = follower.catchUp()?.catalogue.sessions() ?? []
      const found = [...sessions].flatMap((session) => (session.scope === agent ? look(session) : []))
      return found.sort(byAge)
    },
  }
}

const NOTHING_YET = { end: 0, rest: new Uint8Array() }

/** Someone's last line, and not what a crash left of one of ours: it counts once it has its end. */
function isEndMissing(source: LineSource | undefined): boolean {
  if (!source) return false
  const { end, rest } = readRest(source)
  return rest.length > 0 && restOf(rest, end === 0) !== 'torn'
}
