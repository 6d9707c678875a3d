// Bare SQLite, for comparison with the store in one file: the same driver, pragmas, tables and statements, with prepared values.
import { createRequire } from 'node:module'
import { SCHEMA } from '../../dist/recall/entry-document.js'
import { englishAnalyzer } from '../../dist/search/analyzer.js'
import { parseQuery } from '../../dist/search/query.js'
import { search } from '../../dist/search/search.js'
import { SearchIndex } from '../../dist/search/search-index.js'

const ENTRY = `INSERT INTO entries (id, seq, scope, kind, name, key, aliases, description, content, metadata, created_at, updated_at,
  expires_at, origin_by, origin_agent, origin_session, revision, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const NAME = `INSERT INTO names (name, scope, id, seq, current, checksum) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name, scope, id)
  DO UPDATE SET seq = excluded.seq, current = excluded.current, checksum = excluded.checksum`
const CHANGE = `INSERT INTO changes (number, at, origin_by, origin_agent, origin_session, operations, extra, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const VERSION = `INSERT INTO versions (id, number, position, scope, kind, entry, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id, number) DO UPDATE SET entry = excluded.entry, checksum = excluded.checksum`
const SCOPE = `INSERT INTO change_scopes (scope, number, checksum) VALUES (?, ?, ?) ON CONFLICT (scope, number)
  DO UPDATE SET checksum = excluded.checksum`
const SETTING = `INSERT INTO settings (key, value, checksum) VALUES (?, ?, ?) ON CONFLICT (key)
  DO UPDATE SET value = excluded.value, checksum = excluded.checksum`

export function openBare(file) {
  const { DatabaseSync } =
    process.getBuiltinModule?.('node:sqlite') ?? createRequire(import.meta.url)('@photostructure/sqlite')
  const db = new DatabaseSync(file)
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON',
  )
  return db
}

/** @returns a function that adds an entry in its own transaction */
export function inserting(db) {
  const [last, owner, byId] = [
    db.prepare('SELECT value FROM settings WHERE key = ?'),
    db.prepare('SELECT name, id FROM names WHERE name IN (?) AND scope = ? AND current = 1 ORDER BY seq'),
    db.prepare('SELECT * FROM entries WHERE id IN (?)'),
  ]
  const [entry, name, change, version, scope, setting] = [ENTRY, NAME, CHANGE, VERSION, SCOPE, SETTING].map((sql) =>
    db.prepare(sql),
  )
  return (row) => {
    db.exec('BEGIN IMMEDIATE')
    last.all('last')
    owner.all(row.name[0], 'main')
    byId.all(row.entry[0])
    entry.run(...row.entry)
    name.run(...row.name)
    change.run(...row.change)
    version.run(...row.version)
    scope.run(...row.scope)
    setting.run(...row.setting)
    db.exec('COMMIT')
  }
}

/** @returns a function that makes the rows of a new entry; the checksums are dummies */
export function rowsFor(db) {
  let { number, nextSeq } = JSON.parse(db.prepare("SELECT value FROM settings WHERE key = 'last'").all()[0].value)
  return (entry) => {
    number++
    const { id, scope, kind, name, content, createdAt, origin, revision } = entry
    const seq = nextSeq++
    const full = { ...entry, seq }
    const operations = JSON.stringify([{ op: 'add', ...full, revision: undefined }])
    const [by, agent] = [origin.by, origin.agent ?? null]
    return {
      entry: [
        id,
        seq,
        scope,
        kind,
        name,
        null,
        '[]',
        '',
        content,
        '{}',
        createdAt,
        createdAt,
        null,
        by,
        agent,
        null,
        revision,
        1,
      ],
      name: [name, scope, id, seq, 1, 1],
      change: [number, createdAt, by, agent, null, operations, null, 1],
      version: [id, number, 0, scope, kind, JSON.stringify(full), 1],
      scope: [scope, number, 1],
      setting: ['last', JSON.stringify({ number, nextSeq }), 1],
    }
  }
}

/** From opening the file to the texts of ten hits: reads and opens the index, searches it, reads the entries. */
export function firstAnswer(file, words) {
  const db = openBare(file)
  const parts = db.prepare('SELECT bytes FROM derived WHERE key = ? ORDER BY part').all(INDEX_KEY)
  const ids = searchIndex(Buffer.concat(parts.map(({ bytes }) => bytes)), words)
  return db.prepare(`SELECT * FROM entries WHERE id IN (${ids.map(() => '?').join(', ')})`).all(...ids)
}

export const INDEX_KEY = 'words-en-main'

/** @returns the ids of the ten best */
export function searchIndex(bytes, words) {
  const analyzer = englishAnalyzer()
  const opened = SearchIndex.open(bytes, analyzer, SCHEMA)
  if ('problem' in opened) throw new Error(opened.problem)
  const scoring = { k1: 1.2, fields: SCHEMA.fields.map(() => ({ weight: 1, b: 0.75 })) }
  const matches = search({ indexes: [opened.index], query: parseQuery(words, analyzer), scoring })
  return matches.top(10).map((doc) => matches.id(doc))
}
