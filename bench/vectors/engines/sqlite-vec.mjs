// sqlite-vec's exact scan, as good as it gets: in memory, large pages, and the distance that it has by hand for AVX (L2, which
// orders vectors of length one as the cosine does).
import { DatabaseSync } from 'node:sqlite'
import { load } from 'sqlite-vec'

export function open({ rows, dimensions, vectorAt }) {
  const db = new DatabaseSync(':memory:', { allowExtension: true })
  load(db)
  db.exec('PRAGMA page_size = 65536; PRAGMA cache_size = -1000000')
  db.exec(`CREATE VIRTUAL TABLE vectors USING vec0(embedding float[${dimensions}])`)
  const insert = db.prepare('INSERT INTO vectors(rowid, embedding) VALUES (?, ?)')
  db.exec('BEGIN')
  for (let row = 0; row < rows; row++) insert.run(BigInt(row), bytesOf(vectorAt(row)))
  db.exec('COMMIT')
  const nearest = db.prepare('SELECT rowid FROM vectors WHERE embedding MATCH ? AND k = 10 ORDER BY distance')
  return { top: (query) => nearest.all(bytesOf(query)).map(({ rowid }) => rowid) }
}

function bytesOf(vector) {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
