/**
 * The table `vectors` of a PostgreSQL database. Invariant: each row has the revision of the entry that it was made from, and everything
 * that searches joins on it, so vectors of a changed or removed entry are never used.
 */
import type { EntryVectors, PieceVector, ReadVectors, VectorModel, VectorStatus } from '../../ports/vectors.ts'
import { type ColumnType, parseJson, writeSetting } from './schema.ts'
import { placeholders, type Sql } from './sql.ts'

/** The key in `settings`. */
const SETTING = 'vectors'
/** The `piece` in the only row of an entry without vectors: why it has none. Pieces with vectors count from 0. */
const REFUSED = -1
const NO_TEXT = -2
/** Selects the first row of an entry, which records the revision of its vectors, or why it has none: a condition on `v`. */
export const FIRST_ROW = 'v.piece <= 0'

/**
 * The table. It has no checksums: damaged vectors can be made again. The index alone tells which entries lack vectors. Vectors of up to
 * 2,000 dimensions stay in the table's own pages, which makes scans faster.
 */
export function vectorStatements({ text, integer }: Readonly<Record<ColumnType, string>>): string[] {
  const columns = [
    `id ${text} NOT NULL`,
    `piece ${integer} NOT NULL`,
    `revision ${text} NOT NULL`,
    `hash ${text} NOT NULL`,
    'vector real[]',
    'PRIMARY KEY (id, piece) INCLUDE (revision)',
  ]
  return [`CREATE TABLE vectors (\n  ${columns.join(',\n  ')}\n) WITH (toast_tuple_target = 8160)`]
}

/** Also called by a purge. */
export async function deleteVectors(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.run(`DELETE FROM vectors WHERE id IN ${JSON_TEXTS}`, [JSON.stringify(ids)])
}

/** A list for IN that takes any number of texts as one JSON value. */
export const JSON_TEXTS = '(SELECT json_array_elements_text(?::json))'

/** A reader may keep what it read until `version` changes. */
export interface VectorState {
  readonly model?: VectorModel
  /** Identifies this set of vectors; changes with each reset. */
  readonly set: string
  /** Changes with each write to the vectors or the entries. */
  readonly version: string
}

export async function readVectorState(sql: Sql): Promise<VectorState> {
  const rows = await sql.all(
    `SELECT key, value FROM settings WHERE key IN ('${SETTING}', 'last', 'epoch') ORDER BY key`,
  )
  const row = rows.find(({ key }) => key === SETTING)
  const version = JSON.stringify(rows)
  if (!row) return { set: '', version }
  const { model, set } = parseJson(row['value'], 'the settings of the vectors') as StoredState // as written below
  return { model, set, version }
}

interface StoredState {
  readonly model: VectorModel
  readonly set: string
  /** Changes with each write. */
  readonly written: string
}

export async function writeVectorState(sql: Sql, model: VectorModel, set: string): Promise<void> {
  const stored: StoredState = { model, set, written: crypto.randomUUID() }
  await writeSetting(sql, SETTING, JSON.stringify(stored))
}

export async function readVectorStatus(
  sql: Sql,
  scopes: readonly string[],
): Promise<Pick<VectorStatus, 'pending' | 'refused'>> {
  if (scopes.length === 0) return { pending: [], refused: [] }
  const join = `LEFT JOIN vectors v ON v.id = e.id AND ${FIRST_ROW} AND v.revision = e.revision`
  const condition = `e.scope IN (${placeholders(scopes.length)}) AND (v.piece IS NULL OR v.piece = ${REFUSED})`
  const rows = await sql.all(`SELECT e.id, v.piece FROM entries e ${join} WHERE ${condition}`, scopes)
  const select = (piece: number | null): string[] =>
    rows.filter((row) => row['piece'] === piece).map(({ id }) => String(id))
  return { pending: select(null), refused: select(REFUSED) }
}

export async function putVectors(sql: Sql, vectors: readonly EntryVectors[]): Promise<void> {
  const ids = JSON.stringify(vectors.map(({ id }) => id))
  // Writers take turns, so this is true until COMMIT.
  const statement = `SELECT id, revision FROM entries WHERE id IN ${JSON_TEXTS}`
  const revisions = new Map((await sql.all(statement, [ids])).map(({ id, revision }) => [id, revision]))
  const current = vectors.filter(({ id, revision }) => revisions.get(id) === revision)
  await deleteVectors(
    sql,
    current.map(({ id }) => id),
  )
  const rows = current.flatMap(({ id, revision, pieces, isRefused }): readonly object[] => {
    if (pieces.length === 0) return [{ id, piece: isRefused ? REFUSED : NO_TEXT, revision, hash: '', vector: null }]
    return pieces.map(({ hash, vector }, piece) => ({ id, piece, revision, hash, vector: [...vector] }))
  })
  const columns = 'id text, piece integer, revision text, hash text, vector real[]'
  await sql.run(
    `INSERT INTO vectors (id, piece, revision, hash, vector)
     SELECT id, piece, revision, hash, vector FROM json_to_recordset(?::json) AS made (${columns})`,
    [JSON.stringify(rows)],
  )
}

export async function readVectors(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, ReadVectors>> {
  const isCurrent = 'CASE WHEN v.revision = e.revision THEN 1 ELSE 0 END AS current'
  const rows = await sql.all(
    `SELECT v.id, v.hash, array_send(v.vector) AS vector, ${isCurrent}
     FROM vectors v LEFT JOIN entries e ON e.id = v.id WHERE v.id IN ${JSON_TEXTS} ORDER BY v.id, v.piece`,
    [JSON.stringify(ids)],
  )
  const found = new Map<string, { readonly pieces: PieceVector[]; readonly isCurrent: boolean }>()
  for (const { id, hash, vector, current } of rows) {
    const vectors = found.get(String(id)) ?? { pieces: [], isCurrent: current === 1 }
    if (vector instanceof Uint8Array) vectors.pieces.push({ hash: String(hash), vector: decodeVector(vector) })
    found.set(String(id), vectors)
  }
  return found
}

const ARRAY_HEADER_BYTES = 20
const ELEMENT_BYTES = 8

/** Decodes `array_send` of a `real[]`: a header, then the length and the value of each element. Faster than text for both sides. */
export function decodeVector(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const vector = new Float32Array(Math.floor((bytes.byteLength - ARRAY_HEADER_BYTES) / ELEMENT_BYTES))
  for (let n = 0; n < vector.length; n++) vector[n] = view.getFloat32(ARRAY_HEADER_BYTES + n * ELEMENT_BYTES + 4)
  return vector
}
