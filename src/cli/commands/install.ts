/** `keepsake install`: puts the MCP server, and if asked the hooks, into a client's configuration, and nothing else anywhere. */
import { statSync } from 'node:fs'
import { isFoundServer } from '../../config/found-server.ts'
import type { Config } from '../../config/load-config.ts'
import { PRESET_NAMES } from '../../model/preset.ts'
import { shellLine } from '../../model/shell-line.ts'
import { usageError } from '../arguments.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { rowsText } from '../entry-text.ts'
import { CLIENT_NAMES, CLIENTS, type Entry, httpEntry } from '../install/clients.ts'
import { readConfigFile, writeConfigFile } from '../install/config-file.ts'
import { triedOutcome } from '../install/diff.ts'
import { type Edit, formatOf, installed } from '../install/edit.ts'
import {
  afterFirst,
  bothOutcomes,
  checkHooks,
  installHooks,
  plannedHooks,
  printedHooks,
  registryHookWarnings,
} from '../install/hooks.ts'
import { plainJsonWarning } from '../install/plain-json.ts'
import { hookCommand, SERVER_NAME, type ServerOptions, serverCommand } from '../install/server-command.ts'
import { SCOPE, type Target, targetOf } from '../install/target.ts'
import { installedProgram, isInRunnerCache } from '../installed-program.ts'

export const install: Command = {
  verb: 'install',
  operands: [{ name: 'CLIENT' }],
  about: [
    'Adds this memory to the MCP servers of an agent program: claude (.mcp.json here), codex (~/.codex/config.toml, or',
    'below CODEX_HOME), gemini (~/.gemini/settings.json) or opencode (opencode.json here). All else in that file stays as',
    'it is, byte for byte; "keepsake uninstall" takes the entry back. For cursor, vscode, windsurf, zed and generic it',
    'shows what to paste. What --workspace, --agent and --config say here is written into the entry. Running it again',
    'changes nothing. With --http the entry has the address and the token of a server that you run yourself, "keepsake',
    'serve" or "keepsake mcp --http". With --hooks, claude, codex and gemini also call "keepsake hook" by themselves: it',
    'gives the model what it should know, and saves transcripts. More about each client: docs/clients.md, docs/hooks.md.',
  ],
  options: [
    SCOPE,
    { name: 'tools', value: PRESET_NAMES.join('|'), about: 'the set of tools that the client is given' },
    { name: 'http', about: 'connect to a running server by its address and token, instead of starting one' },
    { name: 'port', value: 'PORT', about: 'with --http: the port of that server, default 4242' },
    { name: 'host', value: 'HOST', about: 'with --http: its address, default 127.0.0.1' },
    {
      name: 'token-file',
      value: 'FILE',
      about: 'with --http: the file with its token, if the server was started with --token-file',
    },
    { name: 'no-token', about: 'with --http: the server was started with --no-token' },
    { name: 'hooks', about: 'also set up the hooks of claude, codex or gemini' },
    { name: 'trust', about: 'let codex or gemini call the tools without asking each time' },
    { name: 'dry-run', about: 'only show what would change' },
    { name: 'print', about: 'only print the entry, or with --hooks the hooks, to paste it' },
    { name: 'force', about: 'replace an entry "keepsake" that starts something else' },
  ],
  examples: [
    'keepsake install claude',
    'keepsake install gemini --hooks',
    'keepsake install codex --http',
    'keepsake install codex --workspace ~/notes --agent scout --dry-run',
    'keepsake install vscode --print > .vscode/mcp.json',
  ],
  run,
}

/** How the client reaches the memory. */
interface Connection {
  readonly entry: Entry
  /** A labelled line of the output: what the client starts or connects to. */
  readonly row: readonly [label: string, text: string]
  /** The command that adds it to Claude Code. */
  readonly claudeLine: (options: readonly string[]) => string
  /** The entry contains a secret. */
  readonly hasToken: boolean
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked } = context
  const target = targetOf(context)
  checkHttpOptions(context)
  const loaded = await configAsked(context)
  const options = optionsFor(context, target, loaded)
  const hooks = given.has('hooks') ? plannedHooks(target, hookCommand(target.name, options, asked.cwd)) : undefined
  if (given.has('print') && hooks) return printedHooks(target, hooks)
  const connection = given.has('http')
    ? await httpConnection(context, target)
    : stdioConnection(target, serverCommand(options, asked.cwd))
  const trusted = { ...connection, entry: { ...connection.entry, ...trustedPart(target, given.has('trust')) } }
  if (given.has('print')) return printed(target, trusted.entry)
  if (hooks) await checkHooks(context, hooks)
  const server = withWarnings(await installServer(context, target, trusted), [
    ...(given.has('http') ? [] : foundWarnings(context, target, loaded)),
    ...(given.has('http') && !hooks ? [] : cacheWarnings(options)),
    ...(hooks ? [] : await registryHookWarnings(context, target)),
  ])
  if (!hooks) return server
  return bothOutcomes(server, await afterFirst(server, () => installHooks(context, hooks)))
}

function checkHttpOptions({ given }: Context): void {
  const httpOption = ['port', 'host', 'token-file', 'no-token'].find((name) => given.has(name))
  if (!given.has('http')) {
    if (httpOption)
      throw usageError(`--${httpOption} works only with --http`, `Add --http, or leave --${httpOption} out.`)
    return
  }
  const serverOption = ['workspace', 'agent', 'config', 'tools'].find((name) => given.has(name))
  if (serverOption === undefined || given.has('hooks')) return
  throw usageError(
    `--${serverOption} can't be combined with --http: the running server decides it`,
    `Leave it out here, and give it to "keepsake serve" or "keepsake mcp --http".`,
  )
}

function stdioConnection({ client }: Target, command: readonly string[]): Connection {
  return {
    entry: client.entry(command),
    row: ['starts', shellLine(command)],
    claudeLine: (options) => shellLine(['claude', 'mcp', 'add', ...options, SERVER_NAME, '--', ...command]),
    hasToken: false,
  }
}

async function httpConnection(context: Context, { client }: Target): Promise<Connection> {
  const { claudeLine, httpOptions, mcpUrl } = await import('../http-options.ts')
  const http = httpOptions(context)
  const url = mcpUrl(http)
  return {
    entry: httpEntry(client, url, http.token),
    row: ['url', url],
    claudeLine: (options) => claudeLine(url, http, options),
    hasToken: http.token !== undefined,
  }
}

async function installServer(context: Context, target: Target, connection: Connection): Promise<Outcome> {
  const { given, screen } = context
  const { entry, row, hasToken } = connection
  if (target.place === undefined) return shown(target, connection)
  const file = await readConfigFile(target.place)
  const edit = installed(target.client, file, entry, given.has('force'))
  const isTried = given.has('dry-run')
  if (!isTried && edit.after !== file.text) await writeConfigFile(file, edit.after, hasToken ? 0o600 : undefined)
  const json = { client: target.name, scope: target.scope, file: file.path, changed: !isTried && edit.was !== 'same' }
  const done = doneText(context, target, edit, file.path)
  if (isTried) return triedOutcome(context, file, edit.after, json, done)
  const rows = rowsText([row, ['check', target.client.check]], screen)
  const text = [done, ...(edit.was === 'same' ? [] : rows)].join('\n')
  const { title, plainJson } = target.client
  const warnings = [
    ...(plainJson ? plainJsonWarning(title, file.path, edit.after) : []),
    ...(hasToken ? secretWarnings(target, file.path, screen.path('', file.path)) : []),
  ]
  return { json, text, quietText: '', warnings }
}

function secretWarnings({ scope }: Target, path: string, shownPath: string): readonly string[] {
  const othersMayRead = (statSync(path).mode & 0o077) !== 0
  return [
    ...(scope === 'project' ? [`${shownPath} contains the token of the server: keep it out of version control`] : []),
    ...(othersMayRead
      ? [`other users can read the token in ${shownPath}; to prevent that: ${shellLine(['chmod', '600', shownPath])}`]
      : []),
  ]
}

/** From the configuration that counts here: what is wrong with it is told now, not by a server that a client can't start. */
function optionsFor(context: Context, { scope }: Target, loaded: Config): ServerOptions {
  const { given } = context
  const [workspace, agent, named, tools] = (['workspace', 'agent', 'config', 'tools'] as const).map((name) =>
    given.one(name),
  )
  // What was only found is not followed beyond this machine by what runs unattended: who installs it here names it.
  const found = scope !== 'user' && isFoundServer(loaded) ? loaded.file : undefined
  const config = named ?? found
  return { program: installedProgram(), workspace, agent, config, tools }
}

function foundWarnings(context: Context, { scope }: Target, config: Config): readonly string[] {
  if (!isFoundServer(config)) return []
  const leads = `${context.screen.path('', config.file ?? '')} leads to ${config.values.workspace}`
  if (scope !== 'user') return [`${leads}: what the client is told to start sends memories there`]
  return [
    `${leads}, and an entry for all projects does not follow it: name it with --config, or choose --scope project`,
  ]
}

function cacheWarnings({ program }: ServerOptions): readonly string[] {
  if (!isInRunnerCache(program)) return []
  return [
    `this program runs from a cache (${program.main}); when the cache is cleared, the client can't start it: install it with "npm install --global" and run this again`,
  ]
}

function withWarnings(outcome: Outcome, warnings: readonly string[]): Outcome {
  return { ...outcome, warnings: [...outcome.warnings, ...warnings] }
}

function trustedPart({ client }: Target, isTrusted: boolean): Entry {
  if (!isTrusted) return {}
  if (client.trusted) return client.trusted
  const able = CLIENT_NAMES.filter((name) => CLIENTS[name]?.trusted)
  throw usageError(
    `${client.title} can't be told that in the entry of a server`,
    `Leave --trust out; it works for ${able.join(', ')}. Say in ${client.title} itself which tools it may call.`,
  )
}

function printed({ name, client }: Target, entry: Entry): Outcome {
  const snippet = formatOf(client).snippet(entry)
  return {
    json: { client: name, file: null, changed: false, snippet },
    text: snippet,
    quietText: snippet,
    warnings: [],
  }
}

/** For a client, or a scope of one, whose file is not ours to write. */
function shown(target: Target, { entry, claudeLine }: Connection): Outcome {
  const { name, scope, client } = target
  const own = scope && client.commands?.[scope]
  if (!own) {
    const { json, quietText } = printed(target, entry)
    const text = [`Nothing was written. For ${client.title}, put this into ${client.pasted}:`, '', quietText].join('\n')
    return { json, text, quietText, warnings: [] }
  }
  const line = claudeLine(own.add)
  return {
    json: { client: name, scope, file: null, changed: false, command: line },
    text: [`Nothing was written. ${client.title} does this itself; run:`, '', line].join('\n'),
    quietText: line,
    warnings: [],
  }
}

function doneText({ screen }: Context, { client }: Target, { was }: Edit, path: string): string {
  const [title, place] = [client.title, screen.path('', path)]
  if (was === 'same') return `Already installed for ${title} in ${place}; nothing was changed`
  return was === 'absent' ? `Installed for ${title} in ${place}` : `Renewed the entry for ${title} in ${place}`
}
