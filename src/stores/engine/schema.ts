/** The tables, described once: the schema, the inserts and the checks come from this. People read them with `sqlite3`. */
import { isCount } from '../../codec/head-shape.ts'
import { DamagedError } from '../../errors.ts'
import { type Counters, placeholders, type Row, rowChecksum, type Sql, type SqlValue } from './sql.ts'

export const SCHEMA_VERSION = 1
/** Longer bytes are divided among rows. */
export const MAX_ROW_BYTES: number = 256 * 1024

export type ColumnType = 'text' | 'integer' | 'bytes'

export type TableName = 'settings' | 'entries' | 'names' | HistoryTable | 'transcripts' | 'files' | MoreTables
type MoreTables = 'derived' | 'leases' | 'backups'
type HistoryTable = 'changes' | 'change_scopes' | 'reverts' | 'versions'

/** The primary key, then the columns: text unless the type is given, never NULL unless marked with `?`. */
const DEFINITIONS: Readonly<Record<TableName, readonly string[]>> = {
  /** On one page: what the memory was made with, `last` (the last change, the next seq), `file`, `epoch`, `since`, `vacuum`, `retention`, `written`. */
  settings: ['key', 'key value'],
  entries: [
    'id',
    'id seq:integer scope kind name? key? aliases description content metadata created_at updated_at expires_at?',
    'origin_by origin_agent? origin_session? revision',
  ],
  /** Every name and alias that an entry has, or (`current` 0) once had. */
  names: ['name scope id', 'name scope id seq:integer current:integer'],
  changes: ['number', 'number:integer at origin_by origin_agent? origin_session? operations extra?'],
  change_scopes: ['scope number', 'scope number:integer'],
  reverts: ['reverted number', 'reverted:integer number:integer'],
  /** Every state of an entry; NULL where it was removed. With a number below the first change: the state where the history begins. */
  versions: ['id number', 'id number:integer position:integer scope kind entry?'],
  transcripts: ['scope key start', 'scope key start:integer bytes:bytes'],
  /** Documents, and files of a folder whose bytes can't be rebuilt from the entries. */
  files: ['path', 'path bytes:bytes entries'],
  derived: ['key part', 'key part:integer bytes:bytes'],
  leases: ['name', 'name holder until_ms:integer'],
  backups: ['path', 'path'],
}

const TABLES = Object.fromEntries(
  Object.entries(DEFINITIONS).map(([name, [key = '', ...columns]]) => [name, parseTable(name, key, columns.join(' '))]),
) as Readonly<Record<TableName, ReturnType<typeof parseTable>>> // the same names

function parseTable(table: string, key: string, text: string) {
  const columns = text.split(' ').map((column) => {
    const [name = '', type = 'text'] = column.split(':') as [string, ColumnType?] // as above
    return { name: name.replace('?', ''), type, isNullable: name.endsWith('?') }
  })
  const all = [...columns.map(({ name }) => name), 'checksum']
  const updates = all.filter((name) => !key.split(' ').includes(name)).map((name) => `${name} = excluded.${name}`)
  const keyList = key.replaceAll(' ', ', ')
  const insert = `INSERT INTO ${table} (${all.join(', ')}) VALUES (${placeholders(all.length)})`
  return {
    columns,
    key: keyList,
    insert,
    upsert: `${insert} ON CONFLICT (${keyList}) DO UPDATE SET ${updates.join(', ')}`,
  }
}

export const TABLE_NAMES: readonly TableName[] = Object.keys(TABLES) as TableName[] // the keys of this very object

export function listKeyColumns(table: TableName): readonly string[] {
  return TABLES[table].key.split(', ')
}

const INDEXES = [
  'CREATE UNIQUE INDEX entries_by_seq ON entries (seq)',
  'CREATE INDEX entries_by_scope ON entries (scope, seq)',
  'CREATE INDEX entries_by_key ON entries (scope, key, seq) WHERE key IS NOT NULL',
  'CREATE INDEX names_by_id ON names (id)',
  'CREATE INDEX changes_by_time ON changes (at)',
  'CREATE INDEX changes_by_origin ON changes (origin_by, number)',
  'CREATE INDEX changes_by_agent ON changes (origin_agent, number) WHERE origin_agent IS NOT NULL',
  'CREATE INDEX changes_by_session ON changes (origin_session, number) WHERE origin_session IS NOT NULL',
  'CREATE INDEX versions_by_number ON versions (number, position)',
  'CREATE INDEX removals ON versions (scope, kind, number) WHERE entry IS NULL',
]

/** `typeNames`: the dialect's names of the types. `suffix`: appended to each CREATE TABLE. */
export function schemaStatements(typeNames: Readonly<Record<ColumnType, string>>, suffix = ''): string[] {
  const tables = Object.entries(TABLES).map(([name, { columns, key }]) => {
    const lines = columns.map(
      ({ name, type, isNullable }) => `${name} ${typeNames[type]}${isNullable ? '' : ' NOT NULL'}`,
    )
    const all = [...lines, `checksum ${typeNames.integer} NOT NULL`, `PRIMARY KEY (${key})`]
    return `CREATE TABLE ${name} (\n  ${all.join(',\n  ')}\n)${suffix}`
  })
  return [...tables, ...INDEXES]
}

/** Inserts a row with its checksum. */
export function insert(sql: Sql, table: TableName, row: Row): Promise<void> {
  return sql.run(TABLES[table].insert, rowValues(table, row))
}

/** Inserts a row, or replaces the one with the same key. */
export function upsert(sql: Sql, table: TableName, row: Row): Promise<void> {
  return sql.run(TABLES[table].upsert, rowValues(table, row))
}

function rowValues(table: TableName, row: Row): SqlValue[] {
  const values = TABLES[table].columns.map(({ name }) => row[name] ?? null)
  return [...values, rowChecksum(values)]
}

/** Whether a row has its checksum, and values of the right types. */
export function isIntact(table: TableName, row: Row): boolean {
  const { columns } = TABLES[table]
  const values = columns.map(({ name }) => row[name] ?? null)
  const isTyped = columns.every(
    ({ type, isNullable }, n) => hasType(values[n], type) || (isNullable && values[n] === null),
  )
  return isTyped && row['checksum'] === rowChecksum(values)
}

function hasType(value: SqlValue | undefined, type: ColumnType): boolean {
  if (type === 'bytes') return value instanceof Uint8Array
  return type === 'text' ? typeof value === 'string' : Number.isSafeInteger(value)
}

/** Parses a JSON column. The file may be untrusted. */
export function parseJson(text: SqlValue | undefined, what: string): unknown {
  try {
    return JSON.parse(String(text))
  } catch (cause) {
    throw damagedRow(what, cause)
  }
}

export function damagedRow(what: string, cause?: unknown): DamagedError {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  const hint = 'The rest can still be read. Restore a backup, or run: keepsake doctor'
  return new DamagedError(what, `its row is damaged${reason}`, hint)
}

export async function readSetting(sql: Sql, key: string): Promise<string | undefined> {
  const [row] = await sql.all('SELECT value FROM settings WHERE key = ?', [key])
  return row && String(row['value'])
}

export async function writeSetting(sql: Sql, key: string, value: string): Promise<void> {
  await upsert(sql, 'settings', { key, value })
}

/** For transactions that change no other setting: a `-wal` must have the page with the id of its file. */
export function markWritten(sql: Sql): Promise<void> {
  return writeSetting(sql, 'written', crypto.randomUUID())
}

export async function readCounters(sql: Sql): Promise<Counters> {
  if (sql.counters) return sql.counters
  const counters = parseCounters(await readSetting(sql, 'last'))
  if ('counters' in sql) sql.counters = counters
  return counters
}

/** The value of `last`. */
export function parseCounters(value: SqlValue | undefined): Counters {
  if (value === undefined) return { number: 0, nextSeq: 1 }
  const { number, nextSeq } = Object(parseJson(value, 'the number of the last change'))
  if (!isCount(number) || !isCount(nextSeq)) throw damagedRow('the number of the last change')
  return { number, nextSeq }
}

export function writeCounters(sql: Sql, { number, nextSeq }: Counters): Promise<void> {
  if ('counters' in sql) sql.counters = { number, nextSeq }
  return writeSetting(sql, 'last', JSON.stringify({ number, nextSeq }))
}
