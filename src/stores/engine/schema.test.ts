/** Rows carry a checksum of their values: if any value is changed behind our back, the row is no longer intact. */
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { insert, isIntact, TABLE_NAMES, type TableName, upsert } from './schema.ts'
import type { Row, SqlValue } from './sql.ts'
import { Connection, SCHEMA } from './sqlite.ts'

let open: Connection | undefined

afterEach(() => {
  open?.close()
})

function database(): Connection {
  open = new Connection(':memory:')
  for (const statement of SCHEMA) open.exec(statement)
  return open
}

interface Column {
  readonly name: string
  readonly type: 'TEXT' | 'INTEGER' | 'BLOB'
  readonly isKey: boolean
  readonly isNullable: boolean
}

function columnsOf(connection: Connection, table: TableName): Column[] {
  const rows = connection.allNow(`PRAGMA table_info(${table})`)
  return rows
    .map(({ name, type, pk, notnull }) => ({
      name: String(name),
      type: type as Column['type'], // the three that a STRICT table of ours has
      isKey: pk !== 0,
      isNullable: notnull === 0,
    }))
    .filter(({ name }) => name !== 'checksum')
}

const VALUES = { TEXT: 'text', INTEGER: 7, BLOB: Buffer.from('bytes') } as const
const OTHERS: Readonly<Record<Column['type'], readonly SqlValue[]>> = {
  TEXT: ['', 'texts', 'Text', 'text '],
  INTEGER: [0, 8, -7, 2 ** 40],
  BLOB: [Buffer.alloc(0), Buffer.from('byte'), Buffer.from('bytes\0')],
}

describe.each(TABLE_NAMES)('a row of %s', (table) => {
  it('is intact as written, and not after a change of any of its values', async () => {
    const connection = database()
    const columns = columnsOf(connection, table)
    const row: Row = Object.fromEntries(columns.map(({ name, type }) => [name, VALUES[type]]))
    await insert(connection, table, row)
    const read = (): Row => connection.allNow(`SELECT * FROM ${table}`)[0] ?? {}
    expect(isIntact(table, read())).toBe(true)
    for (const { name, type, isNullable } of columns) {
      for (const other of [...OTHERS[type], ...(isNullable ? [null] : [])]) {
        await connection.run(`UPDATE ${table} SET ${name} = ?`, [other])
        expect(isIntact(table, read()), `${name} = ${String(other)}`).toBe(false)
        await connection.run(`UPDATE ${table} SET ${name} = ?`, [row[name] ?? null])
      }
    }
    expect(isIntact(table, read())).toBe(true)
    await connection.run(`UPDATE ${table} SET checksum = checksum + 1`)
    expect(isIntact(table, read())).toBe(false)
  })

  it('is replaced by one with the same key, checksum and all', async () => {
    const connection = database()
    const columns = columnsOf(connection, table)
    const row: Row = Object.fromEntries(columns.map(({ name, type }) => [name, VALUES[type]]))
    await insert(connection, table, row)
    const changed = columns.filter(({ isKey }) => !isKey).map(({ name, type }) => [name, OTHERS[type][1] ?? null])
    const next: Row = { ...row, ...Object.fromEntries(changed) }
    await upsert(connection, table, next)
    const rows = connection.allNow(`SELECT * FROM ${table}`)
    expect(rows).toHaveLength(1)
    expect(isIntact(table, rows[0] ?? {})).toBe(true)
    for (const { name } of columns) expect(plain(rows[0]?.[name])).toEqual(plain(next[name]))
  })
})

function plain(value: SqlValue | undefined): unknown {
  return value instanceof Uint8Array ? [...value] : value
}

it('a checksum depends on where one value ends and the next begins, and tells NULL from an empty text', async () => {
  const key = fc.string({ unit: 'grapheme-composite' }).filter((text) => !text.includes('\0'))
  const connection = database()
  await fc.assert(
    fc.asyncProperty(key, key, key, key, async (name, scope, otherName, otherScope) => {
      fc.pre(name !== otherName || scope !== otherScope)
      await connection.run('DELETE FROM names')
      await insert(connection, 'names', { name, scope, id: 'i', seq: 1, current: 1 })
      const row = connection.allNow('SELECT * FROM names')[0] ?? {}
      expect(isIntact('names', { ...row, name: otherName, scope: otherScope })).toBe(false)
    }),
    { numRuns: 100 },
  )
  const change = { number: 1, at: 'now', origin_by: 'user', operations: '[]' }
  await insert(connection, 'changes', change)
  const row = connection.allNow('SELECT * FROM changes')[0] ?? {}
  expect(isIntact('changes', row)).toBe(true)
  expect(isIntact('changes', { ...row, extra: '' })).toBe(false)
  expect(isIntact('changes', { ...row, origin_agent: 'a' })).toBe(false)
  await insert(connection, 'files', { path: 'p', bytes: Buffer.from('abc'), entries: 'de' })
  const file = connection.allNow('SELECT * FROM files')[0] ?? {}
  expect(isIntact('files', file)).toBe(true)
  expect(isIntact('files', { ...file, bytes: Buffer.from('ab'), entries: 'cde' })).toBe(false)
})
