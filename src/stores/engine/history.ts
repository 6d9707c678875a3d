/** Changes and the states they produced: the feed, the log by query, past states, and retention. */
import { isCount, isListOf, isMapping, isText } from '../../codec/head-shape.ts'
import { matchesQuery, notKeptError, savedAt, visibleScopes } from '../../history/queries.ts'
import type { Entry, Scope } from '../../model/entry.ts'
import { matchesHead } from '../../model/filter.ts'
import type { Change } from '../../model/operation.ts'
import type {
  ChangeFeed,
  ChangeQuery,
  Cursor,
  EntryVersion,
  GoneFilter,
  LoggedChange,
  Recorded,
  ScanFilter,
  Settings,
  Touched,
} from '../../ports/store.ts'
import { checkedEntry, originRow, parseOrigin, scanAll } from './entries.ts'
import {
  damagedRow,
  insert,
  isIntact,
  parseCounters,
  parseJson,
  readCounters,
  readSetting,
  upsert,
  writeSetting,
} from './schema.ts'
import { placeholders, queryIn, queryOne, type Row, type Sql, type SqlValue } from './sql.ts'

const PAGE = 256

/** An entry that was added and removed by the same change has no version. */
export async function appendChange(sql: Sql, change: Change, touched: readonly Touched[]): Promise<void> {
  const { number, at, origin, operations, ...extra } = change
  await insert(sql, 'changes', {
    number,
    at,
    ...originRow(origin),
    operations: JSON.stringify(operations),
    extra: Object.keys(extra).length === 0 ? null : JSON.stringify(extra),
  })
  for (const [position, { id, before, after }] of touched.entries()) {
    const { scope, kind } = after ?? before ?? {}
    if (scope !== undefined && kind) await putVersion(sql, { id, number, position, entry: after, scope, kind })
  }
  await putChangeScopes(sql, { change, touched })
  for (const reverted of new Set(change.reverts)) await upsert(sql, 'reverts', { reverted, number })
}

export async function putVersion(
  sql: Sql,
  version: Pick<Entry, 'id' | 'scope'> & { number: number; position: number; kind: string; entry: Entry | undefined },
): Promise<void> {
  const { entry, ...row } = version
  // Paths belong to a folder.
  await upsert(sql, 'versions', { ...row, entry: entry ? JSON.stringify({ ...entry, path: undefined }) : null })
}

export async function putChangeScopes(sql: Sql, recorded: Recorded): Promise<void> {
  const { number } = recorded.change
  for (const scope of visibleScopes(recorded)) await upsert(sql, 'change_scopes', { scope, number })
}

export function parseChange(row: Row): Change {
  if (!isIntact('changes', row)) throw damagedRow(`change ${row['number']}`)
  const { extra } = row
  const what = `change ${row['number']}`
  const operations = parseJson(row['operations'], what)
  const others = extra === null ? {} : parseJson(extra, what)
  if (!isMapping(others) || !isChange(operations, others)) throw damagedRow(what)
  const own = { number: Number(row['number']), at: String(row['at']), origin: parseOrigin(row) }
  return { ...others, ...own, operations: operations as Change['operations'] } // checked
}

function isChange(operations: unknown, { reverts = [], purged = [] }: Readonly<Record<string, unknown>>): boolean {
  const isOperations = isListOf(operations, (one) => isMapping(one) && isText(one['op']))
  return isOperations && isListOf(reverts, isCount) && isListOf(purged, isText)
}

/** The state in a row of `versions`; `undefined` if the entry was removed. */
export function parseVersion(row: Row): Entry | undefined {
  const { id, number, entry } = row
  const what = `the state of ${id} after change ${number}`
  if (!isIntact('versions', row)) throw damagedRow(what)
  if (entry === null) return undefined
  const state = checkedEntry(parseJson(entry, what) as Entry)
  if (state.id !== id || typeof state.content !== 'string') throw damagedRow(what)
  return state
}

/** The tag is the checksum of the last change: a restored copy of the database may continue with other changes under the same numbers. */
export async function readCursor(sql: Sql): Promise<Cursor> {
  return (await readFeedRange(sql)).cursor
}

interface FeedRange {
  readonly cursor: Cursor
  /** The oldest kept change, if any. */
  readonly first: SqlValue | undefined
  /** The checksum of the change that was asked for. */
  readonly seen: SqlValue | undefined
}

/** Where the feed begins and ends. One statement, because each search waits for it. */
async function readFeedRange(sql: Sql, seen = 0): Promise<FeedRange> {
  const setting = (key: string): string => `(SELECT value FROM settings WHERE key = '${key}') AS ${key}`
  const newest = '(SELECT max(number) FROM changes)'
  const statement = `SELECT ${setting('epoch')}, ${setting('last')}, (SELECT min(number) FROM changes) AS first, ${newest} AS newest,
    (SELECT checksum FROM changes WHERE number = ${newest}) AS tag, (SELECT checksum FROM changes WHERE number = ?) AS seen`
  const row = (await queryOne(sql, statement, [seen])) ?? {}
  const { number } = parseCounters(row['last'] ?? undefined)
  // Row-level security may hide the last change.
  const tag = row['newest'] === number ? { tag: String(row['tag']) } : {}
  return { cursor: { epoch: String(row['epoch'] ?? ''), number, ...tag }, first: row['first'], seen: row['seen'] }
}

/** Sends the statements together: a search with nothing new to index waits only for them. */
export async function readFeed(
  sql: Sql,
  since: Cursor | 'now' | undefined,
  scopes?: readonly Scope[],
): Promise<ChangeFeed> {
  const from = since === 'now' || since === undefined ? { epoch: '', number: 0 } : since
  const [{ cursor, first, seen }, rows] = await Promise.all([
    readFeedRange(sql, from.number),
    since === 'now' ? [] : changesAfter(sql, from.number, scopes),
  ])
  const base = { cursor, edits: [], problems: [] }
  if (since === 'now') return { ...base, changes: [], restarted: false }
  const before = Number(first ?? cursor.number + 1) - 1
  const isBeginning = from.epoch === '' && from.number === 0 && before === 0
  const isKnown =
    from.epoch === cursor.epoch &&
    from.number <= cursor.number &&
    from.number >= before &&
    (from.tag === undefined || typeof seen !== 'number' || from.tag === String(seen))
  const isHidden = (row: Row): boolean => row['number'] === null
  const restarted = since !== undefined && !isBeginning && (!isKnown || rows.some(isHidden))
  const all = restarted ? await changesAfter(sql, 0, scopes) : rows
  return { ...base, changes: all.filter((row) => !isHidden(row)).map(parseChange), restarted }
}

/** Oldest first. NULL for a change of these scopes that row-level security hides, because it changed another agent's memory too. */
function changesAfter(sql: Sql, number: number, scopes?: readonly Scope[]): Promise<readonly Row[]> {
  if (!scopes) return sql.all('SELECT * FROM changes WHERE number > ? ORDER BY number', [number])
  const wanted = `SELECT DISTINCT number FROM change_scopes WHERE scope IN (${placeholders(scopes.length)}) AND number > ?`
  const statement = `SELECT changes.* FROM (${wanted}) AS wanted LEFT JOIN changes ON changes.number = wanted.number ORDER BY wanted.number`
  return sql.all(statement, [...scopes, number])
}

/** Whether it was recorded, and not another one with its number. */
export async function hasChange(sql: Sql, change: Change): Promise<boolean> {
  const row = await queryOne(sql, 'SELECT at, operations FROM changes WHERE number = ?', [change.number])
  return row?.['at'] === change.at && row['operations'] === JSON.stringify(change.operations)
}

/** The oldest kept change; if there is none, the number of the next one. */
export async function firstNumber(sql: Sql, condition = '', values: readonly SqlValue[] = []): Promise<number> {
  const row = await queryOne(sql, `SELECT min(number) AS number FROM changes ${condition}`, values)
  return typeof row?.['number'] === 'number' ? row['number'] : (await readCounters(sql)).number + 1
}

export async function queryChanges(sql: Sql, query: ChangeQuery): Promise<LoggedChange[]> {
  const { limit = Number.POSITIVE_INFINITY, undone } = query
  const found: LoggedChange[] = []
  const undos = new Map<number, number | undefined>()
  if (limit <= 0) return found
  for await (const numbers of numbersNewestFirst(sql, query, Math.min(limit, PAGE))) {
    const [page] = await Promise.all([readRecorded(sql, numbers), findUndos(sql, numbers, undos)])
    for (const recorded of page.reverse()) {
      if (!matchesQuery(recorded, query)) continue
      const undoneBy = undos.get(recorded.change.number)
      if (undone !== undefined && undone !== (undoneBy !== undefined)) continue
      found.push({ ...recorded, ...(undoneBy === undefined ? {} : { undoneBy }) })
      if (found.length >= limit) return found
    }
  }
  return found
}

/** Pages of numbers that may match, from the index that narrows them most. */
async function* numbersNewestFirst(sql: Sql, query: ChangeQuery, size: number): AsyncGenerator<readonly number[]> {
  const [table, column, values, key = 'number'] = await chooseIndex(sql, query)
  // One scope at a time, so that each is read from the end of its index.
  const lists = values ? chunks(values, table === 'change_scopes' ? 1 : PAGE) : [[]]
  const { after, before } = await numberRange(sql, query)
  for (let below = before; ; ) {
    const page = new Set<number>()
    let isLast = true
    const pages = lists.map((list) => {
      const condition = list.length === 0 ? '' : `${column} IN (${placeholders(list.length)}) AND `
      const range = `${condition}${key} < ? AND ${key} > ? ORDER BY ${key} DESC LIMIT ${size}`
      return sql.all(`SELECT DISTINCT ${key} AS number FROM ${table} WHERE ${range}`, [...list, below, after])
    })
    for (const rows of await Promise.all(pages)) {
      for (const { number } of rows) page.add(Number(number))
      if (rows.length === size) isLast = false
    }
    const newest = [...page].sort((a, b) => b - a).slice(0, isLast ? undefined : size)
    yield newest
    if (isLast) return
    below = newest.at(-1) ?? 0
  }
}

type IndexChoice = readonly [table: string, column?: string, values?: readonly SqlValue[] | undefined, key?: string]

async function chooseIndex(sql: Sql, query: ChangeQuery): Promise<IndexChoice> {
  const { numbers, entries, name, session, undone, agent, by, scopes } = query
  if (entries) return ['versions', 'id', entries]
  if (name !== undefined) {
    const ids = await sql.all('SELECT DISTINCT id FROM names WHERE name = ?', [name])
    return ['versions', 'id', ids.map(({ id }) => String(id))]
  }
  if (numbers) return ['changes', 'number', numbers]
  if (session !== undefined) return ['changes', 'origin_session', [session]]
  if (undone) return ['reverts', 'reverted', undefined, 'reverted']
  if (agent !== undefined) return ['changes', 'origin_agent', [agent]]
  if (by !== undefined) return ['changes', 'origin_by', [by]]
  return scopes ? ['change_scopes', 'scope', scopes] : ['changes']
}

async function numberRange(sql: Sql, { since, until, after = 0, before = Number.MAX_SAFE_INTEGER }: ChangeQuery) {
  const first = since === undefined ? 0 : await firstNumber(sql, 'WHERE at >= ?', [since])
  const statement = 'SELECT max(number) AS number FROM changes WHERE at < ?'
  const last = until === undefined ? undefined : await queryOne(sql, statement, [until])
  const end = last ? Number(last['number'] ?? 0) + 1 : before
  return { after: Math.max(after, first - 1), before: Math.min(before, end) }
}

function chunks(values: readonly SqlValue[], size: number): SqlValue[][] {
  const count = Math.ceil(values.length / size)
  return Array.from({ length: count }, (_, n) => values.slice(n * size, (n + 1) * size))
}

/** Changes with what they did, oldest first. */
async function readRecorded(sql: Sql, numbers: readonly number[]): Promise<Recorded[]> {
  const [changes, touched] = await Promise.all([readChanges(sql, numbers), readTouched(sql, numbers)])
  return [...changes].map(([number, change]) => ({ change, touched: touched.get(number) ?? [] }))
}

async function readChanges(sql: Sql, numbers: Iterable<number>): Promise<Map<number, Change>> {
  const rows = await queryIn(sql, numbers, (list) => `SELECT * FROM changes WHERE number IN (${list})`)
  const changes = rows.map(parseChange).sort((a, b) => a.number - b.number)
  return new Map(changes.map((change) => [change.number, change]))
}

/** For each of these changes, adds to `found` its newest undo that isn't undone itself. */
async function findUndos(sql: Sql, numbers: readonly number[], found: Map<number, number | undefined>): Promise<void> {
  const undos = new Map<number, number[]>()
  const later = (list: string): string => `SELECT * FROM reverts WHERE reverted IN (${list}) AND number > reverted`
  for (let next = numbers; next.length > 0; ) {
    const missing = new Set(next.filter((number) => !found.has(number) && !undos.has(number)))
    for (const number of missing) undos.set(number, [])
    const rows = await queryIn(sql, missing, later)
    for (const { reverted, number } of rows) undos.get(Number(reverted))?.push(Number(number))
    next = rows.map(({ number }) => Number(number))
  }
  // The last change first: whether an undo counts depends on later ones.
  for (const [number, some] of [...undos].sort(([a], [b]) => b - a)) {
    const newestFirst = some.sort((a, b) => b - a)
    found.set(
      number,
      newestFirst.find((undo) => found.get(undo) === undefined),
    )
  }
}

export async function readTouched(sql: Sql, numbers: readonly number[]): Promise<Map<number, Touched[]>> {
  const touched = new Map<number, Touched[]>(numbers.map((number) => [number, []]))
  const inOrder = (list: string): string => `SELECT * FROM versions WHERE number IN (${list}) ORDER BY number, position`
  const rows = await queryIn(sql, numbers, inOrder)
  const previous = 'SELECT * FROM versions WHERE id = ? AND number < ? ORDER BY number DESC LIMIT 1'
  const earlier = await Promise.all(rows.map(({ id, number }) => queryOne(sql, previous, [id ?? null, number ?? null])))
  for (const [n, row] of rows.entries()) {
    const [id, number, after] = [String(row['id']), Number(row['number']), parseVersion(row)]
    const before = earlier[n] && parseVersion(earlier[n])
    touched.get(number)?.push({ id, ...(before ? { before } : {}), ...(after ? { after } : {}) })
  }
  return touched
}

export async function readVersions(sql: Sql, ids: readonly string[]): Promise<EntryVersion[]> {
  return (await readNumberedVersions(sql, ids)).map(({ number: _, ...version }) => version)
}

/** `change` is missing for the state where the history begins, and for changes that row-level security hides. */
async function readNumberedVersions(
  sql: Sql,
  ids: readonly string[],
): Promise<(EntryVersion & { readonly number: number })[]> {
  const inOrder = (list: string): string => `SELECT * FROM versions WHERE id IN (${list}) ORDER BY number`
  const rows = await queryIn(sql, new Set(ids), inOrder)
  const changes = await readChanges(sql, new Set(rows.map(({ number }) => Number(number))))
  const byId = new Map<string, (EntryVersion & { number: number })[]>(ids.map((id) => [id, []]))
  for (const row of rows) {
    const [id, number, entry] = [String(row['id']), Number(row['number']), parseVersion(row)]
    const change = changes.get(number)
    byId.get(id)?.push({ id, number, ...(change ? { change } : {}), ...(entry ? { entry } : {}) })
  }
  return [...byId.values()].flat()
}

/** Starts from the present, and looks up only what changed since. */
export async function readStateAt(sql: Sql, at: number | string, filter: ScanFilter): Promise<Entry[]> {
  await refuseTooEarly(sql, at)
  const last = typeof at === 'number' ? at : await lastNumberAt(sql, at)
  const ids = new Set<string>()
  for (const id of await changedAfter(sql, last, filter.scopes)) ids.add(id)
  if (typeof at === 'string') for (const id of await editedAfter(sql, at)) ids.add(id)
  const hidesRows = typeof at === 'string' && (await sql.hidesRows?.()) === true
  if (hidesRows) for (const { id } of await sql.all(HIDDEN_CHANGES)) ids.add(String(id))
  const state = (await scanAll(sql, filter)).filter(({ id }) => !ids.has(id))
  const past = new Map<string, Entry | undefined>()
  for (const { id, number, change, entry } of await readNumberedVersions(sql, [...ids])) {
    const isEdit = typeof at === 'string' && change?.origin.by === 'hand'
    // The time of a hidden change is that of the state it produced.
    const isLater = hidesRows && !change && entry !== undefined && entry.updatedAt > at
    if (isEdit ? savedAt(change.at, entry) <= at : number <= last && !isLater) past.set(id, entry)
  }
  for (const entry of past.values()) if (entry && matchesHead(entry, filter)) state.push(entry)
  return state.sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1))
}

/** Entries with a state from a change that row-level security hides. */
const HIDDEN_CHANGES = `SELECT DISTINCT id FROM versions
  WHERE NOT EXISTS (SELECT 1 FROM changes WHERE changes.number = versions.number)`

/** The entries of these scopes, and others of the same changes. */
async function changedAfter(sql: Sql, number: number, scopes?: readonly Scope[]): Promise<string[]> {
  const visible = `SELECT number FROM change_scopes WHERE scope IN (${placeholders(scopes?.length ?? 0)}) AND number > ?`
  const rows = scopes
    ? await sql.all(`SELECT id FROM versions WHERE number IN (${visible})`, [...scopes, number])
    : await sql.all('SELECT id FROM versions WHERE number > ?', [number])
  return rows.map(({ id }) => String(id))
}

async function refuseTooEarly(sql: Sql, at: number | string): Promise<void> {
  const earliest = typeof at === 'number' ? (await firstNumber(sql)) - 1 : await readSetting(sql, 'since')
  const when = typeof at === 'number' ? `after change ${at}` : `at ${at}`
  if (earliest !== undefined && at < earliest) throw notKeptError(when, at, earliest)
}

/** The last change up to an instant. Changes are ordered by number, not time: a clock may be set back. */
async function lastNumberAt(sql: Sql, at: string): Promise<number> {
  return (await firstNumber(sql, "WHERE at > ? AND origin_by <> 'hand'", [at])) - 1
}

/** Entries with external edits recorded after an instant; their files may have been saved before it. */
async function editedAfter(sql: Sql, at: string): Promise<string[]> {
  const edits = "changes c JOIN versions v ON v.number = c.number WHERE c.at > ? AND c.origin_by = 'hand'"
  const rows = await sql.all(`SELECT v.id FROM ${edits}`, [at])
  return rows.map(({ id }) => String(id))
}

export async function readGone(sql: Sql, { scopes, kinds, called }: GoneFilter): Promise<Entry[]> {
  const conditions = ['entry IS NULL']
  const values: SqlValue[] = []
  const addIn = (column: string, list: readonly string[] | undefined): void => {
    if (list) conditions.push(`${column} IN (${placeholders(list.length)})`)
    values.push(...(list ?? []))
  }
  const named = called === undefined ? [] : await sql.all('SELECT DISTINCT id FROM names WHERE name = ?', [called])
  addIn('id', called === undefined ? undefined : [called, ...named.map(({ id }) => String(id))])
  addIn('scope', scopes)
  addIn('kind', kinds)
  const removed = await sql.all(`SELECT DISTINCT id FROM versions WHERE ${conditions.join(' AND ')}`, values)
  const found: { entry: Entry; number: number; position: number }[] = []
  const lastTwo = 'SELECT * FROM versions WHERE id = ? ORDER BY number DESC LIMIT 2'
  const pairs = await Promise.all(removed.map(({ id }) => sql.all(lastTwo, [id ?? null])))
  for (const [removal, before] of pairs) {
    const entry = removal && before && parseVersion(removal) === undefined ? parseVersion(before) : undefined
    if (!entry || !(scopes?.includes(entry.scope) ?? true) || !(kinds?.includes(entry.kind) ?? true)) continue
    found.push({ entry, number: Number(removal?.['number']), position: Number(removal?.['position']) })
  }
  return found.sort((a, b) => b.number - a.number || b.position - a.position).map(({ entry }) => entry)
}

export async function* recordedChanges(sql: Sql): AsyncGenerator<Recorded> {
  for (let after = 0; ; ) {
    const rows = await sql.all(`SELECT number FROM changes WHERE number > ? ORDER BY number LIMIT ${PAGE}`, [after])
    const numbers = rows.map(({ number }) => Number(number))
    yield* await readRecorded(sql, numbers)
    if (rows.length < PAGE) return
    after = numbers.at(-1) ?? after
  }
}

/** The state before the oldest kept change. */
export async function readBaseEntries(sql: Sql): Promise<Entry[]> {
  const statement = 'SELECT * FROM versions WHERE number < ? ORDER BY number, position'
  const rows = await sql.all(statement, [await firstNumber(sql)])
  return rows.flatMap((row) => parseVersion(row) ?? [])
}

const DAY_MS = 86_400_000
const MIN_RETENTION_DAYS = 30

/** Set by a role that can't see every row, for the next one that can. */
const RETENTION_DUE = 'retention'

export async function isRetentionDue(sql: Sql): Promise<boolean> {
  return (await readSetting(sql, RETENTION_DUE)) !== undefined && !(await sql.hidesRows?.())
}

type Limits = Pick<Settings, 'retentionDays' | 'retentionMb'>

/** Deletes changes older than `retentionDays`, and those beyond `retentionMb` if they are older than 30 days. */
export async function applyRetention(sql: Sql, { retentionDays, retentionMb }: Limits, nowMs: number): Promise<void> {
  if (await sql.hidesRows?.()) return writeSetting(sql, RETENTION_DUE, 'yes')
  await sql.run('DELETE FROM settings WHERE key = ?', [RETENTION_DUE])
  const kept = await firstNumberSince(sql, nowMs - retentionDays * DAY_MS)
  const firstRecent = await firstNumberSince(sql, nowMs - MIN_RETENTION_DAYS * DAY_MS)
  await deleteChangesUpTo(sql, Math.max(kept, await firstWithin(sql, firstRecent, retentionMb * 1024 ** 2)) - 1)
}

/** Ordered by number, not time: a clock may be set back. */
function firstNumberSince(sql: Sql, ms: number): Promise<number> {
  return firstNumber(sql, 'WHERE at >= ?', [new Date(Math.max(0, ms)).toISOString()])
}

/** The oldest change such that the states from it on take at most `maxBytes`; at most `firstRecent`. */
async function firstWithin(sql: Sql, firstRecent: number, maxBytes: number): Promise<number> {
  const first = await firstNumber(sql)
  if (firstRecent <= first) return first
  const total = 'sum(coalesce(octet_length(entry), 0)) OVER (ORDER BY number DESC) AS bytes'
  const statement = `SELECT max(number) AS number FROM (SELECT number, ${total} FROM versions WHERE number >= ?) AS sizes WHERE bytes > ?`
  const row = await queryOne(sql, statement, [first, maxBytes])
  return Math.min(firstRecent, Number(row?.['number'] ?? first - 1) + 1)
}

/** Deletes the changes up to `cut`; the state after it becomes the base of the rest. */
export async function deleteChangesUpTo(sql: Sql, cut: number): Promise<void> {
  const last = await queryOne(sql, 'SELECT at FROM changes WHERE number <= ? ORDER BY number DESC LIMIT 1', [cut])
  if (!last) return
  const changed = 'SELECT id FROM versions WHERE number >= ? AND number <= ?'
  const later = 'SELECT 1 FROM versions v WHERE v.id = versions.id AND v.number > versions.number AND v.number <= ?'
  const statement = `DELETE FROM versions WHERE number <= ? AND id IN (${changed}) AND (entry IS NULL OR EXISTS (${later}))`
  await sql.run(statement, [cut, await firstNumber(sql), cut, cut])
  await sql.run('DELETE FROM names WHERE NOT EXISTS (SELECT 1 FROM versions WHERE versions.id = names.id)')
  for (const table of ['changes', 'change_scopes', 'reverts']) {
    await sql.run(`DELETE FROM ${table} WHERE number <= ?`, [cut])
  }
  await writeSetting(sql, 'since', String(last['at']))
}
