/** The engine's database interface on two plain connections, for tests of single parts of the engine. The writes run one by one. */
import { Client, types } from 'pg'
import { type ColumnType, schemaStatements } from '../../src/stores/engine/schema.ts'
import type { Database, Job, Row, Sql, SqlValue } from '../../src/stores/engine/sql.ts'
import { vectorStatements } from '../../src/stores/engine/vector-table.ts'
import { afterThisFile } from '../clean-up.ts'

const TYPES: Readonly<Record<ColumnType, string>> = { text: 'text', integer: 'bigint', bytes: 'bytea' }
const INT8 = 20

export interface AdaptedDatabase extends Database {
  /** What was read and written, since the last call. */
  takeStatements(): readonly { readonly statement: string; readonly values: readonly SqlValue[] }[]
}

export async function adaptDatabase(url: string): Promise<AdaptedDatabase> {
  let statements: { statement: string; values: readonly SqlValue[] }[] = []
  const [reader, writer] = await Promise.all([connect(url), connect(url)])
  const inTransaction = async <T>(client: Client, begin: string, work: (sql: Sql) => Promise<T>): Promise<T> => {
    await client.query(begin)
    try {
      const result = await work(sqlOn(client))
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    }
  }
  const sqlOn = (client: Client): Sql => {
    const all: Sql['all'] = async (statement, values = []) => {
      statements.push({ statement, values })
      let count = 0
      const text = statement.replace(/\?/g, () => `$${++count}`)
      return (await client.query<Row>(text, [...values])).rows
    }
    return { all, run: async (...asked) => void (await all(...asked)) }
  }
  let [lastRead, lastJob]: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()]
  return {
    path: 'postgres',
    exists: async () => true,
    read(work, signal) {
      signal?.throwIfAborted()
      const read = (lastRead ?? Promise.resolve()).then(() =>
        inTransaction(reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
      )
      lastRead = read.catch(() => undefined)
      return read
    },
    enqueue(job: Job) {
      const done = (lastJob ?? Promise.resolve()).then(() => inTransaction(writer, 'BEGIN', (sql) => job.run(sql)))
      lastJob = done.then(
        (onCommit) => onCommit(),
        (error) => job.reject(error),
      )
    },
    vacuum: async () => [],
    snapshot: () => Promise.reject(new Error('not here')),
    watch: () => () => undefined,
    close: async () => undefined,
    takeStatements() {
      const taken = statements
      statements = []
      return taken
    },
  }
}

/** `purge` uses a function that SQLite has. */
export async function createTables(database: Database): Promise<void> {
  const helper = "CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql AS 'SELECT strpos($1, $2)'"
  await new Promise<void>((resolve, reject) => {
    const run = async (sql: Sql): Promise<() => void> => {
      for (const statement of [helper, ...schemaStatements(TYPES), ...vectorStatements(TYPES)]) await sql.run(statement)
      return resolve
    }
    database.enqueue({ bytes: 0, run, reject })
  })
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
