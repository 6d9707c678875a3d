// A memory in SQLite, with the least that one needs: a table of entries, unique names, and FTS5 over their texts, kept in step by a
// trigger. No past, no feed, no aliases. Durable as ours is: a write-ahead log, synced with every transaction.
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SCHEMA = `
  CREATE TABLE entries(
    seq INTEGER PRIMARY KEY, id TEXT UNIQUE, scope TEXT, kind TEXT, name TEXT, content TEXT,
    created_at TEXT, updated_at TEXT, revision INTEGER, UNIQUE(scope, name));
  CREATE VIRTUAL TABLE texts USING fts5(content, content = 'entries', content_rowid = 'seq', tokenize = 'porter unicode61');
  CREATE TRIGGER indexed AFTER INSERT ON entries BEGIN
    INSERT INTO texts(rowid, content) VALUES (new.seq, new.content);
  END`

export function build(passages, folder) {
  const db = openSqlite(path.join(folder, 'memory.sqlite'))
  db.exec(SCHEMA)
  const insert = inserting(db)
  db.exec('BEGIN')
  for (const [index, content] of passages.entries()) insert({ name: index % 2 === 0 ? `Note ${index}` : null, content })
  db.exec('COMMIT')
  db.exec("INSERT INTO texts(texts) VALUES ('optimize')")
  return {
    save(file) {
      fs.rmSync(file, { force: true })
      db.prepare('VACUUM INTO ?').run(file)
    },
  }
}

export function load(file) {
  const db = openSqlite(file)
  const match = db.prepare(
    `SELECT id, scope, kind, name, entries.content FROM texts JOIN entries ON seq = texts.rowid
     WHERE texts MATCH ? ORDER BY rank LIMIT 10`,
  )
  return { search: (words) => match.all(words.map((word) => `"${word}"`).join(' OR ')) }
}

export function openSqlite(file) {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  return db
}

export function dropIndex(db) {
  db.exec('DROP TRIGGER indexed; DROP TABLE texts; VACUUM')
}

/** Each call is a transaction of its own, unless one is under way. */
export function inserting(db) {
  const insert = db.prepare(
    `INSERT INTO entries(id, scope, kind, name, content, created_at, updated_at, revision) VALUES (?, ?, ?, ?, ?, ?, ?, 1)`,
  )
  return ({ name, content }) => {
    const now = new Date().toISOString()
    insert.run(crypto.randomUUID(), 'main', name === null ? 'experience' : 'note', name, content, now, now)
  }
}
