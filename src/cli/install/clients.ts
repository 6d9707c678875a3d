/**
 * The table of clients: where each keeps its MCP servers and its hooks, and what an entry looks like there. Where a client has
 * files that people own, install merges them; the others are shown what to paste.
 */
import { join, resolve } from 'node:path'
import type { JsonValue } from '../../model/entry.ts'
import { CLAUDE_HOOKS, type ClientHooks, CODEX_HOOKS, GEMINI_HOOKS } from './client-hooks.ts'
import { SERVER_NAME } from './server-command.ts'

export type Entry = Readonly<Record<string, JsonValue>>

export const SCOPES = ['project', 'user'] as const

export type Scope = (typeof SCOPES)[number]

/** What the places of the files depend on. */
export interface Surroundings {
  readonly cwd: string
  /** Asked only where a place lies below it. */
  readonly home: () => string
  readonly variable: (name: string) => string | undefined
}

export interface Place {
  /** Folders below this one go with the file once they are empty. In a home there are none: all may have been there before. */
  readonly base: string
  /** Paths below it; the first that is there is meant, else the first. */
  readonly files: readonly string[]
}

export type Places = Partial<Readonly<Record<Scope, (around: Surroundings) => Place>>>

export interface Client {
  readonly title: string
  readonly format: 'json' | 'toml'
  /** Its file may have no comments and no trailing commas. */
  readonly plainJson?: true
  /** The keys that lead to its servers. */
  readonly servers: readonly string[]
  readonly entry: (command: readonly string[]) => Entry
  /** The entry for a running server, without headers. */
  readonly atUrl: (url: string) => Entry
  /** The key of the headers, if it is not `headers`. */
  readonly headersKey?: string
  /** What else makes the client call our tools without asking each time; missing where its entry can't say that. */
  readonly trusted?: Entry
  /** Where to paste it. */
  readonly pasted: string
  /** How to see that it works. */
  readonly check: string
  /** The scopes that have a file of their own, the usual one first; empty: the client is only shown what to paste. */
  readonly places: Places
  /** For a scope that the client manages itself: options for its command `mcp add`, and the command that removes the entry. */
  readonly commands?: Partial<Readonly<Record<Scope, { readonly add: readonly string[]; readonly remove: string }>>>
  /** Missing where a client has none that a command line can be given to. */
  readonly hooks?: ClientHooks
}

const GEMINI_PLACES: Places = {
  user: ({ cwd, home, variable }) => ({
    base: resolve(cwd, variable('GEMINI_CLI_HOME') ?? home(), '.gemini'),
    files: ['settings.json'],
  }),
  project: (around) => inProject(around, '.gemini', 'settings.json'),
}

export const CLIENTS: Readonly<Record<string, Client>> = {
  claude: {
    title: 'Claude Code',
    format: 'json',
    plainJson: true,
    servers: ['mcpServers'],
    entry: (command) => ({ type: 'stdio', ...split(command) }),
    atUrl: (url) => ({ type: 'http', url }),
    pasted: '.mcp.json in the folder of the project',
    check: 'claude mcp list',
    places: { project: ({ cwd }) => ({ base: cwd, files: ['.mcp.json'] }) },
    // Its user scope lies in ~/.claude.json, which every running Claude Code rewrites as a whole.
    commands: {
      user: {
        add: ['--scope', 'user'],
        remove: `claude mcp remove --scope user ${SERVER_NAME}`,
      },
    },
    hooks: { ...CLAUDE_HOOKS, places: dotFolder('.claude', 'CLAUDE_CONFIG_DIR', 'settings.json') },
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    servers: ['mcp_servers'],
    entry: split,
    atUrl: (url) => ({ url }),
    headersKey: 'http_headers',
    trusted: { default_tools_approval_mode: 'approve' },
    pasted: '~/.codex/config.toml',
    check: 'codex mcp list',
    places: dotFolder('.codex', 'CODEX_HOME', 'config.toml'),
    hooks: { ...CODEX_HOOKS, places: dotFolder('.codex', 'CODEX_HOME', 'hooks.json') },
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    servers: ['mcpServers'],
    entry: split,
    atUrl: (httpUrl) => ({ httpUrl }),
    trusted: { trust: true },
    pasted: '~/.gemini/settings.json',
    check: 'gemini mcp list',
    places: GEMINI_PLACES,
    hooks: { ...GEMINI_HOOKS, places: GEMINI_PLACES },
  },
  opencode: {
    title: 'OpenCode',
    format: 'json',
    servers: ['mcp'],
    entry: (command) => ({ type: 'local', command, enabled: true }),
    atUrl: (url) => ({ type: 'remote', url, enabled: true }),
    pasted: 'opencode.json in the folder of the project',
    check: 'opencode mcp list',
    places: {
      project: ({ cwd }) => ({ base: cwd, files: ['opencode.json', 'opencode.jsonc'] }),
      user: ({ home, variable }) => ({
        base: join(variable('XDG_CONFIG_HOME') ?? join(home(), '.config'), 'opencode'),
        files: ['opencode.json', 'opencode.jsonc'],
      }),
    },
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    servers: ['mcpServers'],
    entry: split,
    atUrl: (url) => ({ url }),
    pasted: '.cursor/mcp.json in the folder of the project, or ~/.cursor/mcp.json',
    check: 'the list of MCP servers in its settings',
    places: {},
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    servers: ['servers'],
    entry: (command) => ({ type: 'stdio', ...split(command) }),
    atUrl: (url) => ({ type: 'http', url }),
    pasted: '.vscode/mcp.json in the folder of the project',
    check: 'its command "MCP: List Servers"',
    places: {},
  },
  windsurf: {
    title: 'Windsurf',
    format: 'json',
    servers: ['mcpServers'],
    entry: split,
    atUrl: (serverUrl) => ({ serverUrl }),
    pasted: '~/.codeium/windsurf/mcp_config.json',
    check: 'the list of MCP servers in its settings',
    places: {},
  },
  zed: {
    title: 'Zed',
    format: 'json',
    servers: ['context_servers'],
    entry: split,
    atUrl: (url) => ({ url }),
    pasted: '~/.config/zed/settings.json',
    check: 'the list of MCP servers in its settings',
    places: {},
  },
  generic: {
    title: 'another client',
    format: 'json',
    servers: ['mcpServers'],
    entry: split,
    atUrl: (url) => ({ url }),
    pasted: 'the file where that client keeps its MCP servers',
    check: "that client's list of MCP servers",
    places: {},
  },
}

export const CLIENT_NAMES: readonly string[] = Object.keys(CLIENTS)

/** The words that an entry of any client starts its server with; none where it is reached by an address. */
export function commandOf(entry: unknown): readonly string[] {
  if (typeof entry !== 'object' || entry === null) return []
  const { command, args } = entry as { readonly command?: unknown; readonly args?: unknown } // anything may stand there
  return [command, args].flat().filter((word) => typeof word === 'string')
}

/** The address in an entry of any client; undefined if the entry starts a server. */
export function urlIn(entry: unknown): string | undefined {
  const { url, httpUrl, serverUrl } = Object(entry)
  return [url, httpUrl, serverUrl].find((value) => typeof value === 'string')
}

/** The entry for a server at an address, with the token as a header. */
export function httpEntry({ atUrl, headersKey = 'headers' }: Client, url: string, token: string | undefined): Entry {
  return { ...atUrl(url), ...(token === undefined ? {} : { [headersKey]: { Authorization: `Bearer ${token}` } }) }
}

/** The token in an entry that `httpEntry` made. */
export function tokenIn({ headersKey = 'headers' }: Client, entry: Entry): string | undefined {
  const { Authorization: header } = Object(entry[headersKey])
  return typeof header === 'string' ? header.replace(/^Bearer /, '') : undefined
}

/** A folder of the client in the home, unless a variable names another, and one of that name in the project. */
function dotFolder(folder: string, moved: string, file: string): Places {
  return {
    user: ({ cwd, home, variable }) => {
      const other = variable(moved)
      return { base: other === undefined ? join(home(), folder) : resolve(cwd, other), files: [file] }
    },
    project: (around) => inProject(around, folder, file),
  }
}

/** Who works in the home itself has the client's own folder there, not one of a project. */
function inProject({ cwd, variable }: Surroundings, folder: string, file: string): Place {
  const isHome = cwd === variable('HOME')
  return isHome ? { base: join(cwd, folder), files: [file] } : { base: cwd, files: [join(folder, file)] }
}

function split([command = '', ...args]: readonly string[]): { command: string; args: readonly string[] } {
  return { command, args }
}
