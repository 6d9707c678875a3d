/**
 * From a configuration to an open store. What opens it is handed in, for this layer knows no stores. What a workspace was
 * made with stays: a file that says otherwise later is refused, with both places named.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidError, KeepsakeError } from '../errors.ts'
import type { Settings, Store } from '../ports/store.ts'
import { identityOutside } from './identity-place.ts'
import { type Backend, type ConfigKey, PINNED, type Pin } from './keys.ts'
import type { Config } from './load-config.ts'
import { pinnedAgent, SETTINGS_FILE } from './pinned-agent.ts'

export type Pins = Partial<Pick<Settings, Pin>>

export interface StoreOptions extends Pins {
  readonly root: string
  readonly agent: string
  readonly identityPath?: string
}

/** Opens the workspace of Markdown files; another backend is refused. Nothing is written. */
export async function openFiles<S extends Store>(config: Config, open: (options: StoreOptions) => S): Promise<S> {
  if (config.values.backend !== 'filesystem') throw notYet(config, config.values.backend)
  if (settingsFileOf(config) === undefined) return open({ ...placeOptions(config), ...pinsOf(config) })
  refuseOtherAgent(config)
  const store = open(placeOptions(config))
  try {
    refuseOtherPins(config, await store.settings())
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
export function settingsFileOf({ values }: Config): string | undefined {
  const path = join(values.workspace, SETTINGS_FILE)
  return values.backend === 'filesystem' && existsSync(path) ? path : undefined
}

function placeOptions(config: Config): StoreOptions {
  const identityPath = identityOutside(config)
  const { workspace: root, agent } = config.values
  return { root, agent, ...(identityPath === undefined ? {} : { identityPath }) }
}

function isWished(config: Config, key: ConfigKey): boolean {
  if (key === 'identity_file' && identityOutside(config) !== undefined) return false
  return config.sources[key].from !== 'default'
}

function refuseOtherAgent({ values, sources }: Config): void {
  const pinned = pinnedAgent(values.workspace)
  if (pinned === undefined || pinned === values.agent) return
  const { from, label, where } = sources.agent
  const says = `${from === 'file' ? where : label} says "${values.agent}"`
  const problem = `${says}, but ${join(values.workspace, SETTINGS_FILE)} says "${pinned}", and a flat workspace has one agent`
  throw new InvalidError('agent', problem, `"${pinned}", or nothing`)
}

function refuseOtherPins(config: Config, settings: Settings): void {
  for (const [key, name] of PINNED) {
    if (!isWished(config, key) || config.values[key] === settings[name]) continue
    const { from, label, where } = config.sources[key]
    const pinned = join(config.values.workspace, SETTINGS_FILE)
    throw new InvalidError(
      key,
      `${from === 'file' ? where : label} says "${config.values[key]}", but ${pinned} says "${settings[name]}"`,
      `"${settings[name]}", or nothing: what a workspace was made with stays`,
    )
  }
}

const LATER: Readonly<Record<Exclude<Backend, 'filesystem'>, string>> = {
  file: 'a memory in one file, which comes with a later version',
  chroma: 'a memory on a server, which comes with a later version',
  memory: 'a memory in RAM, which has no files',
}

function notYet({ sources }: Config, backend: Exclude<Backend, 'filesystem'>): KeepsakeError {
  const { from, where } = sources.backend
  return new KeepsakeError('UNSUPPORTED', `${where} names ${LATER[backend]}`, {
    hint: from === 'file' ? 'Write "backend: filesystem", and a folder for the workspace.' : 'Name a folder.',
  })
}
