/** The address of a memory on a PostgreSQL server. The password is kept out of it, because addresses appear in messages and files. */
import { InvalidError } from '../errors.ts'

export interface PostgresPlace {
  /** A host name, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  /** Missing: PGUSER, else the user of the process. */
  readonly user?: string
  readonly database: string
  /** One schema holds one memory. */
  readonly schema: string
  readonly tls: TlsMode
  /** A file with the certificates of the authorities to trust. */
  readonly tlsAuthority?: string
  /** Missing: PGPASSWORD, else `~/.pgpass`. */
  readonly password?: string
  /** On another machine, and named only by an `agent.yaml` that was found: it must not get the user's own password. */
  readonly isFound?: true
}

const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
export type TlsMode = (typeof TLS_MODES)[number]

export const DEFAULT_SCHEMA = 'keepsake'
const DEFAULT_PORT = 5432

export const POSTGRES_FORM = 'postgres://[USER@]HOST[:PORT]/DATABASE[?schema=NAME&sslmode=MODE&sslrootcert=FILE]'

export function isPostgresAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text)
}

/** `field`: named in the error, which never repeats the address. */
export function parsePostgresAddress(text: string, field = 'workspace'): PostgresPlace {
  const refuse = (problem: string): InvalidError => new InvalidError(field, problem, POSTGRES_FORM)
  // PostgreSQL allows a user or a port without a host; URLs don't.
  const whole = text.replace(/^([a-z]+:\/\/(?:[^/?#]*@)?)(?=[/:])/i, '$1localhost')
  if (!URL.canParse(whole) || /[\s\p{Cc}]/u.test(text)) throw refuse('this address is not valid')
  const url = new URL(whole)
  const { searchParams, hash } = url
  const known = ['schema', 'sslmode', 'sslrootcert', 'host']
  const unknown = [...searchParams.keys()].find((key) => !known.includes(key))
  // A "#" or "?" in a password that is not encoded ends the address early.
  if (unknown !== undefined || hash !== '') throw refuse(`after "?" the address may have only ${known.join(', ')}`)
  const host = searchParams.get('host') ?? (decodeIfValid(url.hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost')
  const database = decodeIfValid(url.pathname.slice(1))
  if (database === '') throw refuse('the address names no database')
  const schema = searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!isSchemaName(schema)) {
    throw new InvalidError(
      field,
      `"${schema}" is not a schema for a memory`,
      'lowercase letters, digits and "_", at most 63 characters',
    )
  }
  const mode = searchParams.get('sslmode') ?? (isLocalHost(host) ? 'disable' : 'verify-full')
  const tls = TLS_MODES.find((one) => one === mode)
  if (!tls) throw new InvalidError(field, `sslmode is "${mode}"`, TLS_MODES.join(', '))
  const [user, password, tlsAuthority] = [
    decodeIfValid(url.username),
    decodeIfValid(url.password),
    searchParams.get('sslrootcert'),
  ]
  return {
    host,
    port: Number(url.port) || DEFAULT_PORT,
    ...(user === '' ? {} : { user }),
    database,
    schema,
    tls,
    ...(tlsAuthority === null ? {} : { tlsAuthority }),
    ...(password === '' ? {} : { password }),
  }
}

/** The canonical address, without the password. */
export function postgresAddress({ host, port, user, database, schema, tls, tlsAuthority }: PostgresPlace): string {
  const isSocket = host.startsWith('/')
  const name = isSocket ? '' : host.includes(':') ? `[${host}]` : host
  const query = Object.entries({
    ...(isSocket ? { host } : {}),
    ...(schema === DEFAULT_SCHEMA ? {} : { schema }),
    ...(tls === (isLocalHost(host) ? 'disable' : 'verify-full') ? {} : { sslmode: tls }),
    ...(tlsAuthority === undefined ? {} : { sslrootcert: tlsAuthority }),
  }).map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll('%2F', '/')}`)
  const at = user === undefined ? '' : `${encodeURIComponent(user)}@`
  const where = `${name}${port === DEFAULT_PORT ? '' : `:${port}`}/${encodeURIComponent(database)}`
  return `postgres://${at}${where}${query.length === 0 ? '' : `?${query.join('&')}`}`
}

/** Whether what is sent to this host stays on this machine. */
export function isLocalHost(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function isSchemaName(name: string): boolean {
  return /^[a-z_][a-z0-9_]{0,62}$/.test(name) && !/^pg_|^information_schema$/.test(name)
}

function decodeIfValid(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
