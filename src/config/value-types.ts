/**
 * The sorts of values that `agent.yaml` holds, each as one function from what is written to what it means. All of them read
 * text, so that 5, "5" and --limit=5 are one thing. `undefined` is "not allowed": the caller knows the file and the line.
 */
import { join, resolve } from 'node:path'
import { isKeepsakeError } from '../errors.ts'
import { WORLD } from '../model/entry.ts'
import { normalizeAgentId } from '../model/name.ts'
import { isPostgresAddress, POSTGRES_FORM, parsePostgresAddress, postgresAddress } from '../model/postgres-address.ts'
import {
  addressOf,
  isDatabaseName,
  isServerAddress,
  isTenantName,
  NO_PASSWORD,
  parseAddress,
  rootUrl,
} from '../model/server-address.ts'
import { parseZone } from '../model/time.ts'
import { workspaceAt } from './find-workspace.ts'
import { homeFolder } from './home-folder.ts'

export interface TextType<T> {
  /** Completes `"x" is not …`. */
  readonly what: string
  /** Completes "Allowed: …". */
  readonly allowed: string
  /** Relative paths are taken from `folder`. */
  readonly read: (text: string, folder: string) => T | undefined
  /** What is wrong with a value, where more can be said than what it is not; never with a secret in it. */
  readonly problem?: (text: string) => string | undefined
  /** A wrong value is not repeated in the error: it may hold a secret. */
  readonly mayHoldSecret?: true
}

export function oneOf<T extends string>(what: string, words: readonly T[]): TextType<T> {
  return { what, allowed: words.join(', '), read: (text) => words.find((word) => word === text) }
}

export const TRUTH: TextType<boolean> = {
  what: 'true or false',
  allowed: 'true, false',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}

export function whole(least: number, most: number): TextType<number> {
  const allowed = `a whole number from ${least} to ${most}`
  return {
    what: allowed,
    allowed,
    read: (text) => {
      const number = /^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : undefined
      return number !== undefined && number >= least && number <= most ? number : undefined
    },
  }
}

/** A number, or a word that stands for one. */
export function wholeOr<T extends string>(least: number, most: number, word: T): TextType<number | T> {
  const number = whole(least, most)
  const allowed = `${number.allowed}, or ${word}`
  return { what: allowed, allowed, read: (text, folder) => (text === word ? word : number.read(text, folder)) }
}

export const WORKSPACE: TextType<string> = {
  what: 'a path',
  allowed: 'a path; relative ones begin at the folder of this file, ~ is the home folder; or postgres://HOST/DATABASE',
  read: (text, folder) => {
    if (isServerAddress(text)) return unlessRefused(() => addressOf(parseAddress(text)))
    if (isPostgresAddress(text))
      return hasPassword(text) ? undefined : unlessRefused(() => postgresAddress(parsePostgresAddress(text)))
    return isLine(text) && !isUrl(text) && !isOthersHome(text) ? workspaceAt(resolvePath(text, folder)) : undefined
  },
  problem: (text) => (isUrl(text) ? addressProblem(text) : othersHome(text)),
}

/** A name stays a name: it lies in the agent's folder. All else is a path, which only configuration may give. */
export const IDENTITY: TextType<string> = {
  what: 'a place for the identity',
  allowed: 'a file name that ends in .md (not MEMORY.md, HISTORY.md), or a path out of the workspace to such a file',
  read: (text, folder) => {
    if (!isLine(text) || !text.endsWith('.md') || isOthersHome(text)) return undefined
    if (/[\\/]/.test(text)) return resolvePath(text, folder)
    return /^[^.:][^:]*$/.test(text) && !/^(memory|history(-\d{4}-\d\d)?)\.md$/i.test(text) ? text : undefined
  },
}

export const AGENT: TextType<string> = {
  what: 'an agent id',
  allowed: 'letters, digits, ".", "_" and "-", at most 64, not starting with a dot; not "world"',
  read: (text) => unlessRefused(() => normalizeAgentId(text)),
  problem: (text) => (text.toLowerCase() === WORLD ? `"${text}" is the shared scope` : undefined),
}

export const ZONE: TextType<string> = {
  what: 'a time zone',
  allowed: 'an IANA name such as Europe/Berlin, or UTC',
  read: (text) => unlessRefused(() => parseZone(text)),
}

export const LANGUAGE: TextType<string> = {
  what: 'a language',
  allowed: 'a code of two letters such as en, de or fr',
  read: (text) => (/^[a-z]{2}$/.test(text) && isLanguage(text) ? text : undefined),
}

export const WORD: TextType<string> = {
  what: 'a name',
  allowed: 'a name without blanks',
  read: (text) => (isLine(text) && !/\s/.test(text) ? text : undefined),
}

/** Holds the token of a server, for who keeps it out of files. */
export const TOKEN_VARIABLE = 'KEEPSAKE_CHROMA_TOKEN'

/** Other programs put a variable in for `${…}`. Here that would be sent as the token itself. */
export const TOKEN: TextType<string> = {
  what: 'a token',
  allowed: `text without blanks, sent as it is; to keep it out of files: ${TOKEN_VARIABLE} in the environment`,
  mayHoldSecret: true,
  read: (text, folder) => (isTemplate(text) ? undefined : WORD.read(text, folder)),
  problem: (text) => (isTemplate(text) ? `no variable is put in for \${…} here` : undefined),
}

function isTemplate(text: string): boolean {
  return text.includes('${')
}

export const SERVER: TextType<string> = {
  what: 'the address of a server',
  allowed: 'an address that begins with http:// or https://, without a user name or password in it',
  mayHoldSecret: true,
  read: (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
    return url.username === '' && url.password === '' && isLine(text) ? text : undefined
  },
}

/** One that has nothing below it: where its API is, the server knows. */
const SERVER_ROOT: TextType<string> = {
  ...SERVER,
  allowed: 'http://HOST:PORT or https://HOST, without a user name, password or path in it',
  read: (text, folder) => {
    const address = SERVER.read(text, folder)
    const isRoot = address !== undefined && `${new URL(address).origin}/` === new URL(address).href
    return isRoot ? rootUrl(address) : undefined
  },
}

/** `url`: for Chroma the root of the server, for PostgreSQL the whole address. */
export const SERVER_URL: TextType<string> = {
  ...SERVER_ROOT,
  allowed: `${SERVER_ROOT.allowed}; or ${POSTGRES_FORM}`,
  read: (text, folder) => (isPostgresAddress(text) ? WORKSPACE.read(text, folder) : SERVER_ROOT.read(text, folder)),
  problem: (text) => (isPostgresAddress(text) ? addressProblem(text) : undefined),
}

/** The variable that PostgreSQL's own programs read. */
export const PASSWORD_VARIABLE = 'PGPASSWORD'

/** Best kept out of files: set in the environment, or part of an address on the command line. */
export const PASSWORD: TextType<string> = {
  what: 'a password',
  allowed: 'text; to keep it out of files: PGPASSWORD in the environment, or a line in ~/.pgpass',
  mayHoldSecret: true,
  read: (text) => (isTemplate(text) || text === '' ? undefined : text),
}

export const TENANT: TextType<string> = {
  what: 'a tenant',
  allowed: 'a name without blanks and slashes',
  read: (text) => (isTenantName(text) ? text : undefined),
}

export const DATABASE: TextType<string> = {
  what: 'a database',
  allowed: 'letters, digits, ".", "_" and "-", at least 3, the first and the last a letter or digit',
  read: (text) => (isDatabaseName(text) ? text : undefined),
}

/** Not the key itself, which people put here by mistake. */
export const VARIABLE: TextType<string> = {
  what: 'the name of a variable',
  allowed: 'the name of an environment variable, such as OPENAI_API_KEY',
  mayHoldSecret: true,
  read: (text) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : undefined),
}

export function resolvePath(text: string, folder: string): string {
  return text === '~' || text.startsWith('~/') ? join(homeFolder(), text.slice(1)) : resolve(folder, text)
}

export function isUrl(text: string): boolean {
  // Who leaves a slash out of the address of a server does not mean a folder of that name.
  return /^[a-z][a-z0-9+.-]*:\/\/|^(chroma|postgres(ql)?):/i.test(text)
}

/** A shell would know whose that is; taken for a folder called `~bob`, it would be found by nobody. */
function isOthersHome(text: string): boolean {
  return /^~[^/]+\//.test(text) || /^~[\w.-]+$/.test(text)
}

function othersHome(text: string): string | undefined {
  return isOthersHome(text) ? `${JSON.stringify(text)} begins in the home folder of someone else` : undefined
}

/** An address may hold a password or a token, so it is not repeated. */
function addressProblem(text: string): string {
  if (isPostgresAddress(text))
    return hasPassword(text) ? FILE_HAS_PASSWORD : readProblem(() => parsePostgresAddress(text))
  return text.includes('@') ? NO_PASSWORD : 'this is not the address of a memory'
}

const FILE_HAS_PASSWORD =
  'this address has a password, which does not belong in a file: set PGPASSWORD, or add a line to ~/.pgpass'

function hasPassword(address: string): boolean {
  return !URL.canParse(address) || new URL(address).password !== ''
}

function readProblem(read: () => unknown): string {
  try {
    read()
    return 'this is not the address of a memory'
  } catch (error) {
    return isKeepsakeError(error) ? error.message.replace(/^workspace: /, '') : String(error)
  }
}

function isLine(text: string): boolean {
  return text.trim() !== '' && !/\p{Cc}/u.test(text) && text.isWellFormed()
}

function isLanguage(code: string): boolean {
  return new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(code) !== undefined
}

function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isKeepsakeError(error)) return undefined
    throw error
  }
}
