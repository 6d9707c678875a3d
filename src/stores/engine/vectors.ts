/**
 * The vectors of entries in a PostgreSQL database. pgvector searches them if the database has it, else this process (vector-search.ts).
 * Both are exact, and use the same table (vector-table.ts).
 */
import { KeepsakeError } from '../../errors.ts'
import type { NativeVectors, ReadVectors, VectorModel, VectorStatus } from '../../ports/vectors.ts'
import { parseEntry } from './entries.ts'
import { type Database, refuseHiddenRows, type Sql, write } from './sql.ts'
import { ExactScan, nearestByPgvector, Pgvector } from './vector-search.ts'
import {
  FIRST_ROW,
  putVectors,
  readVectorState,
  readVectorStatus,
  readVectors,
  writeVectorState,
} from './vector-table.ts'

/** Entries whose vectors are read by one statement. */
const PAGE_ENTRIES = 1000

export function sqlVectors(database: Database): NativeVectors {
  const pgvector = new Pgvector(database)
  const scan = new ExactScan(database)
  let cached: { readonly version: string; readonly byScopes: Map<string, VectorStatus> } | undefined

  return {
    async describe(options) {
      const found = await pgvector.find(options)
      return 'problem' in found ? `Keepsake's exact scan: ${found.problem}` : `pgvector ${found.version}`
    },

    status: (scopes, { signal } = {}) =>
      database.read(async (sql) => {
        const { model, version } = await readVectorState(sql)
        if (cached?.version !== version) cached = { version, byScopes: new Map() }
        const { byScopes } = cached
        const key = JSON.stringify(scopes)
        const status = byScopes.get(key) ?? { ...(model ? { model } : {}), ...(await readVectorStatus(sql, scopes)) }
        byScopes.set(key, status)
        return status
      }, signal),

    async reset(model, { signal } = {}) {
      const work = async (sql: Sql): Promise<void> => {
        await refuseHiddenRows(sql, database.path, 'Starting the vectors over')
        const { model: before } = await readVectorState(sql)
        const mayReuse = isComparable(before, model) && before?.pieces !== model.pieces
        await sql.run(mayReuse ? "UPDATE vectors SET revision = ''" : 'DELETE FROM vectors')
        await writeVectorState(sql, model, crypto.randomUUID())
      }
      await write(database, work, { signal })
    },

    pending: (afterSeq, limit, { signal } = {}) =>
      database.read(async (sql) => {
        const current = `SELECT FROM vectors v WHERE v.id = e.id AND ${FIRST_ROW} AND v.revision = e.revision`
        const condition = `e.seq > ? AND NOT EXISTS (${current})`
        const rows = await sql.all(`SELECT e.* FROM entries e WHERE ${condition} ORDER BY e.seq LIMIT ?`, [
          afterSeq,
          limit,
        ])
        return rows.map(parseEntry)
      }, signal),

    async put(vectors, { model, signal }) {
      const work = async (sql: Sql): Promise<void> => {
        const present = await readVectorState(sql)
        const isSame = isComparable(present.model, model) && present.model?.pieces === model.pieces
        if (!isSame) throw modelChangedError(present.model, model)
        await putVectors(sql, vectors)
        await writeVectorState(sql, model, present.set)
      }
      const pieces = vectors.reduce((sum, each) => sum + each.pieces.length, 0)
      await write(database, work, { bytes: pieces * model.dimensions * 4, signal })
    },

    async prune({ signal } = {}) {
      const gone = 'NOT EXISTS (SELECT FROM entries e WHERE e.id = v.id)'
      await write(database, (sql) => sql.run(`DELETE FROM vectors v WHERE ${gone}`), { signal })
    },

    async read(ids, { signal } = {}) {
      const found = new Map<string, ReadVectors>()
      for (let from = 0; from < ids.length; from += PAGE_ENTRIES) {
        const page = ids.slice(from, from + PAGE_ENTRIES)
        for (const [id, vectors] of await database.read((sql) => readVectors(sql, page), signal)) found.set(id, vectors)
      }
      return found
    },

    async nearest(query, request) {
      const found = await pgvector.find(request)
      if ('problem' in found) return scan.nearest(query, request)
      try {
        return await database.read((sql) => nearestByPgvector(sql, found.schema, query, request), request.signal)
      } catch (error) {
        request.signal?.throwIfAborted()
        const again = await pgvector.find(request, true)
        if ('problem' in again) return scan.nearest(query, request)
        throw error
      }
    },
  }
}

function isComparable(one: VectorModel | undefined, other: VectorModel): boolean {
  return one?.name === other.name && one.dimensions === other.dimensions
}

function modelChangedError(present: VectorModel | undefined, given: VectorModel): KeepsakeError {
  const problem = `another process started the vectors over with ${present?.name ?? 'no model'}, not with ${given.name}`
  return new KeepsakeError('CONFLICT', problem, { hint: 'Run it again.' })
}
