/** A database in the schema `public` that records what is read. */
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import { initTables } from '../../src/stores/engine/image.ts'
import { PostgresDatabase } from '../../src/stores/engine/postgres-database.ts'
import { type Database, type Sql, write } from '../../src/stores/engine/sql.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { afterThisFile } from '../clean-up.ts'

interface Statement {
  readonly statement: string
  readonly values: readonly unknown[]
}

export interface RecordedDatabase extends Database {
  /** What was read since the last call. */
  takeStatements(): readonly Statement[]
}

export function recordedDatabase(url: string): RecordedDatabase {
  const place = { ...parsePostgresAddress(url), schema: 'public' }
  const initialize = async (sql: Sql): Promise<void> => initTables(sql, await memoryStore().settings())
  const database = new PostgresDatabase({ place, lockMs: 10_000, requestMs: 10_000, initialize })
  afterThisFile(() => database.close())
  const statements: Statement[] = []
  const recording = (sql: Sql): Sql => ({
    positionFunction: sql.positionFunction,
    run: (statement, values) => sql.run(statement, values),
    all(statement, values = []) {
      statements.push({ statement, values })
      return sql.all(statement, values)
    },
  })
  return {
    path: database.path,
    exists: (signal) => database.exists(signal),
    read: (work, signal) => database.read((sql) => work(recording(sql)), signal),
    enqueue: (job) => database.enqueue(job),
    vacuum: () => database.vacuum(),
    snapshot: (work, signal) => database.snapshot(work, signal),
    watch: (changed) => database.watch(changed),
    close: () => database.close(),
    takeStatements: () => statements.splice(0),
  }
}

export async function createTables(database: Database): Promise<void> {
  await write(database, async () => undefined)
}
