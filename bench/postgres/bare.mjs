// What any program has to do with the package `pg` for the rows of one `remember`, just as durably: one transaction that locks the row of the
// counters and reads it, inserts the rows, and commits. Its statements are prepared, its values are given, and it checks nothing.
import pg from 'pg'

const LOCK = "SELECT value FROM settings WHERE key = 'last' FOR UPDATE"
const OWNER = 'SELECT id FROM names WHERE name = $1 AND scope = $2 AND current = 1 ORDER BY seq'
const ENTRY = `INSERT INTO entries (id, seq, scope, kind, name, key, aliases, description, content, metadata, created_at, updated_at,
  expires_at, origin_by, origin_agent, origin_session, revision, checksum)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`
const NAME = 'INSERT INTO names (name, scope, id, seq, current, checksum) VALUES ($1, $2, $3, $4, $5, $6)'
const CHANGE = `INSERT INTO changes (number, at, origin_by, origin_agent, origin_session, operations, extra, checksum)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
const VERSION = `INSERT INTO versions (id, number, position, scope, kind, entry, checksum) VALUES ($1, $2, $3, $4, $5, $6, $7)`
const SCOPE = 'INSERT INTO change_scopes (scope, number, checksum) VALUES ($1, $2, $3)'
const LAST = "UPDATE settings SET value = $1, checksum = $2 WHERE key = 'last'"

export async function connectBare(url, { pipeline = false } = {}) {
  const schema = new URL(url).searchParams.get('schema')
  const options = `-c search_path=${schema}`
  const client = new pg.Client({ connectionString: url.split('?')[0], options, pipeline })
  await client.connect()
  return client
}

/** @returns a function that adds an entry; the counters can only be read where the row is locked, so there are two round trips at least */
export function adding(client, { isPipelined = false } = {}) {
  let sent = []
  const send = (text, values, name) => {
    const answer = client.query(values ? { text, values, name } : text)
    if (isPipelined) sent.push(answer)
    return isPipelined ? undefined : answer
  }
  const settle = async () => {
    const answers = await Promise.all(sent)
    sent = []
    return answers.at(-1)
  }
  const { stream } = client.connection
  const gather = (work) => {
    stream.cork()
    process.nextTick(() => stream.uncork())
    return work()
  }
  return async (entry) => {
    let found
    if (isPipelined) {
      gather(() => {
        send('BEGIN')
        send(LOCK, [], 'lock')
        if (entry.name) send(OWNER, [entry.name, entry.scope], 'owner')
      })
      const answers = await Promise.all(sent)
      sent = []
      found = answers[1]
    } else {
      await send('BEGIN')
      found = await send(LOCK, [], 'lock')
      if (entry.name) await send(OWNER, [entry.name, entry.scope], 'owner')
    }
    const rows = rowsFor(entry, JSON.parse(found.rows[0].value))
    if (isPipelined) {
      gather(() => {
        for (const one of rows) send(...one)
        send('COMMIT')
      })
      await settle()
    } else {
      for (const one of rows) await send(...one)
      await send('COMMIT')
    }
  }
}

function rowsFor(entry, last) {
  const [number, seq] = [last.number + 1, last.nextSeq]
  const { id, scope, kind, name, content, createdAt: at, origin, revision } = entry
  const full = { ...entry, seq }
  const operations = JSON.stringify([{ op: 'add', ...full, revision: undefined }])
  const [by, agent] = [origin.by, origin.agent]
  const own = [id, seq, scope, kind, name, null, '[]', '', content, '{}', at, at, null, by, agent, null, revision, 1]
  return [
    [ENTRY, own, 'entry'],
    ...(name ? [[NAME, [name, scope, id, seq, 1, 1], 'name']] : []),
    [CHANGE, [number, at, by, agent, null, operations, null, 1], 'change'],
    [VERSION, [id, number, 0, scope, kind, JSON.stringify(full), 1], 'version'],
    [SCOPE, [scope, number, 1], 'scope'],
    [LAST, [JSON.stringify({ number, nextSeq: seq + 1 }), 1], 'last'],
  ]
}
