/**
 * Where a memory on a server is: as the one address that people write and messages name, and as what a client is opened with. Pure: nobody
 * is asked. The token is deliberately not part of an address: those stand in files, lists of processes and error messages.
 */
import { InvalidError } from '../errors.ts'

export interface ServerPlace {
  /** `http://HOST:PORT` or `https://HOST:PORT`, and no more. */
  readonly url: string
  readonly tenant: string
  readonly database: string
  readonly token?: string
}

export const DEFAULT_TENANT = 'default_tenant'
export const DEFAULT_DATABASE = 'default_database'

const SCHEME = 'chroma:'
const PORTS = { 'http:': '8000', 'https:': '443' } as const

export const ADDRESS_FORM =
  'chroma://HOST[:PORT][/DATABASE][?tenant=TENANT&tls=1], without a user name or password in it'

export const NO_PASSWORD = 'an address holds no user name and no password; an "@" of a tenant is written %40'

/** `field`: who says it, for the error, which never repeats an address that may hold a password. */
export function parseAddress(text: string, field = 'workspace'): ServerPlace {
  const refuse = (problem: string): InvalidError => new InvalidError(field, problem, ADDRESS_FORM)
  // Wherever it stands: a password with a slash or "#" in it ends the authority before its "@".
  if (text.includes('@')) throw refuse(NO_PASSWORD)
  const [, authority = '', rest = ''] = /^chroma:\/\/([^/?#]*)(.*)$/is.exec(text) ?? []
  const [plain, secure] = [`http://${authority}`, `https://${authority}`]
  if (authority === '' || /[\s\p{Cc}]/u.test(text) || !URL.canParse(plain)) throw refuse(`"${text}" names no server`)
  const { pathname, searchParams, hash } = new URL(`http://${authority}${rest}`)
  const unknown = [...searchParams.keys()].find((name) => name !== 'tenant' && name !== 'tls')
  if (unknown !== undefined || hash !== '') throw refuse('behind "?" an address says tenant and tls, and nothing else')
  const protocol = isTls(searchParams.get('tls'), refuse) ? 'https:' : 'http:'
  // Each parser leaves its own usual port out, and no other.
  const port = new URL(plain).port || new URL(secure).port || PORTS[protocol]
  return {
    url: `${protocol}//${new URL(plain).hostname}:${port}`,
    tenant: checked(searchParams.get('tenant') ?? DEFAULT_TENANT, 'tenant', refuse),
    database: checked(decoded(pathname.replace(/^\/|\/$/g, '')) || DEFAULT_DATABASE, 'database', refuse),
  }
}

/** The one form of the address of a server: with its port. */
export function rootUrl(url: string): string {
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

/** The one address of a place, however it was written. Never with the token. */
export function addressOf({ url, tenant, database }: ServerPlace): string {
  const tls = url.startsWith('https:')
  const query = [
    ...(tenant === DEFAULT_TENANT ? [] : [`tenant=${encodeURIComponent(tenant)}`]),
    ...(tls ? ['tls=1'] : []),
  ].join('&')
  const path = database === DEFAULT_DATABASE ? '' : `/${encodeURIComponent(database)}`
  return `${rootUrl(url).replace(/^https?:/, SCHEME)}${path}${query === '' ? '' : `?${query}`}`
}

/** What servers take. */
export function isDatabaseName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{1,510}[a-z0-9]$/i.test(name) && !name.includes('..')
}

export function isTenantName(name: string): boolean {
  return /^[^\s/\p{Cc}]{1,512}$/u.test(name) && name.isWellFormed()
}

export function isServerAddress(text: string): boolean {
  return /^chroma:\/\//i.test(text)
}

/** Where what is sent is read by nobody on the way. The parser has made 127.0.0.1 of every other way to write it. */
export function isPrivateWay(url: string): boolean {
  return new URL(url).protocol === 'https:' || isLoopback(url)
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function isTls(said: string | null, refuse: (problem: string) => InvalidError): boolean {
  if (said === null || said === '0') return false
  if (said === '1') return true
  throw refuse(`"tls=${said}" is neither tls=1 nor tls=0`)
}

const NAMES = {
  tenant: { isRight: isTenantName, rule: 'it has 1 to 512 characters, and no blank or slash' },
  database: {
    isRight: isDatabaseName,
    rule: 'it has 3 to 512 letters, digits, dots, "_" and "-", no two dots together, a letter or digit first and last',
  },
} as const

function checked(name: string, of: keyof typeof NAMES, refuse: (problem: string) => InvalidError): string {
  const { isRight, rule } = NAMES[of]
  if (isRight(name)) return name
  throw refuse(`"${name}" is no name of a ${of}: ${rule}`)
}

/** What can't be decoded is a name that is refused. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
