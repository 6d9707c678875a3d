/** SQLite: the driver (Node's own from 22.13 on, otherwise a package with the same interface), a connection, and its errors mapped to ours. */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import process from 'node:process'
import { DamagedError, isKeepsakeError, KeepsakeError, ReadOnlyError, StorageError } from '../../errors.ts'
import { freeBytes } from '../disk/platform.ts'
import { schemaStatements } from './schema.ts'
import { type Row, refuseNul, type Sql, type SqlValue } from './sql.ts'

/** "KEEP", in the header of every Keepsake file. */
export const APPLICATION_ID = 0x4b454550

export const SCHEMA: string[] = schemaStatements({ text: 'TEXT', integer: 'INTEGER', bytes: 'BLOB' }, ' STRICT')

interface Statement {
  all(...values: SqlValue[]): Row[]
  run(...values: SqlValue[]): unknown
}

/** The part of `DatabaseSync` that we use. */
interface Driver {
  readonly isOpen: boolean
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

const PACKAGE = '@photostructure/sqlite'
const PACKAGE_VERSION = '1.2.1'

interface SqliteModule {
  readonly DatabaseSync: new (location: string, options?: { readonly readOnly?: boolean }) => Driver
  readonly isPackage?: true
}

let driver: SqliteModule | undefined

/** Throws UNSUPPORTED if there is no SQLite. */
export function loadDriver(): SqliteModule {
  driver ??= withoutWarning(() => process.getBuiltinModule?.('node:sqlite') as typeof driver) ?? loadPackage()
  return driver
}

function loadPackage(): SqliteModule {
  try {
    const { DatabaseSync } = createRequire(import.meta.url)(PACKAGE) as SqliteModule
    return { DatabaseSync, isPackage: true }
  } catch (cause) {
    const hint = `Use Node 22.13 or later, or run: ${installCommand(import.meta.url)}`
    const problem = `Node ${process.versions.node} has no SQLite, and ${PACKAGE} is not installed`
    throw new KeepsakeError('UNSUPPORTED', problem, { hint, cause })
  }
}

/** Installs a package where this module finds it: in the global folder if the program was installed globally. */
export function installCommand(module: string, name: string = `${PACKAGE}@${PACKAGE_VERSION}`): string {
  return `npm install${/\/(lib|npm)\/node_modules\//.test(module) ? ' --global' : ''} ${name}`
}

/** Node 22 prints a warning when its SQLite module is first loaded. */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

const NO_BYTES = new Uint8Array(1).subarray(0, 0)

/** Node 22 binds an empty array without a buffer as NULL. */
function toBindable(value: SqlValue): SqlValue {
  refuseNul(value)
  return value instanceof Uint8Array && value.length === 0 ? NO_BYTES : value
}

const MODES = { immutable: 'immutable=1', readOnly: 'mode=ro', existing: 'mode=rw' } as const

/** Statements run synchronously: nothing of this process runs between two of them unless it awaits. */
export class Connection implements Sql {
  readonly #driver: Driver
  readonly #path: string
  readonly #statements = new Map<string, Statement>()
  readonly positionFunction = 'instr'
  /** The error of the last statement that failed; its transaction can't continue. */
  failure: unknown

  /** `immutable` takes no lock and ignores the `-wal`; `existing` does not create the file. `path`: shown in errors. */
  constructor(file: string, { mode, path = file }: { mode?: keyof typeof MODES; path?: string } = {}) {
    this.#path = path
    const { DatabaseSync } = loadDriver()
    const url = `file:${encodeURI(file).replace(/[?#]/g, encodeURIComponent)}`
    const readOnly = mode === 'immutable' || mode === 'readOnly'
    try {
      this.#driver = new DatabaseSync(mode ? `${url}?${MODES[mode]}` : file, { readOnly })
      this.#driver.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON')
    } catch (error) {
      throw sqliteError(path, error)
    }
  }

  get isTransaction(): boolean {
    return this.#driver.isOpen && this.#driver.isTransaction
  }

  async all(statement: string, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.allNow(statement, values)
  }

  async run(statement: string, values: readonly SqlValue[] = []): Promise<void> {
    const bound = values.map(toBindable)
    this.#attempt(() => this.#prepared(statement).run(...bound))
  }

  allNow(statement: string, values: readonly SqlValue[] = []): readonly Row[] {
    const bound = values.map(toBindable)
    return this.#attempt(() => this.#prepared(statement).all(...bound))
  }

  /** `undefined` if another process holds the lock. */
  unlessBusy<T>(run: () => T): T | undefined {
    try {
      return run()
    } catch (error) {
      if (hasCode(error, 'BUSY', 'LOCKED')) return undefined
      throw error
    }
  }

  /** Statements without values; `false` if another process holds the lock. */
  execUnlessBusy(statements: string): boolean {
    return this.unlessBusy(() => this.exec(statements) ?? true) ?? false
  }

  exec(statements: string): void {
    this.#attempt(() => this.#driver.exec(statements))
  }

  #prepared(statement: string): Statement {
    const prepared = this.#statements.get(statement) ?? this.#driver.prepare(statement)
    this.#statements.set(statement, prepared)
    return prepared
  }

  #attempt<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      this.failure = sqliteError(this.#path, error)
      throw this.failure
    }
  }

  close(): void {
    this.#statements.clear()
    if (this.#driver.isOpen) this.#driver.close()
  }
}

/** The package frees statements only when they are garbage collected, and until then a closed connection keeps its `-wal`. */
export async function collectStatements(): Promise<void> {
  if (!driver?.isPackage) return
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc')
  ;(process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void)()
  await new Promise((resolve) => setImmediate(resolve))
}

const SQLITE = { ERROR: 1, BUSY: 5, LOCKED: 6, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 }

/** An extended code: the file ends within a page. */
const IOERR_SHORT_READ = 522

/** Whether it is one of these errors of SQLite's. */
export function hasCode(error: unknown, ...names: readonly (keyof typeof SQLITE)[]): boolean {
  const code = sqliteCode(error)
  return names.some((name) => SQLITE[name] === code)
}

/** The 32 kB of a `-shm`. Where it can't have them, SQLite reports an I/O error. */
const MIN_FREE_BYTES = 32 * 1024

export function isDiskFull(path: string, error: unknown): boolean {
  return (
    hasCode(error, 'FULL') || (hasCode(error, 'IOERR') && (freeBytes(dirname(path)) ?? MIN_FREE_BYTES) < MIN_FREE_BYTES)
  )
}

/** SQLite's primary result code. The package omits it from some errors, so the message decides. */
function sqliteCode(error: unknown): number {
  const { errcode, message, cause } = (error ?? {}) as { errcode?: unknown; message?: unknown; cause?: unknown } // anything may be thrown
  if (typeof errcode === 'number') return errcode & 0xff
  return MESSAGES.get(String(message)) ?? (cause === undefined ? 0 : sqliteCode(cause))
}

const MESSAGES: ReadonlyMap<string, number> = new Map([
  ['database is locked', SQLITE.BUSY],
  ['database table is locked', SQLITE.LOCKED],
  ['attempt to write a readonly database', SQLITE.READONLY],
  ['disk I/O error', SQLITE.IOERR],
  ['database disk image is malformed', SQLITE.CORRUPT],
  ['database or disk is full', SQLITE.FULL],
  ['unable to open database file', SQLITE.CANTOPEN],
  ['file is not a database', SQLITE.NOTADB],
])

export const REPAIR_HINT =
  'The file was not changed. Restore a backup with "keepsake restore", or save what is readable with: keepsake doctor --fix'

/** Maps an error from SQLite, or from parsing its rows, to ours. Our own errors pass through. */
export function sqliteError(path: string, error: unknown): unknown {
  if (isKeepsakeError(error)) return error
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) {
    return new DamagedError(path, `a row can't be read: ${error.message}`, REPAIR_HINT)
  }
  if ((error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') return error
  const { errcode } = error as { errcode?: unknown }
  if (errcode === IOERR_SHORT_READ) return new DamagedError(path, 'it is truncated', REPAIR_HINT)
  if (isDiskFull(path, error))
    return new StorageError(
      'using',
      path,
      error,
      'The disk is full. Nothing was changed. Free some space, then try again.',
    )
  if (hasCode(error, 'READONLY')) return new ReadOnlyError(path, error)
  if (hasCode(error, 'CORRUPT', 'NOTADB', 'ERROR'))
    return new DamagedError(path, `SQLite can't read it: ${(error as Error).message}`, REPAIR_HINT, error)
  return new StorageError('using', path, error, 'Nothing was saved. Check the disk, then try again.')
}
