/** Finds, creates and migrates the schema of a memory on PostgreSQL. */
import { ForeignError, KeepsakeError, NewerError } from '../../errors.ts'
import { type PostgresPlace, postgresAddress } from '../../model/postgres-address.ts'
import type { PostgresTransaction } from './postgres.ts'
import { hasSqlState } from './postgres-errors.ts'
import { readSetting, schemaStatements, writeCounters, writeSetting } from './schema.ts'
import { queryOne, type Sql } from './sql.ts'
import { vectorStatements } from './vector-table.ts'

/** What each version adds to the one before it; the first one creates the tables. Texts compare by their bytes, as in SQLite. */
const TYPES = { text: 'text COLLATE "C"', integer: 'bigint', bytes: 'bytea' }
const MIGRATIONS: readonly (readonly string[])[] = [[...schemaStatements(TYPES), ...vectorStatements(TYPES)]]
const VERSION_KEY = 'schema'

export interface FoundMemory {
  /** The value of `settings`. */
  readonly settings: string
  readonly isOlder: boolean
}

/** `undefined`: there is no memory. Throws if the schema is hidden, is used by another program, or is newer. */
export async function findMemory(sql: Sql, place: PostgresPlace): Promise<FoundMemory | undefined> {
  const statement = `SELECT
    current_setting('server_encoding') AS encoding,
    CASE WHEN n.oid IS NULL THEN NULL WHEN has_schema_privilege(n.oid, 'USAGE') THEN 1 ELSE 0 END AS usable,
    (SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'v', 'm', 'p', 'f')) AS tables,
    (SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname IN ('settings', 'change_scopes')) AS ours
    FROM (SELECT 1) one LEFT JOIN pg_namespace n ON n.nspname = ?`
  const found = await queryOne(sql, statement, [place.schema])
  if (found?.['encoding'] !== 'UTF8') throw encodingError(place, String(found?.['encoding']))
  if (found['usable'] === 0) throw hiddenError(place)
  if (found['usable'] === null || found['tables'] === 0) return undefined
  if (found['ours'] !== 2) {
    throw new ForeignError(`${postgresAddress(place)}, schema ${place.schema}`, 'it has tables, but no memory')
  }
  const [settings, version] = await Promise.all([readSetting(sql, 'settings'), readSetting(sql, VERSION_KEY)])
  if (Number(version) > MIGRATIONS.length)
    throw new NewerError(postgresAddress(place), Number(version), MIGRATIONS.length)
  if (settings === undefined) throw new ForeignError(postgresAddress(place), 'its settings are missing')
  return { settings, isOlder: Number(version) < MIGRATIONS.length }
}

/** Creates the schema and its tables in the open transaction; `false` if another process was first. */
export async function createMemory(
  sql: PostgresTransaction,
  place: PostgresPlace,
  initialize: (sql: Sql) => Promise<void>,
): Promise<boolean> {
  await sql.all('SELECT pg_advisory_xact_lock(hashtext(?))', [`keepsake ${place.schema}`])
  if ((await findMemory(sql, place)) !== undefined) return false
  try {
    const existing = await sql.all('SELECT 1 FROM pg_namespace WHERE nspname = ?', [place.schema])
    // Checked first: a role may use a schema that was made for it, and not be allowed to create one.
    if (existing.length === 0) await sql.all(`CREATE SCHEMA ${place.schema}`)
    for (const statement of MIGRATIONS.flat()) sql.exec(statement)
    await writeSetting(sql, VERSION_KEY, String(MIGRATIONS.length))
    await initialize(sql)
    // The row that writers lock.
    if ((await readSetting(sql, 'last')) === undefined) await writeCounters(sql, { number: 0, nextSeq: 1 })
  } catch (error) {
    throw hasSqlState(error, '42501') ? createDeniedError(place, error) : error
  }
  return true
}

/** Upgrades the tables of an older version, in the open transaction. */
export async function migrate(sql: PostgresTransaction): Promise<void> {
  sql.lock()
  const version = Number(await readSetting(sql, VERSION_KEY))
  for (const statement of MIGRATIONS.slice(version).flat()) await sql.run(statement)
  if (version < MIGRATIONS.length) await writeSetting(sql, VERSION_KEY, String(MIGRATIONS.length))
}

function encodingError(place: PostgresPlace, encoding: string): KeepsakeError {
  return new KeepsakeError('UNSUPPORTED', `${postgresAddress(place)}: the database has the encoding ${encoding}`, {
    hint: `Create one that has UTF8: createdb --encoding=UTF8 --template=template0 NAME`,
  })
}

function hiddenError(place: PostgresPlace): KeepsakeError {
  return new KeepsakeError('NOT_FOUND', `${postgresAddress(place)}: this role can't see a schema "${place.schema}"`, {
    hint: `Check the name, or ask its owner to run: GRANT USAGE ON SCHEMA ${place.schema} TO …`,
    data: { schema: place.schema },
  })
}

function createDeniedError(place: PostgresPlace, cause: unknown): KeepsakeError {
  const { database, schema, user = 'this role' } = place
  return new KeepsakeError('READ_ONLY', `${postgresAddress(place)}: ${user} may not create the schema ${schema}`, {
    hint: `Ask the owner of the database to run: CREATE SCHEMA ${schema} AUTHORIZATION ${place.user ?? '…'}; or: GRANT CREATE ON DATABASE ${database} TO ${place.user ?? '…'}`,
    data: { schema },
    cause,
  })
}
