/** Transcripts, as bytes like those in files: one row per append. Only a moved one may lack its last line end. */
import { DamagedError, isKeepsakeError, SessionConflictError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SessionInfo, Sessions, SessionText } from '../../ports/store.ts'
import { byAge, keptRecords, type SessionId, sessionId, sessionInfo } from '../disk/kept-session.ts'
import {
  type LineSource,
  type LoadedBytes,
  positionIn,
  readBackward,
  readForward,
  readLoading,
  readMetadata,
  readRest,
} from '../disk/session-file.ts'
import { restOf } from '../disk/session-tail.ts'
import { insert, isIntact, MAX_ROW_BYTES, markWritten } from './schema.ts'
import { type Database, queryOne, type Row, type Sql, write } from './sql.ts'

export function sqlSessions(database: Database, clock: Clock, onAppended: () => void): Sessions {
  return {
    async append(scope, key, records, { signal, expectEnd } = {}) {
      const [kept, id] = [keptRecords(key, records), sessionId(scope, key)]
      const line = JSON.stringify(kept.length === 1 ? kept[0] : kept)
      // Checked first, because the write would create the memory.
      if (expectEnd && !(await database.exists(signal))) throw new SessionConflictError(key, expectEnd, 0)
      let row: TranscriptRow | undefined
      const work = async (sql: Sql): Promise<number> => {
        row = undefined
        const appended = await append(sql, id, line, instant(clock()), expectEnd)
        row = appended.row
        return appended.end
      }
      const isCommitted = async (sql: Sql) => row && hasRow(sql, row)
      const end = await write(database, work, { bytes: line.length, signal, isCommitted })
      onAppended()
      return { end }
    },
    async read(scope, key, from = 0, { signal } = {}) {
      const id = sessionId(scope, key)
      return database.read((sql) => withSource(sql, id, (source) => readForward(source, from)), signal)
    },
    async readBefore(scope, key, before, { signal } = {}) {
      const id = sessionId(scope, key)
      return database.read((sql) => withSource(sql, id, (source) => readBackward(source, before)), signal)
    },
    async list(scope, { signal } = {}) {
      return database.read((sql) => list(sql, normalizeAgentId(scope)), signal)
    },
  }
}

interface TranscriptRow extends SessionId {
  readonly start: number
  readonly bytes: Buffer
}

async function append(
  sql: Sql,
  id: SessionId,
  line: string,
  now: string,
  expectedEnd?: number,
): Promise<{ readonly row: TranscriptRow; readonly end: number }> {
  const existing = await withSource(sql, id, (source) => {
    const { end, rest } = readRest(source)
    // A torn line was never acknowledged; any other line counts once it has its end.
    const isTorn = rest.length > 0 && restOf(rest, end === 0) === 'torn'
    const place = end + (rest.length > 0 && !isTorn ? rest.length + 1 : 0)
    return { size: source.size, place, hasRest: rest.length > 0, position: positionIn(source, place) }
  })
  const { size = 0, place = 0, hasRest = false, position = 0 } = existing ?? {}
  if (expectedEnd !== undefined && expectedEnd !== position)
    throw new SessionConflictError(id.key, expectedEnd, position)
  const meta = existing ? '' : `${JSON.stringify({ key: id.key, createdAt: now })}\n`
  const row = { ...id, start: size, bytes: Buffer.from(`${hasRest ? '\n' : ''}${meta}${line}\n`) }
  await insert(sql, 'transcripts', { ...row })
  await markWritten(sql)
  return { row, end: position + size + row.bytes.length - place }
}

/** Whether the row was saved, for a lost answer to COMMIT. */
async function hasRow(sql: Sql, { scope, key, start, bytes }: TranscriptRow): Promise<boolean> {
  const statement = 'SELECT bytes FROM transcripts WHERE scope = ? AND key = ? AND start = ?'
  const row = await queryOne(sql, statement, [scope, key, start])
  return row !== undefined && bytes.equals(row['bytes'] as Uint8Array) // as the schema says
}

async function list(sql: Sql, scope: Scope): Promise<SessionInfo[]> {
  const rows = await sql.all('SELECT DISTINCT key FROM transcripts WHERE scope = ?', [scope])
  const found: SessionInfo[] = []
  for (const row of rows) {
    const key = String(row['key'])
    try {
      const metadata = await withSource(sql, { scope, key }, readMetadata)
      if (metadata) found.push(sessionInfo(key, metadata))
    } catch (error) {
      // One damaged transcript is reported and doesn't block the others.
      if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
      found.push({ key, createdAt: null, problem: error.message })
    }
  }
  return found.sort(byAge)
}

/** Reads a transcript; `undefined` when there is none. */
async function withSource<T>(sql: Sql, id: SessionId, read: (source: LineSource) => T): Promise<T | undefined> {
  if (id.key.includes('\0')) return undefined
  const where = 'transcripts WHERE scope = ? AND key = ? ORDER BY start DESC LIMIT 1'
  const last = await queryOne(sql, `SELECT start, length(bytes) AS length FROM ${where}`, [id.scope, id.key])
  const size = last ? Number(last['start']) + Number(last['length']) : 0
  return size === 0 ? undefined : readLoading(size, (from, to) => loadPieces(sql, id, from, to), read)
}

async function loadPieces(sql: Sql, { scope, key }: SessionId, from: number, to: number): Promise<LoadedBytes> {
  const rows = await sql.all(
    `SELECT * FROM transcripts WHERE scope = ? AND key = ? AND start < ? AND start >=
      (SELECT max(start) FROM transcripts WHERE scope = ? AND key = ? AND start <= ?) ORDER BY start`,
    [scope, key, to, scope, key, from],
  )
  const start = Number(rows[0]?.['start'] ?? 0)
  const bytes = Buffer.concat(rows.map((row) => checkedBytes(row)))
  if (rows.length === 0 || start > from || start + bytes.length < to) throw damagedSession(key)
  return { from: start, bytes }
}

function checkedBytes(row: Row): Uint8Array {
  if (!isIntact('transcripts', row)) throw damagedSession(String(row['key']))
  return row['bytes'] as Uint8Array // as the schema says
}

function damagedSession(key: string): DamagedError {
  const hint = 'The others can be read. To see what is damaged, run: keepsake doctor'
  return new DamagedError(`session ${JSON.stringify(key)}`, 'part of its transcript is damaged', hint)
}

export async function* transcripts(sql: Sql): AsyncGenerator<SessionText> {
  for (const row of await sql.all('SELECT DISTINCT scope, key FROM transcripts ORDER BY scope, key')) {
    const id = { scope: String(row['scope']), key: String(row['key']) }
    const text = await withSource(sql, id, (source) => source.bytes(0, source.size))
    yield { ...id, text: new Uint8Array(text ?? []) }
  }
}

export async function putTranscript(sql: Sql, { scope, key, text }: SessionText): Promise<void> {
  await sql.run('DELETE FROM transcripts WHERE scope = ? AND key = ?', [scope, key])
  for (let start = 0; start < text.length; start += MAX_ROW_BYTES) {
    await insert(sql, 'transcripts', { scope, key, start, bytes: text.subarray(start, start + MAX_ROW_BYTES) })
  }
}
