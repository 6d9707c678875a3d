/**
 * From a configuration to an open store. What opens it is handed in, for this layer knows no stores. What a workspace was made with
 * stays: a file that says otherwise later is refused, with both places named; of a server the store does that, once it is asked.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { type PostgresPlace, parsePostgresAddress } from '../model/postgres-address.ts'
import type { ServerPlace } from '../model/server-address.ts'
import type { Settings, Store } from '../ports/store.ts'
import { SETTINGS_FILE } from './find-workspace.ts'
import { isFoundServer, refuseTokenForFound } from './found-server.ts'
import { identityOutside } from './identity-place.ts'
import { type Backend, type ConfigKey, isOnServer, PINNED, type Pin } from './keys.ts'
import type { Config } from './load-config.ts'
import { pinnedAgent } from './pinned-agent.ts'

export type Pins = Partial<Pick<Settings, Pin>>

export interface FolderOptions extends Pins {
  readonly root: string
  readonly agent: string
  readonly identityPath?: string
}

export interface OneFileOptions extends Pins {
  readonly path: string
  readonly agent: string
}

/** Opens the workspace of Markdown files; another backend is refused. Nothing is written. */
export async function openFiles<S extends Store>(config: Config, open: (options: FolderOptions) => S): Promise<S> {
  const { backend, workspace: root, agent } = config.values
  if (backend !== 'filesystem') throw notOfFiles(config, backend)
  const identityPath = identityOutside(config)
  const place = { root, agent, ...(identityPath === undefined ? {} : { identityPath }) }
  return openPinned(config, (pins) => open({ ...place, ...pins }))
}

/** Opens the memory in one file. Nothing is written. */
export async function openOneFile<S extends Store>(config: Config, open: (options: OneFileOptions) => S): Promise<S> {
  refuseIdentityOutside(config)
  const { workspace: path, agent } = config.values
  return openPinned(config, (pins) => open({ path, agent, ...pins }))
}

export interface ServerOptions extends Pins {
  readonly place: ServerPlace
  /** Left out where nobody says it: a flat memory tells it. */
  readonly agent?: string
  readonly requestMs: number
}

/** Opens the memory on a server, which is not asked yet. */
export function openServer<S>(config: Config, open: (options: ServerOptions) => S): S {
  refuseIdentityOutside(config)
  refuseTokenForFound(config)
  const { url, tenant, database, token, agent, server_timeout } = config.values
  return open({
    place: { url, tenant, database, ...(token === null ? {} : { token }) },
    ...(config.sources.agent.from === 'default' ? {} : { agent }),
    requestMs: server_timeout * 1000,
    ...pinsOf(config),
  })
}

export interface PostgresOptions extends Pins {
  readonly place: PostgresPlace
  readonly agent?: string
  readonly requestMs: number
}

/** Opens the memory on a PostgreSQL server, without connecting yet. */
export function openPostgres<S>(config: Config, open: (options: PostgresOptions) => S): S {
  refuseIdentityOutside(config)
  refuseTokenForFound(config)
  const { workspace, password, agent, server_timeout } = config.values
  const secret = password === null ? (isFoundServer(config) ? { isFound: true as const } : {}) : { password }
  return open({
    place: { ...parsePostgresAddress(workspace), ...secret },
    ...(config.sources.agent.from === 'default' ? {} : { agent }),
    requestMs: server_timeout * 1000,
    ...pinsOf(config),
  })
}

/** With what is said where the workspace is new; else by what it was made with, and what is said must agree to that. */
async function openPinned<S extends Store>(config: Config, open: (pins: Pins) => S): Promise<S> {
  const settingsFile = settingsFileOf(config)
  if (settingsFile === undefined) return open(pinsOf(config))
  await refuseOtherAgent(config, settingsFile)
  const store = open({})
  try {
    refuseOtherPins(config, await store.settings(), settingsFile)
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

/** The values that count when a workspace is made, where something other than the default says them. */
export function pinsOf(config: Config): Pins {
  const wished = PINNED.filter(([key]) => isWished(config, key)).map(([key, name]) => [name, config.values[key]])
  return Object.fromEntries(wished) as Pins // the table says which is which
}

/** The file with what is pinned; missing when the workspace is not made yet. */
export function settingsFileOf({ values: { backend, workspace } }: Config): string | undefined {
  const path = {
    filesystem: join(workspace, SETTINGS_FILE),
    file: workspace,
    postgres: undefined,
    chroma: undefined,
    memory: undefined,
  }[backend]
  return path !== undefined && existsSync(path) ? path : undefined
}

function isWished(config: Config, key: ConfigKey): boolean {
  if (key === 'identity_file' && identityOutside(config) !== undefined) return false
  return config.sources[key].from !== 'default'
}

async function refuseOtherAgent({ values, sources }: Config, settingsFile: string): Promise<void> {
  const pinned = await pinnedAgent(values.backend, values.workspace)
  if (pinned === undefined || pinned === values.agent) return
  const { from, label, where } = sources.agent
  const says = `${from === 'file' ? where : label} says "${values.agent}"`
  const problem = `${says}, but ${settingsFile} says "${pinned}", and a flat workspace has one agent`
  throw new InvalidError('agent', problem, `"${pinned}", or nothing`)
}

function refuseOtherPins(config: Config, settings: Settings, settingsFile: string): void {
  for (const [key, name] of PINNED) {
    if (!isWished(config, key) || config.values[key] === settings[name]) continue
    const { from, label, where } = config.sources[key]
    throw new InvalidError(
      key,
      `${from === 'file' ? where : label} says "${config.values[key]}", but ${settingsFile} says "${settings[name]}"`,
      `"${settings[name]}", or nothing: what a workspace was made with stays`,
    )
  }
}

/** The one file, or the server, has all of the memory: what lies beside it would not come along. */
function refuseIdentityOutside(config: Config): void {
  const path = identityOutside(config)
  if (path === undefined) return
  const { where } = config.sources.identity_file
  const memory = isOnServer(config.values.backend) ? 'the server' : 'the one file'
  throw new KeepsakeError('UNSUPPORTED', `${where}: identity_file: ${path} lies outside of ${memory}`, {
    hint: 'Leave the line out, and write the identity into the memory; or use backend: filesystem.',
    data: { path },
  })
}

type Otherwise = Exclude<Backend, 'filesystem'>

const OTHERWISE: Readonly<Record<Otherwise, string>> = {
  file: 'a memory in one file',
  postgres: 'a memory on a server, which has no files',
  chroma: 'a memory on a server, which has no files',
  memory: 'a memory in RAM, which has no files',
}

function notOfFiles({ sources }: Config, backend: Otherwise): KeepsakeError {
  const { from, where } = sources.backend
  return new KeepsakeError('UNSUPPORTED', `${where} names ${OTHERWISE[backend]}`, {
    hint: from === 'file' ? 'Write "backend: filesystem", and a folder for the workspace.' : 'Name a folder.',
  })
}
