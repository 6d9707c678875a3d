/** Opens and creates the file of a SQLite memory. A partial file never has its name, and a dead process holds no lock. */
import { closeSync, openSync, type Stats } from 'node:fs'
import { platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import {
  DamagedError,
  ForeignError,
  isKeepsakeError,
  KeepsakeError,
  NewerError,
  ReadOnlyError,
  StorageError,
} from '../../errors.ts'
import { type Pause, pauses, until } from '../disk/pauses.ts'
import { networkFileSystem, removeWithRetry, renameWithRetry } from '../disk/platform.ts'
import { readBytes, readOpened, statFile, unlessUnreadable } from '../disk/reading.ts'
import { codeOf, FILE_MODE, fixMode, isWritable, makeFolder, syncFolder, wrapped } from '../disk/system.ts'
import { SCHEMA_VERSION, writeSetting } from './schema.ts'
import {
  APPLICATION_ID,
  Connection,
  collectStatements,
  hasCode,
  isDiskFull,
  loadDriver,
  REPAIR_HINT,
  SCHEMA,
} from './sqlite.ts'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
/** Where the header of a SQLite file has the application id. */
const APPLICATION_ID_OFFSET = 68

/** The file of the memory at the path; `undefined` if nothing is there. Reads only the header. */
export function findFile(path: string): Stats | undefined {
  const stats = statFile(path)
  if (!stats) return undefined
  if (stats.isSymbolicLink()) throw new ForeignError(path, 'this is a symbolic link, which is not followed')
  if (!stats.isFile())
    throw new ForeignError(path, `this is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}`)
  if (stats.size === 0) throw new DamagedError(path, 'it is empty', REPAIR_HINT)
  if (stats.size < HEADER_BYTES) {
    throwHeaderError(path)
    throw new DamagedError(path, 'it is truncated', REPAIR_HINT)
  }
  checkHeader(path, stats)
  return stats
}

/** Whether the file at the path is the one that was opened. One that was opened without locks must also be as it was. */
export function isUnchanged(path: string, { file, refusal }: OpenedFile): boolean {
  const stats = unlessUnreadable(() => statFile(path))
  if (stats?.ino !== file.ino || stats.dev !== file.dev) return false
  return !refusal || (stats.size === file.size && stats.mtimeMs === file.mtimeMs && !hasWal(path))
}

/** Reads through SQLite: closing a file descriptor of our own would release SQLite's locks in this process (POSIX). */
function checkHeader(path: string, { size }: Stats): void {
  let connection: Connection | undefined
  const hadWal = hasWal(path)
  try {
    connection = new Connection(path, { mode: 'immutable' })
    const version = connection.allNow('PRAGMA user_version')[0]?.['user_version']
    const id = connection.allNow('PRAGMA application_id')[0]?.['application_id']
    if (id !== APPLICATION_ID) throw new ForeignError(path, 'this is a SQLite database of another program')
    const pageSize = Number(connection.allNow('PRAGMA page_size')[0]?.['page_size'])
    if (size % pageSize !== 0) throw new DamagedError(path, 'it is truncated within a page', REPAIR_HINT)
    if (Number(version) > SCHEMA_VERSION) throw new NewerError(path, Number(version), SCHEMA_VERSION)
    if (version !== SCHEMA_VERSION) throw new DamagedError(path, `its version is ${version}`, REPAIR_HINT)
  } catch (error) {
    // Only then: opening the file here releases the locks that SQLite has in this process.
    if (hasCode(error, 'NOTADB', 'CANTOPEN')) throwHeaderError(path)
    // During a checkpoint, and after a crash in one, the file needs its `-wal`: `checkWal` decides.
    if (isKeepsakeError(error) && error.code === 'DAMAGED' && (hadWal || hasWal(path))) return
    throw error
  } finally {
    connection?.close()
  }
}

/** Throws a more precise error than SQLite's; returns if the file starts as SQLite's files do. */
function throwHeaderError(path: string): void {
  const text = Buffer.from(readOpened(path, (fd) => readBytes(fd, 0, HEADER_BYTES)) ?? []).toString('latin1')
  if (text.startsWith(MAGIC.slice(0, text.length))) return
  if (text.startsWith('KEEP', APPLICATION_ID_OFFSET))
    throw new DamagedError(path, 'its first bytes were changed', REPAIR_HINT)
  throw new ForeignError(path, 'this is not a Keepsake file')
}

/** Whether there may be changes that are not in the file itself yet. */
export function hasWal(path: string): boolean {
  return (statFile(`${path}-wal`)?.size ?? 0) > 0
}

export interface OpenedFile {
  readonly file: Stats
  readonly connection: Connection
  /** Why it can't be written, if so. */
  readonly refusal?: KeepsakeError
}

/** Opens it for writing, or read-only if that is all this user may do. `undefined`: nothing is there. */
export async function openFile(path: string, pause: Pause): Promise<OpenedFile | undefined> {
  // Before opening: if another file takes its place meanwhile, the next comparison notices.
  const file = findFile(path)
  if (!file) return undefined
  const network = networkFileSystem(dirname(path))
  const reason =
    network === undefined
      ? 'this user may not write to it, or to its folder'
      : `it is on a network file system (${network}), where SQLite's WAL doesn't work`
  let refusal: KeepsakeError = new ReadOnlyError(path, reason)
  // If this user can't write to the file, SQLite would leave files beside it that its owner can't use.
  if (network === undefined && isWritable(path)) {
    try {
      return { file, connection: await openChecked(path, pause, false) }
    } catch (error) {
      if (isKeepsakeError(error) && isDiskFull(path, error)) refusal = error
      else if (!hasCode(error, 'READONLY', 'CANTOPEN')) throw error
    }
  }
  if (hasWal(path)) {
    const problem = `${path}-wal holds changes of this memory that can't be read here: ${refusal.message}`
    const elsewhere = 'Open the memory where it can be written, close it, and copy the file.'
    const hint = (refusal.code === 'IO' && refusal.hint) || elsewhere
    throw new KeepsakeError(refusal.code, problem, { hint, data: { path }, cause: refusal })
  }
  return { file, connection: await openChecked(path, pause, true), refusal }
}

async function openChecked(path: string, pause: Pause, isImmutable: boolean): Promise<Connection> {
  if (hasWal(path)) await until(() => checkWal(path), pause).finally(collectStatements)
  const connection = new Connection(path, { mode: isImmutable ? 'immutable' : 'existing' })
  try {
    // Before anything is written: setting the journal mode changes the file.
    await until(() => checkSchema(path, connection), pause)
    const setUp = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL'
    if (!isImmutable) await until(() => connection.execUnlessBusy(setUp) && checkSchema(path, connection), pause)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** SQLite would apply the `-wal` of another file, or write it over a damaged one. Connections that only read do neither. `false`: busy. */
function checkWal(path: string): boolean {
  const fileId = "SELECT value FROM settings WHERE key = 'file'"
  const [alone, together] = [readValue(path, 'immutable', fileId), readValue(path, 'readOnly', fileId)]
  const check = alone === undefined ? readValue(path, 'readOnly', 'PRAGMA quick_check(1)') : 'ok'
  if ([alone, together, check].includes('busy')) return false
  if (check !== 'ok') throw new DamagedError(path, 'it is damaged, and its -wal does not complete it', REPAIR_HINT)
  if (alone !== undefined && together !== alone) throw foreignWalError(path)
  return true
}

/** `undefined`: it can't be read because of damage. */
function readValue(path: string, mode: 'immutable' | 'readOnly', statement: string): unknown {
  const connection = new Connection(path, { mode })
  try {
    return Object.values(connection.allNow(statement)[0] ?? {})[0]
  } catch (error) {
    if (hasCode(error, 'BUSY', 'LOCKED')) return 'busy'
    if (isKeepsakeError(error) && error.code === 'DAMAGED') return undefined
    throw error
  } finally {
    connection.close()
  }
}

function foreignWalError(path: string): ForeignError {
  const problem = `it holds changes of another file than ${path}. Move it back to that file, or remove it`
  return new ForeignError(`${path}-wal`, problem)
}

const ANALYZE_TABLE = /^CREATE TABLE sqlite_stat\d\(/

/** A file from elsewhere could have triggers that run inside our writes. `false`: another process holds the lock. */
export function checkSchema(path: string, connection: Connection): boolean {
  const rows = connection.unlessBusy(() => connection.allNow('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL'))
  if (!rows) return false
  const found = new Set(rows.map(({ sql }) => String(sql)).filter((sql) => !ANALYZE_TABLE.test(sql)))
  if (found.size !== SCHEMA.length || SCHEMA.some((statement) => !found.has(statement))) {
    throw new DamagedError(path, 'its tables are not those of a Keepsake memory', REPAIR_HINT)
  }
  return true
}

export interface BuildOptions {
  readonly lockWaitMs: number
  readonly signal?: AbortSignal | undefined
  /** Called with the finished file before it is renamed. */
  readonly check?: Fill | undefined
}

type Fill = (built: Connection) => Promise<void>

/** Creates the file with what `fill` writes; `false` if something is already there. A partial file never appears at the path. */
export async function buildFile(path: string, fill: Fill, options: BuildOptions): Promise<boolean> {
  const network = networkFileSystem(dirname(path))
  if (network !== undefined) {
    const hint = 'Choose a local folder, or use a Chroma server.'
    throw new StorageError('creating', path, `the folder is on a network file system (${network})`, hint)
  }
  loadDriver()
  makeFolder(dirname(path))
  const pause = pauses(path, options.lockWaitMs, options.signal)
  for (;;) {
    if (statFile(path)) return false
    const outcome = await tryToBuild(path, fill, options.check)
    if (outcome === 'built') return true
    if (outcome === 'busy') await pause()
  }
}

/** The process that locks the unfinished file, and still finds it there, may publish it. `again`: another was first, or there were leftovers. */
async function tryToBuild(path: string, fill: Fill, check?: Fill): Promise<'built' | 'again' | 'busy'> {
  const building = buildingPath(path)
  const inode = createPrivate(building)
  if (inode === undefined) return 'again'
  let connection: Connection
  try {
    connection = new Connection(building, { mode: 'existing', path })
  } catch (error) {
    // It was just renamed or removed.
    if (statFile(building)?.ino !== inode) return 'again'
    throw error
  }
  let isOurs = false
  try {
    // Exclusive before the first read: if the file is already renamed and in use, no second `-wal` is created. A connection that finds it
    // busy keeps a lock, so it is closed: otherwise two processes would wait for each other.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    if (!connection.execUnlessBusy('PRAGMA synchronous = FULL; BEGIN EXCLUSIVE')) return 'busy'
    if (statFile(building)?.ino !== inode) return 'again'
    isOurs = true
    if (statFile(path)) return 'again'
    if (connection.allNow('SELECT 1 FROM sqlite_schema LIMIT 1').length > 0) return 'again'
    for (const statement of SCHEMA) connection.exec(statement)
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`)
    await fill(connection)
    await writeSetting(connection, 'file', crypto.randomUUID())
    connection.exec('COMMIT')
    await check?.(connection)
    if (statFile(path)) return 'again'
    if (hasWal(path)) throw foreignWalError(path)
    if (platform() === 'win32') connection.close()
    // The journal is obsolete after COMMIT. A `-wal` of an earlier file would be taken for this one's.
    await removeWithRetry([`${building}-journal`, `${path}-wal`, `${path}-shm`])
    await renameWithRetry(building, path)
    isOurs = false
    connection.close()
    await syncFolder(dirname(path))
    return 'built'
  } finally {
    if (isOurs && platform() !== 'win32') await removeWithRetry(sqliteFiles(building))
    connection.close()
    if (isOurs && platform() === 'win32') await removeWithRetry(sqliteFiles(building))
    await collectStatements()
  }
}

/** Creates it with mode 0600 if it is missing, and returns its inode. Never opens an existing file: closing it would release SQLite's locks (POSIX). */
function createPrivate(path: string): number | undefined {
  try {
    const fd = openSync(path, 'wx', FILE_MODE)
    fixMode(fd, FILE_MODE)
    closeSync(fd)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw wrapped('writing', path, error)
  }
  const stats = statFile(path)
  if (stats && !stats.isFile()) throw new ForeignError(path, 'this is not a regular file')
  return stats?.ino
}

/** Hidden, so that it can't be a name that someone chose. */
export function buildingPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.building`)
}

/** The database file, and what SQLite puts beside it. */
export function sqliteFiles(path: string): string[] {
  return ['', '-journal', '-wal', '-shm'].map((ending) => path + ending)
}
