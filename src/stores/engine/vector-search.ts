/** The two ways to search the table `vectors`, both exact: by pgvector in the database, and by a scan in this process. */
import { isKeepsakeError } from '../../errors.ts'
import { abortable } from '../../model/abortable.ts'
import type { CallOptions } from '../../ports/store.ts'
import type { NearestEntries, NearestRequest } from '../../ports/vectors.ts'
import { VectorIndex } from '../../search/vectors/vector-index.ts'
import { type Database, placeholders, type Sql } from './sql.ts'
import { decodeVector, JSON_TEXTS, readVectorState, type VectorState } from './vector-table.ts'

/** The oldest supported version. */
const MIN_VERSION = [0, 5] as const
/** The extension may be created, updated or dropped while we run. */
const RECHECK_MS = 60_000

type PgvectorStatus = { readonly version: string; readonly schema: string } | { readonly problem: string }

/** Whether the database has a pgvector that works for this role. */
export class Pgvector {
  readonly #database: Database
  #status: PgvectorStatus | undefined
  #checkedAtMs = 0

  constructor(database: Database) {
    this.#database = database
  }

  async find({ signal }: CallOptions = {}, isForced = false): Promise<PgvectorStatus> {
    const isOld = performance.now() - this.#checkedAtMs > RECHECK_MS
    if (this.#status && !isOld && !isForced) return this.#status
    const found = await this.#check(signal)
    this.#checkedAtMs = performance.now()
    this.#status = found
    return found
  }

  async #check(signal: AbortSignal | undefined): Promise<PgvectorStatus> {
    const statement = `SELECT extversion, quote_ident(nspname) AS schema, CASE WHEN has_schema_privilege(n.oid, 'USAGE') THEN 1 ELSE 0 END AS usable
       FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'`
    const [row] = await this.#database.read((sql) => sql.all(statement), signal)
    if (!row) return { problem: 'the database has no pgvector' }
    const [version, schema] = [String(row['extversion']), String(row['schema'])]
    const [major = 0, minor = 0] = version.split('.').map(Number)
    if (major === MIN_VERSION[0] && minor < MIN_VERSION[1]) {
      return { problem: `pgvector ${version} is older than ${MIN_VERSION.join('.')}` }
    }
    if (row['usable'] !== 1) return { problem: `this role may not use the schema ${schema} of pgvector ${version}` }
    const probe = `SELECT '{1}'::real[]::${schema}.vector OPERATOR(${schema}.<#>) '[1]'::${schema}.vector AS distance`
    try {
      await this.#database.read((sql) => sql.all(probe), signal)
      return { version, schema }
    } catch (error) {
      signal?.throwIfAborted()
      // If this fails too, the database is at fault and not the extension.
      await this.#database.read((sql) => sql.all('SELECT 1 AS one'), signal)
      const reason = isKeepsakeError(error) || error instanceof Error ? error.message : String(error)
      return { problem: `pgvector ${version} does not work (${reason})` }
    }
  }
}

/** A guess. If the nearest entries have more, the statement runs again with a higher limit. */
const PIECES_PER_ENTRY = 4

export async function nearestByPgvector(
  sql: Sql,
  schema: string,
  query: Float32Array,
  { scopes, kinds, limit }: NearestRequest,
): Promise<NearestEntries> {
  const { model } = await readVectorState(sql)
  if (model?.dimensions !== query.length || scopes.length === 0 || kinds.length === 0) return { near: [], isAll: true }
  // Vectors have length 1, so the inner product is the cosine.
  const statement = `SELECT e.id, -(v.vector::${schema}.vector OPERATOR(${schema}.<#>) (SELECT ?::text::${schema}.vector)) AS cosine
    FROM entries e JOIN vectors v ON v.id = e.id AND v.revision = e.revision
    WHERE v.piece >= 0 AND e.scope IN (${placeholders(scopes.length)}) AND e.kind IN (${placeholders(kinds.length)})
    ORDER BY cosine DESC, e.id COLLATE "C" LIMIT ?`
  const values = [`[${query.join()}]`, ...scopes, ...kinds]
  // Several of the nearest pieces may belong to one entry.
  for (let pieces = PIECES_PER_ENTRY * (limit + 1); ; pieces *= PIECES_PER_ENTRY) {
    const rows = await sql.all(statement, [...values, pieces])
    const cosines = new Map<string, number>()
    for (const { id, cosine } of rows) if (!cosines.has(String(id))) cosines.set(String(id), Number(cosine))
    if (cosines.size <= limit && rows.length === pieces) continue
    const near = [...cosines].slice(0, limit).map(([id, cosine]) => ({ id, cosine }))
    return { near, isAll: cosines.size <= limit }
  }
}

/** Entries whose vectors are read by one statement. */
const PAGE_ENTRIES = 500
/** The index is rebuilt when it has this many removed rows, and at least half of all rows are removed. */
const MIN_REMOVED_ROWS = 1000

interface ScannedEntry {
  readonly id: string
  readonly revision: string
  scope: string
  kind: string
  /** Its rows in the index. */
  rows: number[]
}

/**
 * The exact scan in this process. It reads the vectors of the requested scopes once and keeps them. Before each scan, and in the same
 * transaction, it brings them up to date and reads again only what changed.
 */
export class ExactScan {
  readonly #database: Database
  #index: VectorIndex | undefined
  #entries = new Map<string, ScannedEntry>()
  /** By their number in the index. */
  #owners: ScannedEntry[] = []
  readonly #scopes = new Set<string>()
  #state: VectorState | undefined
  #removedRows = 0
  #lastScan: Promise<unknown> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  /** Runs one scan at a time. */
  nearest(query: Float32Array, request: NearestRequest): Promise<NearestEntries> {
    const work = async (sql: Sql): Promise<NearestEntries> => {
      await this.#refresh(sql, request.scopes)
      return this.#scan(query, request)
    }
    // Without the signal: a refresh must not run beside the next one, though its caller is gone.
    const scan = this.#lastScan.then(() => this.#database.read(work))
    this.#lastScan = scan.catch(() => undefined)
    return abortable(() => scan, request.signal)
  }

  #scan(query: Float32Array, { scopes, kinds, limit }: NearestRequest): NearestEntries {
    if (this.#index?.dimensions !== query.length) return { near: [], isAll: true }
    const [wantedScopes, wantedKinds] = [new Set<string>(scopes), new Set<string>(kinds)]
    const top = this.#index.top(query, limit + 1, (owner) => {
      const { scope, kind } = this.#owners[owner] as ScannedEntry // each owner has a number
      return wantedScopes.has(scope) && wantedKinds.has(kind)
    })
    const all = top.map(({ owner, score }) => ({ id: this.#owners[owner]?.id ?? '', cosine: score }))
    const near = all.sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1)).slice(0, limit)
    return { near, isAll: all.length <= limit }
  }

  async #refresh(sql: Sql, scopes: readonly string[]): Promise<void> {
    const state = await readVectorState(sql)
    if (state.set !== this.#state?.set) this.#clear()
    const isLoaded = scopes.every((scope) => this.#scopes.has(scope))
    if (isLoaded && state.version === this.#state?.version) return
    // If this fails, the next scan loads the rest: the version is not known until then.
    this.#state = { ...state, version: '' }
    for (const scope of scopes) this.#scopes.add(scope)
    if (!state.model || this.#scopes.size === 0) return
    this.#index ??= new VectorIndex(state.model.dimensions)
    await this.#load(sql, await this.#compare(sql), this.#index)
    this.#compact(this.#index)
    this.#state = state
  }

  #clear(): void {
    this.#index = undefined
    this.#entries.clear()
    this.#owners = []
    this.#scopes.clear()
    this.#removedRows = 0
  }

  /** Removes entries that are gone or changed. Returns those to read. */
  async #compare(sql: Sql): Promise<ReadonlyMap<string, ScannedEntry>> {
    const join = 'JOIN vectors v ON v.id = e.id AND v.piece = 0 AND v.revision = e.revision'
    const condition = `e.scope IN (${placeholders(this.#scopes.size)})`
    const statement = `SELECT e.id, e.revision, e.scope, e.kind FROM entries e ${join} WHERE ${condition}`
    const unread = new Map<string, ScannedEntry>()
    const kept = new Map<string, ScannedEntry>()
    for (const row of await sql.all(statement, [...this.#scopes])) {
      const [id, revision, scope, kind] = [row['id'], row['revision'], row['scope'], row['kind']].map(String) as [
        ...[string, string, string, string], // as many as were named
      ]
      const known = this.#entries.get(id)
      if (known?.revision === revision) kept.set(id, Object.assign(known, { scope, kind }))
      else unread.set(id, { id, revision, scope, kind, rows: [] })
    }
    for (const [id, { rows }] of this.#entries) {
      if (kept.has(id)) continue
      for (const row of rows) this.#index?.remove(row)
      this.#removedRows += rows.length
    }
    this.#entries = kept
    return unread
  }

  async #load(sql: Sql, unread: ReadonlyMap<string, ScannedEntry>, index: VectorIndex): Promise<void> {
    const ids = [...unread.keys()]
    for (let from = 0; from < ids.length; from += PAGE_ENTRIES) {
      const page = JSON.stringify(ids.slice(from, from + PAGE_ENTRIES))
      const statement = `SELECT id, revision, array_send(vector) AS vector FROM vectors WHERE id IN ${JSON_TEXTS} ORDER BY id`
      for (const { id, revision, vector } of await sql.all(statement, [page])) {
        const entry = unread.get(String(id))
        // The entry may have changed since, if the transaction sees later commits.
        if (!entry || entry.revision !== revision || !(vector instanceof Uint8Array)) continue
        if (this.#owners.at(-1) !== entry) this.#owners.push(entry)
        entry.rows.push(index.add(decodeVector(vector), this.#owners.length - 1))
        this.#entries.set(entry.id, entry)
      }
    }
  }

  #compact(full: VectorIndex): void {
    if (this.#removedRows < Math.max(MIN_REMOVED_ROWS, full.rows / 2)) return
    const index = new VectorIndex(full.dimensions)
    this.#owners = [...this.#entries.values()]
    for (const [number, entry] of this.#owners.entries()) {
      entry.rows = entry.rows.map((row) => index.add(full.copy(row, 1), number))
    }
    this.#index = index
    this.#removedRows = 0
  }
}
