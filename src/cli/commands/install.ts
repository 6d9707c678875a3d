/** `keepsake install`: puts the MCP server, and if asked the hooks, into a client's configuration, and nothing else anywhere. */
import { realpathSync } from 'node:fs'
import { isFoundServer } from '../../config/found-server.ts'
import type { Config } from '../../config/load-config.ts'
import { PRESET_NAMES } from '../../model/preset.ts'
import { usageError } from '../arguments.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { rowsText } from '../entry-text.ts'
import { CLIENT_NAMES, CLIENTS, type Entry } from '../install/clients.ts'
import { readConfigFile, writeConfigFile } from '../install/config-file.ts'
import { triedOutcome } from '../install/diff.ts'
import { type Edit, formatOf, installed } from '../install/edit.ts'
import { afterFirst, bothOutcomes, checkHooks, installHooks, plannedHooks, printedHooks } from '../install/hooks.ts'
import { plainJsonWarning } from '../install/plain-json.ts'
import {
  hookCommand,
  type LocalBuild,
  type ServerOptions,
  serverCommand,
  shellLine,
} from '../install/server-command.ts'
import { SCOPE, type Target, targetOf } from '../install/target.ts'

export const install: Command = {
  verb: 'install',
  operands: [{ name: 'CLIENT' }],
  about: [
    'Adds this memory to the MCP servers of an agent program: claude (.mcp.json here), codex (~/.codex/config.toml, or',
    'below CODEX_HOME), gemini (~/.gemini/settings.json) or opencode (opencode.json here). All else in that file stays as',
    'it is, byte for byte; "keepsake uninstall" takes the entry back. For cursor, vscode, windsurf, zed and generic it',
    'shows what to paste. What --workspace, --agent and --config say here is written into the entry. Running it again',
    'changes nothing. With --hooks, claude, codex and gemini also call "keepsake hook" by themselves: the model is given',
    'what it should know, and transcripts are saved. More about each client: docs/clients.md, docs/hooks.md.',
  ],
  options: [
    SCOPE,
    { name: 'tools', value: PRESET_NAMES.join('|'), about: 'the set of tools that the client is given' },
    { name: 'local', about: 'start this very build by its path, not the package by npx' },
    { name: 'hooks', about: 'also set up the hooks of claude, codex or gemini' },
    { name: 'trust', about: 'let codex or gemini call the tools without asking each time' },
    { name: 'dry-run', about: 'only show what would change' },
    { name: 'print', about: 'only print the entry, or with --hooks the hooks, to paste it' },
    { name: 'force', about: 'replace an entry "keepsake" that starts something else' },
  ],
  examples: [
    'keepsake install claude',
    'keepsake install gemini --hooks',
    'keepsake install codex --workspace ~/notes --agent scout --dry-run',
    'keepsake install vscode --print > .vscode/mcp.json',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked } = context
  const target = targetOf(context)
  const loaded = await configAsked(context)
  const options = optionsFor(context, target, loaded)
  const command = serverCommand(options, asked.cwd)
  const entry = entryFor(target, command, given.has('trust'))
  const hooks = given.has('hooks') ? plannedHooks(target, hookCommand(target.name, options, asked.cwd)) : undefined
  if (given.has('print')) return hooks ? printedHooks(target, hooks) : printed(target, entry)
  if (hooks) await checkHooks(context, hooks)
  const server = withWarnings(
    await installServer(context, target, command, entry),
    foundWarnings(context, target, loaded),
  )
  if (!hooks) return server
  return bothOutcomes(server, await afterFirst(server, () => installHooks(context, hooks)))
}

async function installServer(
  context: Context,
  target: Target,
  command: readonly string[],
  entry: Entry,
): Promise<Outcome> {
  const { given } = context
  if (target.place === undefined) return shown(target, command, entry)
  const file = await readConfigFile(target.place)
  const edit = installed(target.client, file, entry, given.has('force'))
  const isTried = given.has('dry-run')
  if (!isTried && edit.after !== file.text) await writeConfigFile(file, edit.after)
  const json = { client: target.name, scope: target.scope, file: file.path, changed: !isTried && edit.was !== 'same' }
  const done = doneText(context, target, edit, file.path)
  if (isTried) return triedOutcome(context, file, edit.after, json, done)
  const rows = rowsText(
    [
      ['starts', shellLine(command)],
      ['check', target.client.check],
    ],
    context.screen,
  )
  const text = [done, ...(edit.was === 'same' ? [] : rows)].join('\n')
  const { title, plainJson } = target.client
  return { json, text, quietText: '', warnings: plainJson ? plainJsonWarning(title, file.path, edit.after) : [] }
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
  const onServer = loaded.values.backend === 'chroma'
  return { workspace, agent, config, tools, onServer, local: given.has('local') ? thisBuild() : undefined }
}

function foundWarnings(context: Context, { scope }: Target, config: Config): readonly string[] {
  if (!isFoundServer(config)) return []
  const leads = `${context.screen.path('', config.file ?? '')} leads to ${config.values.workspace}`
  if (scope !== 'user') return [`${leads}: what the client is told to start sends memories there`]
  return [
    `${leads}, and an entry for all projects does not follow it: name it with --config, or choose --scope project`,
  ]
}

function withWarnings(outcome: Outcome, warnings: readonly string[]): Outcome {
  return { ...outcome, warnings: [...outcome.warnings, ...warnings] }
}

function thisBuild(): LocalBuild {
  return { node: process.execPath, program: realpathSync(process.argv[1] ?? '') }
}

function entryFor({ client }: Target, command: readonly string[], isTrusted: boolean): Entry {
  if (!isTrusted) return client.entry(command)
  if (client.trusted) return { ...client.entry(command), ...client.trusted }
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
function shown(target: Target, command: readonly string[], entry: Entry): Outcome {
  const { name, scope, client } = target
  const own = scope && client.commands?.[scope]
  if (!own) {
    const { json, quietText } = printed(target, entry)
    const text = [`Nothing was written. For ${client.title}, put this into ${client.pasted}:`, '', quietText].join('\n')
    return { json, text, quietText, warnings: [] }
  }
  const line = shellLine([...own.add, ...command])
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
