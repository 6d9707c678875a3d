/**
 * The options of commands that serve over HTTP: where to listen, and the token that clients must send. There is always a token unless
 * --no-token is given: without it, every user of this machine could read and change the memory. A server never prints the token;
 * `install` prints it only in an entry to paste.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, lstatSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readTextFile } from '../config/read-text-file.ts'
import { ForeignError, InvalidError, KeepsakeError } from '../errors.ts'
import { urlHost } from '../http/hosts.ts'
import type { HttpOptions } from '../http/serve.ts'
import { wholeNumber } from '../model/number.ts'
import { shellLine } from '../model/shell-line.ts'
import { makeFolder } from '../stores/disk/system.ts'
import { usageError } from './arguments.ts'
import type { Context, Option } from './command.ts'
import { stateFolder } from './state-folder.ts'

const DEFAULT_PORT = 4242
const DEFAULT_HOST = '127.0.0.1'
const TOKEN_VARIABLE = 'KEEPSAKE_MCP_TOKEN'
const TOKEN_BYTES = 32
const OTHERS_ACCESS = 0o077

export const HTTP_OPTIONS = ['port', 'host', 'token-file', 'no-token', 'allow-host'] as const

export interface RequestedHttp extends Omit<HttpOptions, 'signal'> {
  /** The file with the token; missing if the token comes from the environment, or if there is none. */
  readonly tokenFile?: string
}

/** `only`: what the help says before each, where the command can do without HTTP. */
export function httpOptionsHelp(only = ''): readonly Option[] {
  return [
    { name: 'port', value: 'PORT', about: `${only}where to listen, default ${DEFAULT_PORT}; 0 takes a free one` },
    { name: 'host', value: 'HOST', about: `${only}the address to listen at, default ${DEFAULT_HOST}` },
    {
      name: 'token-file',
      value: 'FILE',
      about: `${only}a file with the token that clients must send; default: one created for you`,
    },
    { name: 'no-token', about: `${only}require no token from MCP clients: every user of this machine gets in` },
    {
      name: 'allow-host',
      value: 'NAME',
      many: true,
      about: `${only}one more name that clients may call this machine by; may be repeated`,
    },
  ]
}

export function httpOptions(context: Context): RequestedHttp {
  const { given } = context
  return {
    host: given.one('host') ?? DEFAULT_HOST,
    port: wholeNumber(given.number('port') ?? DEFAULT_PORT, 'port', 0, 65_535),
    ...requestedToken(context),
    allowHosts: given.all('allow-host'),
  }
}

/** The MCP address of the server that these options start. */
export function mcpUrl({ host, port }: Pick<HttpOptions, 'host' | 'port'>): string {
  return `http://${urlHost(host.toLowerCase())}:${port}/mcp`
}

/** The commands that connect a client to a server. The shell fills in the token, so the text does not contain it. */
export function connectText(url: string, http: RequestedHttp): string[] {
  const { hostname, port } = new URL(url)
  const { token, tokenFile } = http
  const options = [
    ...(port === `${DEFAULT_PORT}` ? [] : ['--port', port]),
    ...(hostname === DEFAULT_HOST ? [] : ['--host', hostname.replace(/[[\]]/g, '')]),
    ...(tokenFile === undefined || tokenFile === defaultTokenFile() ? [] : ['--token-file', tokenFile]),
    ...(token === undefined ? ['--no-token'] : []),
  ]
  return [
    `Add it to a client: ${shellLine(['keepsake', 'install', 'CLIENT', '--http', ...options])}`,
    `For Claude Code:    ${claudeLine(url, http)}`,
  ]
}

/** The command that adds a server to Claude Code. */
export function claudeLine(
  url: string,
  { token, tokenFile }: Pick<RequestedHttp, 'token' | 'tokenFile'>,
  options: readonly string[] = [],
): string {
  const add = shellLine(['claude', 'mcp', 'add', ...options, '--transport', 'http', 'keepsake', url])
  if (token === undefined) return add
  const filledIn = tokenFile === undefined ? `$${TOKEN_VARIABLE}` : `$(cat ${shellLine([tokenFile])})`
  return `${add} --header "Authorization: Bearer ${filledIn}"`
}

/** Warns that a server requires no token. */
export function noTokenWarnings(url: string, { token }: Pick<HttpOptions, 'token'>): readonly string[] {
  if (token !== undefined) return []
  return [`Anyone who can reach ${new URL(url).host} on this machine can read and change this memory.`]
}

function requestedToken({ given, asked }: Context): Pick<RequestedHttp, 'token' | 'tokenFile'> {
  const file = given.one('token-file')
  if (given.has('no-token')) {
    if (file !== undefined)
      throw usageError('--no-token and --token-file contradict each other', 'Leave one of them out.')
    return {}
  }
  if (file !== undefined) return readTokenFile(resolve(asked.cwd, file))
  const variable = process.env[TOKEN_VARIABLE]
  if (variable) return { token: variable }
  const own = defaultTokenFile()
  // A dry run of install writes nothing; it shows a placeholder for the token.
  if (given.has('dry-run') && !existsSync(own)) return { token: 'TOKEN', tokenFile: own }
  ensureToken(own)
  return readTokenFile(own)
}

function readTokenFile(tokenFile: string): { readonly token: string; readonly tokenFile: string } {
  const token = readTextFile(tokenFile).trim()
  if (token === '') throw new InvalidError('token-file', `${tokenFile} is empty`, 'a file with a token in it')
  return { token, tokenFile }
}

/** One token for all servers of a user. It is outside every memory, because a memory may be in a git repository or be synchronised. */
function defaultTokenFile(): string {
  return join(stateFolder(), 'token')
}

/** Creates the token unless it exists, and checks that only this user can access it. */
function ensureToken(file: string): void {
  try {
    if (!existsSync(file)) writeToken(file)
  } catch (cause) {
    // Another server may have created it at the same moment.
    if (!existsSync(file)) throw cannotStoreToken(file, cause)
  }
  const stats = lstatSync(file)
  if (stats.isSymbolicLink()) {
    const hint = 'Remove the link, or name the file it leads to with --token-file.'
    throw foreignToken(file, 'it is a link; the token is read only from a file', hint)
  }
  const user = process.getuid?.()
  if (user === undefined) return
  if (stats.uid !== user) throw new ForeignError(file, 'it belongs to another user')
  if ((stats.mode & OTHERS_ACCESS) === 0) return
  const hint = `To keep others out: ${shellLine(['chmod', '600', file])}. If someone may have read it, remove it: the next start creates a new one.`
  throw foreignToken(file, 'other users can read or change this token', hint)
}

/** Writes a temporary file and links it: linking fails if the name is taken, and no other process can read half a token. */
function writeToken(file: string): void {
  makeFolder(stateFolder())
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  writeFileSync(temporary, `${token}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(temporary, file)
  } finally {
    rmSync(temporary)
  }
}

function foreignToken(path: string, problem: string, hint: string): KeepsakeError {
  return new KeepsakeError('FOREIGN', `${path}: ${problem}`, { hint, data: { path } })
}

function cannotStoreToken(path: string, cause: unknown): KeepsakeError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new KeepsakeError('IO', `can't store a token in ${path}: ${reason}`, {
    hint: `Name another file with --token-file, set ${TOKEN_VARIABLE}, or serve without a token: --no-token.`,
    data: { path },
    cause,
  })
}
