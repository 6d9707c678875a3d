// SQLite FTS5, as good as it gets: Porter stemming, an index without the texts, one optimized segment, a large page
// cache, no syncs, and `rank`, which is bm25() by the fast way.
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const version = process.versions.sqlite

export function build(passages, folder) {
  const db = open(path.join(folder, 'fts5.sqlite'))
  db.exec(`CREATE VIRTUAL TABLE passages USING fts5(
    text, tokenize = 'porter unicode61', content = '', contentless_delete = 1)`)
  const insert = db.prepare('INSERT INTO passages(rowid, text) VALUES (?, ?)')
  db.exec('BEGIN')
  for (const [index, text] of passages.entries()) insert.run(index, text)
  db.exec('COMMIT')
  db.exec("INSERT INTO passages(passages) VALUES ('optimize')")
  return engine(db)
}

export function load(file) {
  return engine(open(file))
}

function open(file) {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000')
  return db
}

function engine(db) {
  const match = db.prepare('SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 10')
  const insert = db.prepare('INSERT INTO passages(rowid, text) VALUES (?, ?)')
  const replace = db.prepare('INSERT OR REPLACE INTO passages(rowid, text) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM passages WHERE rowid = ?')
  return {
    search: (words) => match.all(words.map((word) => `"${word}"`).join(' OR ')).map((row) => row.rowid),
    add: (id, text) => insert.run(id, text),
    replace: (id, text) => replace.run(id, text),
    remove: (id) => remove.run(id),
    save(file) {
      fs.rmSync(file, { force: true })
      db.prepare('VACUUM INTO ?').run(file)
    },
  }
}
