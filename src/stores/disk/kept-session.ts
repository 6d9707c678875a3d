/**
 * What is asked of a session, checked, and what a list tells of one: the same in every store. A key is kept as it is, and the one
 * under which a transcript is kept counts, whatever its metadata line says.
 */
import { InvalidError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import { normalizeRecord } from '../../model/json.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { SessionInfo, SessionRecord } from '../../ports/store.ts'
import { safeFileName } from './safe-file-name.ts'
import type { SessionMetadata } from './session-metadata.ts'
import { isRecord } from './session-tail.ts'

export interface SessionId {
  readonly scope: Scope
  readonly key: string
}

/** A key that has no file's name is refused everywhere: the memory may become a folder. */
export function sessionId(scope: Scope, key: string): SessionId {
  safeFileName(key, 'session')
  return { scope: normalizeAgentId(scope), key }
}

/** What an append brings, as it is kept: refused before anything is made. */
export function keptRecords(key: string, records: readonly SessionRecord[]): readonly SessionRecord[] {
  if (String(key).includes('\0')) throw new InvalidError('session', 'has a NUL character', 'a key without NUL')
  const kept = records.map((record) => {
    if (!isRecord(record)) throw new InvalidError('record', 'is not an object', 'a JSON object')
    return normalizeRecord(record)
  })
  if (kept.length === 0) throw new InvalidError('records', 'is empty', 'at least one record')
  return kept
}

/** `kept`: the key under which it is kept. */
export function sessionInfo(kept: string, { meta, problem }: SessionMetadata): SessionInfo {
  const { key, createdAt } = meta
  const other = `its metadata says the key ${JSON.stringify(key)}, and it is kept under ${JSON.stringify(kept)}, which counts`
  const problems = [problem, key === undefined || key === kept ? undefined : other].filter((one) => one !== undefined)
  return {
    key: kept,
    createdAt: typeof createdAt === 'string' ? createdAt : null,
    ...(problems.length === 0 ? {} : { problem: problems.join('; ') }),
  }
}

/** The oldest first, and by key where they are equally old. */
export function byAge(a: SessionInfo, b: SessionInfo): number {
  const [atA, atB] = [a.createdAt ?? '', b.createdAt ?? '']
  return atA < atB ? -1 : atA > atB ? 1 : a.key < b.key ? -1 : 1
}
