/** The engine's database interface on two plain connections, for tests of single parts of the engine. Writes run one by one. */
import { Client, types } from 'pg'
import { type ColumnType, schemaStatements, writeCounters } from '../../src/stores/engine/schema.ts'
import type { Database, Row, Sql, SqlValue } from '../../src/stores/engine/sql.ts'
import { vectorStatements } from '../../src/stores/engine/vector-table.ts'
import { afterThisFile } from '../clean-up.ts'

const TYPES: Readonly<Record<ColumnType, string>> = { text: 'text', integer: 'bigint', bytes: 'bytea' }
const INT8 = 20
/** Writers of a memory take turns. */
const LOCK = "SELECT 1 FROM settings WHERE key = 'last' FOR UPDATE"
/** `purge` uses a function that SQLite has. */
const HELPER = "CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql AS 'SELECT strpos($1, $2)'"

interface Statement {
  readonly statement: string
  readonly values: readonly SqlValue[]
}

export interface AdaptedDatabase extends Database {
  /** What was read and written since the last call. */
  takeStatements(): readonly Statement[]
}

export async function createTables(url: string): Promise<void> {
  const sql = sqlOn(await connect(url))
  for (const statement of [HELPER, ...schemaStatements(TYPES), ...vectorStatements(TYPES)]) await sql.run(statement)
  await writeCounters(sql, { number: 0, nextSeq: 1 })
}

export async function adaptDatabase(url: string): Promise<AdaptedDatabase> {
  const statements: Statement[] = []
  const [reader, writer] = await Promise.all([connect(url), connect(url)])
  let lastRead: Promise<unknown> = Promise.resolve()
  let lastJob: Promise<unknown> = Promise.resolve()
  async function inTransaction<T>(client: Client, begin: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    await client.query(begin)
    try {
      const result = await work(sqlOn(client, (statement) => statements.push(statement)))
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    }
  }
  return {
    path: 'postgres',
    exists: async () => true,
    read(work, signal) {
      signal?.throwIfAborted()
      const read = lastRead.then(() => inTransaction(reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work))
      lastRead = read.catch(() => undefined)
      return read
    },
    enqueue(job) {
      const runLocked = async (sql: Sql): Promise<() => void> => {
        await sql.run(LOCK)
        return job.run(sql)
      }
      lastJob = lastJob
        .then(() => inTransaction(writer, 'BEGIN', runLocked))
        .then(
          (onCommit) => onCommit(),
          (error) => job.reject(error),
        )
    },
    vacuum: async () => [],
    snapshot: () => Promise.reject(new Error('not here')),
    watch: () => () => undefined,
    close: async () => undefined,
    takeStatements: () => statements.splice(0),
  }
}

function sqlOn(client: Client, record: (statement: Statement) => void = () => undefined): Sql {
  const all: Sql['all'] = async (statement, values = []) => {
    record({ statement, values })
    let count = 0
    const text = statement.replace(/\?/g, () => `$${++count}`)
    return (await client.query<Row>(text, [...values])).rows
  }
  return { all, run: async (...asked) => void (await all(...asked)) }
}

async function connect(connectionString: string): Promise<Client> {
  const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')
  const client = new Client({ connectionString, types: { getTypeParser } })
  client.on('error', () => undefined)
  await client.connect()
  afterThisFile(() => client.end().catch(() => undefined))
  return client
}
