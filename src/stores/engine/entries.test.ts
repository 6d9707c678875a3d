import { describe, expect, it } from 'vitest'
import { scanEntries } from './entries.ts'
import { type Row, rowChecksum, type Sql, type SqlValue } from './sql.ts'

const TIME = '2026-03-14T09:26:53.589Z'
const ROW: Row = {
  scope: 'main',
  kind: 'note',
  name: null,
  key: null,
  aliases: '[]',
  description: '',
  content: '',
  metadata: '{}',
  created_at: TIME,
  updated_at: TIME,
  expires_at: null,
  origin_by: 'agent',
  origin_agent: null,
  origin_session: null,
  revision: '',
}

/** Its values are in the order of the columns. */
function withChecksum(row: Row): Row {
  return { ...row, checksum: rowChecksum(Object.values(row)) }
}

/** Answers as a table of these ids would, and counts how many rows it was asked for by id. */
function countingSql(): { sql: Sql; asked: () => number } {
  let asked = 0
  const all = async (_: string, values: readonly SqlValue[] = []): Promise<readonly Row[]> => {
    const ids = values.filter((value) => typeof value === 'string' && value.startsWith('id-'))
    asked += ids.length
    return ids.map((id) => withChecksum({ id: String(id), seq: Number(String(id).slice(3)), ...ROW }))
  }
  return { sql: { all, run: async () => undefined, positionFunction: 'instr' }, asked: () => asked }
}

describe('a scan of many ids', () => {
  it('returns each once, in the order of seq, and looks each up once', async () => {
    const count = 3000
    const { sql, asked } = countingSql()
    const ids = new Set(Array.from({ length: count }, (_, n) => `id-${(n * 7) % count}`))
    const seqs: number[] = []
    for await (const { seq } of scanEntries((work) => work(sql), { ids })) seqs.push(seq)
    expect(seqs).toEqual(Array.from({ length: count }, (_, seq) => seq))
    expect(asked()).toBe(count)
  })
})
