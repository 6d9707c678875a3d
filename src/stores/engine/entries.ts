/** The current entries: rows to entries and back, and which entry has which name. */
import { isHead } from '../../codec/head-shape.ts'
import { handlesOf, keyHandle } from '../../model/draft.ts'
import type { Entry, EntryHead, Origin, Scope } from '../../model/entry.ts'
import type { LookupRequest, LookupResult } from '../../model/plan-batch.ts'
import { isTooDeep } from '../../model/redaction.ts'
import type { ScanFilter } from '../../ports/store.ts'
import { damagedRow, insert, isIntact, parseJson, upsert } from './schema.ts'
import { type Database, placeholders, queryIn, type Row, type Sql, type SqlValue } from './sql.ts'

const META_COLUMNS =
  'id, seq, scope, kind, name, key, aliases, description, metadata, created_at, updated_at, expires_at, origin_by, origin_agent, origin_session, revision'
const PAGE_ROWS = 500

export async function putEntry(sql: Sql, entry: Entry): Promise<void> {
  const { id, seq, scope, kind, name, key, aliases, description, content, metadata, origin, revision } = entry
  await insert(sql, 'entries', {
    id,
    seq,
    scope,
    kind,
    name,
    key: key ?? null,
    aliases: JSON.stringify(aliases),
    description,
    content,
    metadata: JSON.stringify(metadata),
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
    expires_at: entry.expiresAt,
    ...originRow(origin),
    revision,
  })
  await putNames(sql, entry, true)
}

/** Its names stay, as former names. */
export async function deleteEntry(sql: Sql, entry: Entry): Promise<void> {
  await sql.run('DELETE FROM entries WHERE id = ?', [entry.id])
  await putNames(sql, entry, false)
}

export async function putNames(sql: Sql, entry: Entry, isCurrent: boolean): Promise<void> {
  const { id, scope, seq } = entry
  for (const name of listNames(entry)) await upsert(sql, 'names', { name, scope, id, seq, current: Number(isCurrent) })
}

/** Context entries are found by their key, which is a column. */
export function listNames(entry: Entry): readonly string[] {
  return entry.name === null ? [] : handlesOf(entry)
}

export async function getEntry(sql: Sql, id: string): Promise<Entry | undefined> {
  const [row] = await sql.all('SELECT * FROM entries WHERE id = ?', [id])
  return row && parseEntry(row)
}

/** If several entries claim a name, as external edits can do, the oldest. */
export async function resolveEntry(sql: Sql, scope: Scope, handle: string): Promise<Entry | undefined> {
  const owner = ownerStatement(handle, 'id', '?')
  const statement = `SELECT * FROM entries WHERE id = (${owner} LIMIT 1)`
  const [row] = await sql.all(statement, [handle.replace(KEY_PREFIX, ''), scope])
  return row && parseEntry(row)
}

const KEY_PREFIX = keyHandle('')

function ownerStatement(handle: string, columns: string, list: string): string {
  return handle.startsWith(KEY_PREFIX)
    ? `SELECT ${columns} FROM entries WHERE key IN (${list}) AND scope = ? ORDER BY seq`
    : `SELECT ${columns} FROM names WHERE name IN (${list}) AND scope = ? AND current = 1 ORDER BY seq`
}

/** Reads in pages, so that not all entries are in memory. Each page is of one moment. */
export async function* scanEntries(read: Database['read'], filter: ScanFilter): AsyncGenerator<Entry> {
  if (filter.ids) return yield* await read((sql) => scanAll(sql, filter))
  for (let after = 0; ; ) {
    const page = await read((sql) => filteredRows(sql, '*', filter, { after, limit: PAGE_ROWS }))
    for (const row of page) yield parseEntry(row)
    const last = page.at(-1)
    if (page.length < PAGE_ROWS || !last) return
    after = Number(last['seq'])
  }
}

export async function listEntries(sql: Sql, filter: ScanFilter): Promise<EntryHead[]> {
  return (await filteredRows(sql, META_COLUMNS, filter)).map(parseEntryMeta)
}

/** Looks up one scope after the other in the index, because each has many entries. */
export async function listScopes(sql: Sql): Promise<Scope[]> {
  const next = 'SELECT min(scope) AS scope FROM entries'
  const rows = await sql.all(`WITH RECURSIVE found AS (${next} UNION ALL
    SELECT (${next} WHERE entries.scope > found.scope) FROM found WHERE found.scope IS NOT NULL)
    SELECT scope FROM found WHERE scope IS NOT NULL`)
  return rows.map(({ scope }) => String(scope))
}

export async function scanAll(sql: Sql, filter: ScanFilter): Promise<Entry[]> {
  return (await filteredRows(sql, '*', filter)).map(parseEntry)
}

async function filteredRows(
  sql: Sql,
  columns: string,
  { ids, scopes, kinds, since, until }: ScanFilter,
  { after = 0, limit = -1 }: { readonly after?: number; readonly limit?: number } = {},
): Promise<readonly Row[]> {
  const conditions = ['seq > ?']
  const values: SqlValue[] = [after]
  const add = (condition: string, ...more: readonly string[]): void => {
    conditions.push(condition)
    values.push(...more)
  }
  if (scopes) add(`scope IN (${placeholders(scopes.length)})`, ...scopes)
  if (kinds) add(`kind IN (${placeholders(kinds.length)})`, ...kinds)
  if (since !== undefined) add('created_at >= ?', since)
  if (until !== undefined) add('created_at < ?', until)
  const select = (more: string): string =>
    `SELECT ${columns} FROM entries WHERE ${more}${conditions.join(' AND ')} ORDER BY seq`
  if (!ids) return sql.all(limit < 0 ? select('') : `${select('')} LIMIT ${limit}`, values)
  const rows = await queryIn(sql, ids, (list) => select(`id IN (${list}) AND `), values)
  return rows.sort((a, b) => Number(a['seq']) - Number(b['seq']))
}

function parseEntryMeta(row: Row): EntryHead {
  const { name, key, expires_at } = row
  const what = `the entry ${row['id']}`
  return checkedEntry({
    id: String(row['id']),
    seq: Number(row['seq']),
    revision: String(row['revision']),
    scope: String(row['scope']),
    kind: row['kind'] as EntryHead['kind'], // as putEntry wrote it
    name: name as string | null,
    ...(key === null ? {} : { key: String(key) }),
    aliases: parseJson(row['aliases'], what) as EntryHead['aliases'], // validated below
    description: String(row['description']),
    metadata: parseJson(row['metadata'], what) as EntryHead['metadata'], // validated below
    createdAt: String(row['created_at']),
    updatedAt: String(row['updated_at']),
    expiresAt: expires_at as string | null,
    origin: parseOrigin(row),
  })
}

export function originRow({ by, agent, session }: Origin): Row {
  return { origin_by: by, origin_agent: agent ?? null, origin_session: session ?? null }
}

export function parseOrigin({ origin_by, origin_agent, origin_session }: Row): Origin {
  return {
    by: origin_by as Origin['by'], // checked with the entry or the change
    ...(origin_agent === null ? {} : { agent: String(origin_agent) }),
    ...(origin_session === null ? {} : { session: String(origin_session) }),
  }
}

/** A malicious file can have valid checksums. */
export function checkedEntry<T extends EntryHead>(entry: T): T {
  if (isHead(entry) && !isTooDeep(entry.metadata)) return entry
  throw damagedRow(`the entry ${String((entry as { id?: unknown } | null)?.id)}`) // a file may say anything
}

export function parseEntry(row: Row): Entry {
  if (!isIntact('entries', row)) throw damagedRow(`the entry ${row['id']}`)
  return { ...parseEntryMeta(row), content: String(row['content']) }
}

/** What planning a batch asks for. If several entries claim a name, the oldest comes last, and counts. */
export async function loadForPlanning(sql: Sql, { ids, handles, seqs }: LookupRequest): Promise<LookupResult> {
  const byId = (list: string): string => `SELECT * FROM entries WHERE id IN (${list})`
  const entries = (await queryIn(sql, ids, byId)).map(parseEntry)
  const owners: [Scope, string, string][] = []
  for (const [scope, wanted] of handles) {
    for (const mark of ['', KEY_PREFIX]) {
      const some = [...wanted].filter((handle) => handle.startsWith(KEY_PREFIX) === (mark !== ''))
      const plain = some.map((handle) => handle.slice(mark.length))
      const rows = await queryIn(
        sql,
        plain,
        (list) => ownerStatement(mark, mark === '' ? 'id, name' : 'id, key AS name', list),
        [scope],
      )
      for (const { name, id } of rows.reverse()) owners.push([scope, `${mark}${name}`, String(id)])
    }
  }
  const holders = await queryIn(sql, seqs, (list) => `SELECT seq, id FROM entries WHERE seq IN (${list})`)
  return { entries, owners, seqs: holders.map(({ seq, id }) => [Number(seq), String(id)]) }
}
