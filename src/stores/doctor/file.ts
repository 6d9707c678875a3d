/**
 * `keepsake doctor` of a memory in one file. Examining changes no data. `--fix` renames a damaged file, and puts a new one with everything
 * readable in its place.
 */
import { chmodSync } from 'node:fs'
import { link } from 'node:fs/promises'
import { platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isKeepsakeError } from '../../errors.ts'
import { newId } from '../../model/id.ts'
import { instant } from '../../model/time.ts'
import type { Touched } from '../../ports/store.ts'
import { mendable } from '../disk/doctor/codes.ts'
import { bySeverity, type Examination, goneSince, type Mending } from '../disk/doctor/examination.ts'
import { type Finding, finding, saidOf } from '../disk/doctor/finding.ts'
import type { AskedSettings } from '../disk/doctor/settings-differ.ts'
import { namesIn } from '../disk/list-folder.ts'
import { settingsFor } from '../disk/new-settings.ts'
import { pauses, until } from '../disk/pauses.ts'
import { removeWithRetry, renameWithRetry } from '../disk/platform.ts'
import { statFile } from '../disk/reading.ts'
import { attempt, randomHex } from '../disk/system.ts'
import { parseEntry, putEntry } from '../engine/entries.ts'
import { appendChange, deleteChangesUpTo, parseVersion } from '../engine/history.ts'
import { initTables } from '../engine/image.ts'
import { insert, writeCounters, writeSetting } from '../engine/schema.ts'
import type { Counters, Row, Sql } from '../engine/sql.ts'
import { Connection, collectStatements, sqliteError } from '../engine/sqlite.ts'
import { buildFile, buildingPath, checkSchema, findFile, hasWal, openFile, sqliteFiles } from '../engine/sqlite-file.ts'
import { type CheckedTables, checkContent, checkRows, checkTables } from './tables.ts'

export interface FileDoctorOptions {
  /** The settings that the other commands would ask for. */
  readonly wish?: AskedSettings
  readonly nowMs?: number
  readonly lockWaitMs?: number
}

const LOCK_WAIT_MS = 10_000
const RESTORE_HINT = 'Nothing in it can be read. Restore a backup: keepsake restore FILE'
const SAVE_HINT = '--fix renames the damaged file and writes everything readable to a new one.'

export async function examineFile(path: string, { wish = {} }: FileDoctorOptions = {}): Promise<Examination> {
  const { findings, tables } = await collectFindings(path, wish)
  const count = (table: keyof CheckedTables['rows']): number => tables?.rows[table].length ?? 0
  const sessions = new Set(tables?.rows.transcripts.map(({ scope, key }) => `${scope}\0${key}`))
  return {
    findings: findings.sort(bySeverity),
    checked: {
      files: statFile(path) ? 1 : 0,
      entries: count('entries'),
      changes: count('changes'),
      sessions: sessions.size,
    },
  }
}

export async function repairFile(path: string, options: FileDoctorOptions = {}): Promise<Mending> {
  const { nowMs = Date.now(), wish = {}, lockWaitMs = LOCK_WAIT_MS } = options
  const before = await examineFile(path, options)
  const wanted = mendable(before.findings)
  const warnings: string[] = []
  let backup: string | undefined
  try {
    if (wanted.some(({ severity }) => severity === 'damage')) backup = await salvage(path, wish, nowMs, lockWaitMs)
    const stats = statFile(path)
    if (wanted.some(isModeFinding) && stats)
      attempt('changing the mode of', path, () => chmodSync(path, stats.mode & 0o700))
    if (wanted.some(({ code }) => code === 'temporary-file'))
      await removeWithRetry(findLeftovers(path).flatMap(sqliteFiles))
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    warnings.push(error.message)
  }
  const examination = await examineFile(path, options)
  const mended = goneSince(before.findings, examination.findings)
  return { mended, examination, ...(backup === undefined ? {} : { backup }), warnings }
}

function isModeFinding({ code }: Finding): boolean {
  return code === 'file-readable' || code === 'writable-by-others'
}

async function collectFindings(
  path: string,
  wish: AskedSettings,
): Promise<{ findings: Finding[]; tables?: CheckedTables }> {
  const findings = [...checkLeftovers(path)]
  if (!statFile(path)) {
    findings.push(
      finding('no-workspace', '.', 'there is nothing here yet', 'The first write creates it, or: keepsake init'),
    )
    return { findings }
  }
  findings.push(...checkMode(path))
  try {
    findFile(path)
  } catch (error) {
    findings.push(refusalFinding(error))
    if (!isDamage(error)) return { findings }
  }
  // SQLite would take it for a new database, and delete the `-wal` beside it.
  if (statFile(path)?.size === 0) return { findings: findings.map(withoutRepair) }
  const examine = async (connection: Connection): Promise<{ findings: Finding[]; tables?: CheckedTables }> => {
    if (findings.every(({ code }) => code !== 'damaged-file')) findings.push(...checkTableDefinitions(path, connection))
    const tables = await checkTables(connection)
    const nothingReadable = Object.values(tables.rows).every((rows) => rows.length === 0)
    const damage = nothingReadable
      ? [{ ...finding('damaged-file', '.', 'no row of it can be read', RESTORE_HINT), fixable: false }]
      : [...checkIntegrity(connection), ...checkRows(tables, SAVE_HINT)]
    const known = nothingReadable ? findings.map(withoutRepair) : findings
    return { findings: [...known, ...damage, ...checkContent(tables, wish)], tables }
  }
  return withReader(path, examine).catch((error: unknown) => ({ findings: [...findings, refusalFinding(error)] }))
}

function isDamage(error: unknown): boolean {
  return isKeepsakeError(error) && error.code === 'DAMAGED'
}

function withoutRepair(found: Finding): Finding {
  return found.hint === SAVE_HINT ? { ...found, hint: RESTORE_HINT, fixable: false } : found
}

function refusalFinding(error: unknown): Finding {
  if (!isKeepsakeError(error)) throw error
  const codes = { FOREIGN: 'foreign-file', NEWER: 'newer-file', DAMAGED: 'damaged-file' } as const
  const code = error.code in codes ? codes[error.code as keyof typeof codes] : 'unreadable'
  return finding(code, '.', saidOf(error), isDamage(error) ? SAVE_HINT : (error.hint ?? ''))
}

/** Reads as of one moment, also while others write. A file that can't be opened as a memory is read as far as SQLite can. */
async function withReader<T>(path: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const opened = await openFile(path, pauses(path, LOCK_WAIT_MS)).catch((error) => {
    if (!isDamage(error)) throw error
  })
  opened?.connection.exec('BEGIN')
  return withConnection(
    path,
    work,
    opened?.connection ?? new Connection(path, { mode: hasWal(path) ? 'readOnly' : 'immutable' }),
  )
}

async function withConnection<T>(
  path: string,
  work: (connection: Connection) => Promise<T>,
  connection = new Connection(path),
): Promise<T> {
  try {
    return await work(connection)
  } catch (error) {
    throw sqliteError(path, error)
  } finally {
    connection.close()
    await collectStatements()
  }
}

function checkTableDefinitions(path: string, connection: Connection): Finding[] {
  try {
    checkSchema(path, connection)
    return []
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return [finding('damaged-file', '.', saidOf(error), SAVE_HINT)]
  }
}

function checkLeftovers(path: string): Finding[] {
  const hint = 'A move, a restore or a --fix left it, or is still writing it. If none is running, remove it with --fix.'
  return findLeftovers(path).map((name) => finding('temporary-file', name, 'an unfinished file', hint))
}

function findLeftovers(path: string): string[] {
  const isSaved = (name: string): boolean => name.replace(/^\./, '').startsWith(`${basename(path)}.saved-`)
  const saved = namesIn(dirname(path)).filter((name) => isSaved(name) && !/-(journal|wal|shm)$/.test(name))
  const all = [buildingPath(path), ...saved.map((name) => join(dirname(path), name))]
  return all.filter((name) => statFile(name))
}

function checkMode(path: string): Finding[] {
  const { mode } = statFile(path) ?? { mode: 0 }
  if (platform() === 'win32' || (mode & 0o077) === 0) return []
  const [code, verb] =
    mode & 0o022 ? (['writable-by-others', 'changed'] as const) : (['file-readable', 'read'] as const)
  const problem = `it can be ${verb} by other users (${(mode & 0o777).toString(8).padStart(4, '0')})`
  return [finding(code, '.', problem, '--fix makes it private (0600).')]
}

function checkIntegrity(connection: Connection): Finding[] {
  try {
    const rows = connection.allNow('PRAGMA integrity_check(20)')
    const problems = rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
    return problems.map((problem) => finding('damaged-file', '.', `SQLite: ${problem}`, SAVE_HINT))
  } catch (error) {
    return [finding('damaged-file', '.', error instanceof Error ? error.message : String(error), SAVE_HINT)]
  }
}

/**
 * Replaces a damaged file, under a lock that it gets only if no other program has the file open, so that no write is lost. Returns the new
 * path of the damaged file; `undefined` if the file is not damaged.
 */
async function salvage(
  path: string,
  wish: AskedSettings,
  nowMs: number,
  lockWaitMs: number,
): Promise<string | undefined> {
  return withConnection(path, async (connection) => {
    await lockExclusively(path, connection, lockWaitMs)
    const tables = await checkTables(connection)
    const damage = [
      ...checkTableDefinitions(path, connection),
      ...checkIntegrity(connection),
      ...checkRows(tables, SAVE_HINT),
    ]
    if (damage.length === 0 && isOpenable(path)) return undefined
    const saved = `${path}.saved-${randomHex()}`
    await buildFile(saved, (sql) => refill(sql, tables, wish, nowMs), { lockWaitMs })
    const aside = `${path}.damaged-${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '')}`
    // If SQLite could not open the file, its `-wal` is still there.
    if (statFile(`${path}-wal`)) await renameWithRetry(`${path}-wal`, `${aside}-wal`)
    await removeWithRetry([`${path}-shm`])
    await link(path, aside).catch(() => renameWithRetry(path, aside))
    await renameWithRetry(saved, path)
    return aside
  })
}

/** A file that SQLite can't open can't be locked, and nobody can write to it. */
async function lockExclusively(path: string, connection: Connection, lockWaitMs: number): Promise<void> {
  const statements = 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; COMMIT'
  try {
    await until(() => connection.execUnlessBusy(statements), pauses(path, lockWaitMs))
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}

function isOpenable(path: string): boolean {
  try {
    return findFile(path) !== undefined
  } catch {
    return false
  }
}

/** Inserts the rows that could be read. An entry whose row could not be read is restored as its last change left it. */
async function refill(sql: Sql, tables: CheckedTables, wish: AskedSettings, nowMs: number): Promise<void> {
  const { rows } = tables
  for (const table of [
    'changes',
    'change_scopes',
    'reverts',
    'versions',
    'files',
    'names',
    'settings',
    'backups',
  ] as const) {
    for (const { checksum: _, ...row } of rows[table]) if (row['key'] !== 'last') await insert(sql, table, row)
  }
  const ends = new Map<string, number>()
  const pieces = [...rows.transcripts].sort((a, b) => Number(a['start']) - Number(b['start']))
  for (const { checksum: _, ...row } of pieces) {
    // What follows a lost piece moves up to close the gap.
    const session = `${row['scope']}\0${row['key']}`
    const start = ends.get(session) ?? 0
    await insert(sql, 'transcripts', { ...row, start })
    ends.set(session, start + (row['bytes'] as Uint8Array).length)
  }
  if (!rows.settings.some(({ key }) => key === 'settings')) {
    await initTables(sql, settingsFor(newId(nowMs), wish.agent ?? 'main', wish))
  }
  await writeSetting(sql, 'epoch', crypto.randomUUID())
  await refillEntries(sql, tables, instant(nowMs))
}

/**
 * The current entries count. If the recorded changes no longer lead to them, one more change records the difference. A history with gaps
 * begins after the last gap.
 */
async function refillEntries(sql: Sql, { rows, damaged, cut }: CheckedTables, now: string): Promise<void> {
  const { entries, versions, changes, settings } = rows
  // Otherwise a missing entry was removed, even if the record of its removal is damaged.
  const mayBeLost = cut.includes('entries') || damaged.some(({ table }) => table === 'entries')
  const latest = new Map<string, Row>()
  for (const row of [...versions].sort((a, b) => Number(a['number']) - Number(b['number']))) {
    latest.set(String(row['id']), row)
  }
  const present = new Map(entries.map((row) => [String(row['id']), parseEntry(row)]))
  for (const [id, row] of latest) {
    const entry = parseVersion(row)
    if (mayBeLost && entry && !present.has(id)) present.set(id, entry)
  }
  const seqs = new Set<number>()
  const touched: Touched[] = []
  for (const known of present.values()) {
    const entry = seqs.has(known.seq) ? { ...known, seq: Math.max(...seqs) + 1 } : known
    seqs.add(entry.seq)
    await putEntry(sql, entry)
    const version = latest.get(entry.id)
    const before = version && parseVersion(version)
    if (before?.revision === entry.revision && before.seq === entry.seq) continue
    touched.push({ id: entry.id, ...(before ? { before } : {}), after: entry })
  }
  const known = settings.find(({ key }) => key === 'last')
  const last = known ? (JSON.parse(String(known['value'])) as Counters) : { number: 0, nextSeq: 1 }
  let number = Math.max(last.number, ...[...changes, ...versions].map((row) => Number(row['number'])))
  const numbers = new Set(changes.map((row) => Number(row['number'])))
  const first = Math.min(...numbers, number)
  if (touched.length > 0 || (number > 0 && !numbers.has(number))) {
    await appendChange(sql, { number: ++number, at: now, origin: { by: 'user' }, operations: [] }, touched)
    numbers.add(number)
  }
  for (let gap = number; gap >= first; gap--) {
    if (numbers.has(gap)) continue
    await deleteChangesUpTo(sql, gap)
    break
  }
  await writeCounters(sql, { number, nextSeq: Math.max(last.nextSeq, ...[...seqs].map((seq) => seq + 1)) })
}
