/** Deletes every version of some entries, and redacts their texts in transcripts (model/redaction.ts). A purge is itself a change. */
import type { Origin, Scope } from '../../model/entry.ts'
import type { Change } from '../../model/operation.ts'
import {
  collectPurged,
  fileMentions,
  type Occurrence,
  occurrenceSearch,
  type Redactions,
  redactedSessionsText,
  redactionsFor,
  redactTranscript,
  shortTextNotice,
  transcriptMentions,
} from '../../model/redaction.ts'
import type { Purged } from '../../ports/store.ts'
import { scanAll } from './entries.ts'
import { appendChange, parseChange, putChangeScopes, readTouched, readVersions } from './history.ts'
import { readKeptFiles } from './image.ts'
import { readCounters, readSetting, upsert, writeCounters, writeSetting } from './schema.ts'
import { putTranscript, transcripts } from './sessions.ts'
import { queryIn, type Sql, type SqlValue } from './sql.ts'

/** Set until the file is vacuumed. If a purge was interrupted before that, a later write finishes it. */
const VACUUM_DUE = 'vacuum'

export async function isVacuumDue(sql: Sql): Promise<boolean> {
  return (await readSetting(sql, VACUUM_DUE)) !== undefined
}

export async function clearVacuumDue(sql: Sql): Promise<void> {
  await sql.run('DELETE FROM settings WHERE key = ?', [VACUUM_DUE])
}

export async function purgeTables(sql: Sql, ids: readonly string[], origin: Origin, now: string): Promise<Purged> {
  const versions = await readVersions(sql, ids)
  const current = await scanAll(sql, { ids: new Set(ids) })
  const states = [...versions.flatMap(({ entry }) => entry ?? []), ...current]
  const { texts, scopes } = collectPurged({ entries: states, changes: [] }, new Set(ids), origin.agent)
  const redactions = redactionsFor(texts)
  for (const id of new Set(ids)) {
    for (const table of ['entries', 'names', 'versions']) await sql.run(`DELETE FROM ${table} WHERE id = ?`, [id])
  }
  // Also changes that added and removed an entry at once, which left no version.
  const numbers = new Set((await findWords(sql, 'changes', ids)).map(Number))
  for (const { change } of versions) if (change) numbers.add(change.number)
  await removeFromChanges(sql, new Set(ids), numbers, scopes)
  const last = await readCounters(sql)
  const change: Change = { number: last.number + 1, at: now, origin, operations: [], purged: scopes }
  await appendChange(sql, change, [])
  await writeCounters(sql, { ...last, number: change.number })
  const files = await purgeFiles(sql, new Set(ids), redactions)
  const sessions = await redactSessions(sql, redactions)
  await sql.run('DELETE FROM derived')
  // Readers start over, so nothing they derived from purged texts survives.
  await writeSetting(sql, 'epoch', crypto.randomUUID())
  await writeSetting(sql, VACUUM_DUE, change.at)
  return {
    cleaned: [
      current.length > 0 ? 'the entries, their history and all derived data' : 'their history and all derived data',
      ...redactedSessionsText(sessions.redacted),
      ...(files.deleted === 0 ? [] : [`kept files that contained the text: ${files.deleted}`]),
    ],
    occurrences: [...(await entryOccurrences(sql, redactions)), ...sessions.mentions, ...files.mentions],
    outOfReach: shortTextNotice(redactions),
  }
}

/** The changes keep their numbers; only what they did to these entries is removed. */
async function removeFromChanges(sql: Sql, ids: Set<string>, numbers: Set<number>, purged: readonly Scope[]) {
  const touched = await readTouched(sql, [...numbers])
  for (const row of await queryIn(sql, numbers, (list) => `SELECT * FROM changes WHERE number IN (${list})`)) {
    const before = parseChange(row)
    const change = { ...before, operations: before.operations.filter(({ id }) => id === undefined || !ids.has(id)) }
    const { checksum: _, ...columns } = row
    await upsert(sql, 'changes', { ...columns, operations: JSON.stringify(change.operations) })
    // By the key: the number alone has no index.
    for (const scope of purged) {
      await sql.run('DELETE FROM change_scopes WHERE scope = ? AND number = ?', [scope, change.number])
    }
    await putChangeScopes(sql, { change, touched: touched.get(change.number) ?? [] })
  }
}

async function redactSessions(sql: Sql, redactions: Redactions) {
  let redacted = 0
  const mentions: Occurrence[] = []
  for await (const session of transcripts(sql)) {
    const { scope, key } = session
    const text = redactTranscript(session.text, scope, redactions)
    if (text !== session.text) {
      await putTranscript(sql, { scope, key, text })
      redacted++
    }
    if (transcriptMentions(text, redactions)) mentions.push({ in: 'session', scope, key })
  }
  return { redacted, mentions }
}

/** Deletes files that hold purged entries; reports others with the same words. */
async function purgeFiles(sql: Sql, ids: ReadonlySet<string>, redactions: Redactions) {
  let deleted = 0
  const mentions: Occurrence[] = []
  for await (const { path, entries, bytes } of readKeptFiles(sql)) {
    if (entries.some(({ id }) => ids.has(id))) {
      await sql.run('DELETE FROM files WHERE path = ?', [path])
      deleted++
    } else if (fileMentions(bytes, redactions)) mentions.push({ in: 'file', path })
  }
  return { deleted, mentions }
}

/** Other entries with the same words, now or in an earlier version. Only entries with a row that contains them are parsed. */
async function entryOccurrences(sql: Sql, redactions: Redactions): Promise<readonly Occurrence[]> {
  const words = redactions.reported.map((text) => JSON.stringify(text).slice(1, -1))
  const ids = await findWords(sql, 'versions', words)
  const { visit, found } = occurrenceSearch(redactions)
  for (const { id, entry } of await readVersions(sql, ids.map(String))) visit(id, entry)
  return found()
}

const MAX_WORDS = 64
/** Where texts are: the key and the column. */
const TEXTS = { changes: ['number', 'operations'], versions: ['id', 'entry'] } as const

/** The keys of rows whose text contains one of these words; each pass over the table looks for several. */
async function findWords(sql: Sql, table: keyof typeof TEXTS, words: readonly string[]): Promise<SqlValue[]> {
  const [key, column] = TEXTS[table]
  const found = new Set<SqlValue>()
  for (let from = 0; from < words.length; from += MAX_WORDS) {
    const some = words.slice(from, from + MAX_WORDS)
    const where = some.map(() => `${sql.positionFunction}(${column}, ?) > 0`).join(' OR ')
    const rows = await sql.all(`SELECT ${key} AS key FROM ${table} WHERE ${where} ORDER BY number`, some)
    for (const row of rows) found.add(row['key'] ?? null)
  }
  return [...found]
}
