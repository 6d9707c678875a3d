/**
 * The commands with which a client starts the MCP server and the hooks: what install writes, and how it recognises its own
 * commands, including those of 0.1, which ran `npx -y keepsake`.
 */
import { isUrl, resolvePath } from '../../config/value-types.ts'
import { isPostgresAddress, parsePostgresAddress, postgresAddress } from '../../model/postgres-address.ts'
import { shellLine } from '../../model/shell-line.ts'
import type { InstalledProgram } from '../installed-program.ts'
import { simpleCommand } from './simple-command.ts'

/** The name of our entry in every client's file. */
export const SERVER_NAME = 'keepsake'

export interface ServerOptions {
  readonly program: InstalledProgram
  readonly workspace?: string | undefined
  readonly agent?: string | undefined
  readonly config?: string | undefined
  readonly tools?: string | undefined
}

/** A client starts it in a folder of its own choice, so paths are made absolute: `from` is where they were typed. */
export function serverCommand(options: ServerOptions, from: string): string[] {
  return programCommand(['mcp'], options, from)
}

/** For a shell, which is what clients give it to. */
export function hookCommand(client: string, options: ServerOptions, from: string): string {
  return shellLine(programCommand(['hook', client], options, from))
}

function programCommand(
  verb: readonly string[],
  { program, workspace, agent, config, tools }: ServerOptions,
  from: string,
): string[] {
  const path = (text: string | undefined): string | undefined =>
    text === undefined || isUrl(text) ? withoutPassword(text) : resolvePath(text, from)
  const options: readonly (readonly [string, string | undefined])[] = [
    ['--workspace', path(workspace)],
    ['--agent', agent],
    ['--config', path(config)],
    ['--tools', tools],
  ]
  return [
    program.node,
    program.main,
    ...verb,
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
  ]
}

/** The file of an MCP client may be shared. */
function withoutPassword(address: string | undefined): string | undefined {
  return address !== undefined && isPostgresAddress(address) ? postgresAddress(parsePostgresAddress(address)) : address
}

const PACKAGE = /(^|[\\/])keepsake(@[^\\/]*|\.cmd|\.exe)?$/
const BUILD = /[\\/]cli[\\/]main\.js$/

/** Also one that a person wrote, as long as it starts this program's server. */
export function isServerCommand(words: readonly string[]): boolean {
  const starter = words[words.indexOf('mcp') - 1]
  return starter !== undefined && (PACKAGE.test(starter) || BUILD.test(starter))
}

/** Whether an address has the form that install writes. */
export function isServerUrl(url: string | undefined): boolean {
  return url !== undefined && /^http:\/\/[^/]+\/mcp$/.test(url)
}

/**
 * The same of a hook, which is a line of shell: one that calls ours and does nothing else. A line with more in it is a person's
 * own.
 */
export function isHookCommand(line: string): boolean {
  const words = simpleCommand(line) ?? []
  const verb = words.indexOf('hook')
  const starter = words[verb - 1]
  if (starter === undefined || !/^[a-z]+$/.test(words[verb + 1] ?? '')) return false
  return isRunner(words.slice(0, verb - 1), starter) && areOptions(words.slice(verb + 2))
}

/** npx with its options, or the Node that a build is run by. */
function isRunner(words: readonly string[], starter: string): boolean {
  const [runner, ...rest] = words
  if (runner === undefined) return PACKAGE.test(starter) || BUILD.test(starter)
  if (BUILD.test(starter)) return rest.length === 0 && /^(\/|[A-Za-z]:[\\/]|node(js)?(\.exe)?$)/.test(runner)
  return PACKAGE.test(starter) && isNpx(runner) && rest.every((word) => word.startsWith('-'))
}

/** Whether a word runs npx, which fetches the package from the npm registry, where we do not own its name. */
export function isNpx(word: string | undefined): boolean {
  return word !== undefined && /(^|[\\/])npx(\.cmd)?$/.test(word)
}

/** Each with a value at most. */
function areOptions(words: readonly string[]): boolean {
  return words.every((word, n) => word.startsWith('--') || words[n - 1]?.startsWith('--') === true)
}

/** Whether a line speaks of our hook at all. */
export function namesHook(line: string): boolean {
  return /((^|[\s'"\\/])keepsake(@[^\s'"\\/]*|\.cmd|\.exe)?|[\\/]cli[\\/]main\.js)['"]? hook [a-z]/.test(line)
}
