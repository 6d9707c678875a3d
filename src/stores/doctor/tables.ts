/** Finds damage in tables that the database itself doesn't notice, and reads what is intact in damaged ones. */
import { checkedSettings } from '../disk/checked-settings.ts'
import { type Finding, finding } from '../disk/doctor/finding.ts'
import { toldSecrets } from '../disk/doctor/secret-text.ts'
import { type AskedSettings, otherSettings } from '../disk/doctor/settings-differ.ts'
import { brokenLines, metadataFindings } from '../disk/doctor/transcript-checks.ts'
import { safeFileName } from '../disk/safe-file-name.ts'
import { listNames, parseEntry } from '../engine/entries.ts'
import { parseChange, parseVersion } from '../engine/history.ts'
import { parseKeptFile } from '../engine/image.ts'
import { isIntact, listKeyColumns, TABLE_NAMES, type TableName } from '../engine/schema.ts'
import { type Counters, placeholders, type Row, type Sql, type SqlValue } from '../engine/sql.ts'

export interface DamagedRow {
  readonly table: TableName
  /** Such as `number 12`. */
  readonly row: string
}

/** Reads the intact rows of a table, from both ends, so that one broken page costs only its own rows. */
export async function readRows(
  sql: Sql,
  table: TableName,
): Promise<{ rows: Row[]; damaged: DamagedRow[]; isCut: boolean }> {
  const found = new Map<number, Row>()
  let isCut = false
  for (const direction of ['ASC', 'DESC'] as const) {
    // If a page can't be read, reads it row by row, up to the row that can't be read.
    for (let [last, size] = [undefined as number | undefined, PAGE_ROWS]; ; ) {
      try {
        const page = await sql.all(pageStatement(table, direction, last, size), last === undefined ? [] : [last])
        for (const { row_number, ...row } of page) found.set(Number(row_number), row)
        const next = Number(page.at(-1)?.['row_number'])
        if (page.length < size) break
        // In a damaged table, row numbers may be out of order.
        if (last !== undefined && (direction === 'ASC' ? next <= last : next >= last)) throw new Error('out of order')
        last = next
      } catch {
        isCut = true
        if (size === 1) break
        size = 1
      }
    }
    if (!isCut) break
  }
  const rows = [...found].sort(([a], [b]) => a - b).map(([, row]) => row)
  return { ...separateDamaged(table, rows), isCut }
}

/** Reads a table by its key. The database finds broken pages itself. */
export async function readRowsByKey(sql: Sql, table: TableName): ReturnType<typeof readRows> {
  const columns = listKeyColumns(table)
  const [rows, list] = [[] as Row[], columns.join(', ')]
  for (let last: SqlValue[] | undefined; ; ) {
    const after = last ? `WHERE (${list}) > (${placeholders(columns.length)}) ` : ''
    const page = await sql.all(`SELECT * FROM ${table} ${after}ORDER BY ${list} LIMIT ${PAGE_ROWS}`, last)
    rows.push(...page)
    if (page.length < PAGE_ROWS) return { ...separateDamaged(table, rows), isCut: false }
    last = columns.map((column) => page.at(-1)?.[column] ?? null)
  }
}

function separateDamaged(table: TableName, rows: readonly Row[]): { rows: Row[]; damaged: DamagedRow[] } {
  const good = new Set(rows.filter((row) => isIntact(table, row) && isReadable(table, row)))
  const damaged = rows.filter((row) => !good.has(row)).map((row) => ({ table, row: labelOf(row) }))
  // Derived bytes can be built again.
  return { rows: table === 'derived' ? [] : [...good], damaged }
}

/** Whether the values make sense: anyone can write a row with a valid checksum. */
function isReadable(table: TableName, row: Row): boolean {
  try {
    switch (table) {
      case 'entries':
        return parseEntry(row) !== undefined
      case 'versions':
        return row['entry'] === null || parseVersion(row) !== undefined
      case 'changes':
        return parseChange(row) !== undefined
      case 'files':
        return parseKeptFile(row) !== undefined
      case 'settings':
        return isSetting(String(row['key']), String(row['value']))
      default:
        return true
    }
  } catch {
    return false
  }
}

function isSetting(key: string, value: string): boolean {
  if (key === 'settings') {
    const refuse = (problem: string): Error => new Error(problem)
    return checkedSettings('', JSON.parse(value), refuse) !== undefined
  }
  if (key !== 'last') return true
  const { number, nextSeq } = JSON.parse(value) as Counters
  return Number.isSafeInteger(number) && Number.isSafeInteger(nextSeq)
}

const PAGE_ROWS = 200

function pageStatement(table: TableName, direction: 'ASC' | 'DESC', last: number | undefined, size: number): string {
  const condition = last === undefined ? '' : `WHERE rowid ${direction === 'ASC' ? '>' : '<'} ?`
  return `SELECT rowid AS row_number, * FROM ${table} ${condition} ORDER BY rowid ${direction} LIMIT ${size}`
}

function labelOf(row: Row): string {
  const [column = '', value] = Object.entries(row)[0] ?? []
  return `${column} ${value}`
}

export type Rows = Readonly<Record<TableName, readonly Row[]>>

export interface CheckedTables {
  readonly rows: Rows
  readonly damaged: readonly DamagedRow[]
  /** Tables that could not be read to their end. */
  readonly cut: readonly TableName[]
  /** Where tables contradict each other, as sentences. */
  readonly contradictions: readonly string[]
}

/** `read`: reads one table. The default also reads a broken SQLite file. */
export async function checkTables(sql: Sql, read: typeof readRows = readRows): Promise<CheckedTables> {
  const damaged: DamagedRow[] = []
  const cut: TableName[] = []
  const rows = {} as Record<TableName, readonly Row[]> // filled below, for every table
  for (const table of TABLE_NAMES) {
    const found = await read(sql, table)
    rows[table] = found.rows
    damaged.push(...found.damaged)
    if (found.isCut) cut.push(table)
  }
  return { rows, damaged, cut, contradictions: contradictionsIn(rows) }
}

/** An entry is also in its latest version, and its names are in a table of their own. */
function contradictionsIn({ entries, versions, names, changes, settings }: Rows): string[] {
  const found: string[] = []
  const latest = new Map<unknown, Row>()
  for (const row of versions) {
    if (Number(row['number']) >= Number(latest.get(row['id'])?.['number'] ?? 0)) latest.set(row['id'], row)
  }
  const held = new Set(
    names.filter(({ current }) => current === 1).map(({ scope, name, id }) => `${scope}\0${name}\0${id}`),
  )
  for (const row of entries) {
    const entry = parseEntry(row)
    const version = latest.get(entry.id)
    const last = version && parseVersion(version)
    if (last?.revision !== entry.revision) found.push(`the entry ${entry.id} differs from its last recorded state`)
    latest.delete(entry.id)
    for (const name of listNames(entry)) {
      if (!held.has(`${entry.scope}\0${name}\0${entry.id}`))
        found.push(`the name "${name}" of the entry ${entry.id} is missing from its table`)
    }
  }
  for (const [id, version] of latest)
    if (parseVersion(version)) found.push(`the entry ${id} is missing, but no change removed it`)
  const numbers = changes.map(({ number }) => Number(number)).sort((a, b) => a - b)
  for (const [index, number] of numbers.entries()) {
    if (index > 0 && number !== (numbers[index - 1] ?? 0) + 1) found.push(`changes are missing before change ${number}`)
  }
  for (const key of ['settings', 'last', 'epoch']) {
    if (key !== 'last' || changes.length > 0) {
      if (!settings.some((row) => row['key'] === key)) found.push(`the setting "${key}" is missing`)
    }
  }
  const last = settings.find(({ key }) => key === 'last')
  const { number = 0 } = last ? (JSON.parse(String(last['value'])) as { number: number }) : {}
  if (number !== (numbers.at(-1) ?? number)) found.push(`the last change is ${numbers.at(-1)}, not ${number}`)
  return found
}

/** Damaged rows, and tables that contradict each other. */
export function checkRows({ damaged, cut, contradictions }: CheckedTables, hint: string): Finding[] {
  return [
    ...cut.map((table) => finding('damaged-file', '.', `the table ${table} can't be read to its end`, hint)),
    ...damaged.map(({ table, row }) =>
      finding('damaged-record', '.', `table ${table}, row ${row}: its checksum or its values are wrong`, hint),
    ),
    ...contradictions.map((problem) => finding('damaged-record', '.', problem, hint)),
  ]
}

/** What people should know about intact rows: other settings, secrets, broken transcripts. */
export function checkContent({ rows }: CheckedTables, wish: AskedSettings): Finding[] {
  const found: Finding[] = []
  const pinned = rows.settings.find(({ key }) => key === 'settings')
  if (pinned) {
    for (const { is, problem } of otherSettings(wish, JSON.parse(String(pinned['value'])))) {
      const hint = `Use "${is}", or leave it out: a memory keeps the settings it was created with.`
      found.push(finding('settings-differ', '.', problem, hint))
    }
  }
  for (const row of rows.entries) {
    const { id, scope, kind, name, content } = parseEntry(row)
    const agent = scope === 'world' || scope === 'main' ? '' : ` --agent ${scope}`
    const hint = `Change it where it is used, then remove it here: keepsake forget ${id} --purge${agent}`
    for (const { problem } of toldSecrets(content)) {
      found.push(finding('secret', '.', `the ${kind} ${JSON.stringify(name ?? id)}, ${problem}`, hint))
    }
  }
  for (const [session, bytes] of transcriptsIn(rows.transcripts)) {
    const [scope = '', key = ''] = session.split('\0')
    const hint = 'Change it where it is used. What was kept of this transcript: keepsake forget REF --purge'
    const secrets = toldSecrets(bytes.toString()).map(({ problem }) => finding('secret', '.', problem, hint))
    const name = `${safeFileName(key, 'session')}.jsonl`
    for (const one of [...metadataFindings('.', name, bytes), ...brokenLines('.', bytes), ...secrets]) {
      found.push({ ...one, problem: `the session "${key}" of ${scope}, ${one.problem}` })
    }
  }
  return found
}

function transcriptsIn(rows: readonly Row[]): Map<string, Buffer> {
  const pieces = new Map<string, Row[]>()
  for (const row of [...rows].sort((a, b) => Number(a['start']) - Number(b['start']))) {
    const session = `${row['scope']}\0${row['key']}`
    pieces.set(session, [...(pieces.get(session) ?? []), row])
  }
  const bytes = (row: Row): Uint8Array => row['bytes'] as Uint8Array // as the schema says
  return new Map([...pieces].map(([session, some]) => [session, Buffer.concat(some.map(bytes))]))
}
