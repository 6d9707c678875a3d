interface Problem {
  readonly problem: string
}

export interface PostgresProgram {
  readonly problem?: undefined
  readonly binFolder: string
  /** Such as `15.18`. */
  readonly version: string
  /** The version of its pgvector, if it has one. */
  readonly vector?: string
}

/** Settings of the server, passed as `-c name=value`. */
export type PostgresSettings = Readonly<Record<string, string | number>>

interface StartOptions {
  readonly binFolder: string
  readonly folder: string
  readonly port?: number | undefined
  readonly user?: string
  readonly password?: string | undefined
  readonly settings?: PostgresSettings | undefined
  readonly isTemporary?: boolean
}

interface ReplicaOptions {
  readonly primary: PostgresServer
  readonly folder: string
  readonly port?: number
  /** The name of its slot, and in `synchronous_standby_names`. Default: `replica`. */
  readonly name?: string
  readonly settings?: PostgresSettings | undefined
  readonly isTemporary?: boolean
}

export interface PostgresServer {
  readonly problem?: undefined
  readonly pid: number
  readonly port: number
  readonly folder: string
  readonly binFolder: string
  readonly user: string
  readonly password: string
  /** With the password: connects as `user` to the database of the same name. */
  readonly url: string
  /** Connects as the superuser `postgres` to the same database. */
  readonly superuserUrl: string
  /** What the server has logged, at least the newest 100,000 characters. */
  readonly log: string
  /** Resolves to its last log lines when all its processes are gone. */
  readonly ended: Promise<string>
  urlFor(user: string, database: string): string
  stop(mode?: 'smart' | 'fast' | 'immediate'): Promise<void>
  kill(): Promise<void>
}

export const PRIVATE_COPY: string
export function postgresProgram(options?: { mayBePrivate?: boolean }): Problem | PostgresProgram
export function startPostgres(options: StartOptions): Promise<Problem | PostgresServer>
export function createReplica(options: ReplicaOptions): Promise<Problem | PostgresServer>
export function promote(replica: PostgresServer): Promise<void>
export function removePostgres(folder: string): void
