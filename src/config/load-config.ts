/**
 * From what was asked for and what `agent.yaml` says to one value for each key, and where it comes from. Layer over layer:
 * the default, the preset of `tools`, the file, what was asked for. Nothing is written, and the environment is not read.
 */
import { basename, dirname, join } from 'node:path'
import { InvalidError } from '../errors.ts'
import { isPostgresAddress, parsePostgresAddress, postgresAddress } from '../model/postgres-address.ts'
import { addressOf, parseAddress } from '../model/server-address.ts'
import { readAgentYaml, type Section } from './agent-yaml.ts'
import { checkPairs, checkText, type Said, type Source, textTypeOf } from './check-values.ts'
import { findPlace, type Place, SETTINGS_FILE, WORKSPACE_FILE, WORKSPACE_FOLDER } from './find-workspace.ts'
import { refuseIdentityInside } from './identity-place.ts'
import {
  type Backend,
  CONFIG_KEYS,
  type ConfigKey,
  type ConfigValues,
  KEYS,
  OF_THE_WORKSPACE,
  PINNED,
  presetValues,
} from './keys.ts'
import { pinnedAgent } from './pinned-agent.ts'
import { refuseIdleServerKeys, refuseTwoServers, serverSaid, setServerKeys } from './server-keys.ts'
import { isUrl, resolvePath } from './value-types.ts'
import { backendOf, refuseOtherSort } from './workspace-backend.ts'

export interface Config {
  /** The `agent.yaml`, absolute; missing when there is none. */
  readonly file?: string
  /** Whether somebody named that file. One that was only found may have come with a clone. */
  readonly isFileNamed: boolean
  /** Whether agents are given a memory: not where a file is, but has no `spec.memory`. A person's commands work anyway. */
  readonly enabled: boolean
  readonly values: ConfigValues
  readonly sources: Readonly<Record<ConfigKey, Source>>
}

/** A value from elsewhere than the file, and how to call that place: `--agent`, `KEEPSAKE_AGENT`. */
export interface Asked {
  readonly text: string
  readonly source: string
}

/** The keys that can be asked for. */
export type AskedValues = Partial<Record<(typeof ASKABLE)[number], Asked | undefined>>

const ASKABLE = ['workspace', 'agent', 'layout', 'timezone', 'tools', 'embedding_model', 'token', 'password'] as const

export interface LoadOptions {
  /** An `agent.yaml` by its path. Left out: the nearest upward from `from`. */
  readonly file?: string | undefined
  /** Where the search begins, and relative paths of `asked`. */
  readonly from: string
  readonly asked?: AskedValues
  /** The workspace when neither a file nor `asked` names one. Left out: the nearest upward, else the one at home. */
  readonly otherwise?: string
}

export async function loadConfig({ file, from, asked = {}, otherwise }: LoadOptions): Promise<Config> {
  const place = placeOf(file, from)
  const section = place.config === undefined ? NO_FILE : await readAgentYaml(place.config)
  const said = checkPairs(section.pairs, KEYS)
  const { token, password, ...others } = asked
  const wanted = checkAsked(others, from)
  const own = ownWorkspace(said, place, place.config === undefined ? otherwise : undefined)
  if ((wanted.get('workspace') ?? own).value === own.value) refuseTwoPins(said, wanted)
  else for (const key of OF_THE_WORKSPACE) said.delete(key)
  const layers = [new Map([['workspace', own]]), presetOf(wanted.get('tools') ?? said.get('tools')), said, wanted]
  const given = new Map<string, Said>(layers.flatMap((layer) => [...layer]))
  const backend = backendFor(given)
  refuseIdleServerKeys(said, backend)
  given.set('backend', backend)
  // One that stands beside the address in a file that was only found is meant for that server; the person's own may be for another.
  const isOfFound = file === undefined && !wanted.has('workspace') && said.has('token')
  if (backend.value === 'chroma' && !isOfFound)
    for (const [key, one] of checkAsked({ token }, from)) given.set(key, one)
  if (backend.value === 'postgres' && !given.has('password'))
    for (const [key, one] of checkAsked({ password }, from)) given.set(key, one)
  setServerKeys(given)
  if (!given.has('agent')) await setPinnedAgent(given)
  const each = CONFIG_KEYS.map((key) => [key, given.get(key) ?? byDefault(KEYS[key].fallback)] as const)
  const config: Config = {
    ...(place.config === undefined ? {} : { file: place.config }),
    isFileNamed: file !== undefined,
    enabled: section.enabled,
    values: Object.fromEntries(each.map(([key, { value }]) => [key, value])) as unknown as ConfigValues, // as KEYS read them
    sources: Object.fromEntries(each.map(([key, { source }]) => [key, source])) as Config['sources'], // one for each key
  }
  refuseIdentityInside(config)
  return config
}

const NO_FILE: Section = { enabled: true, pairs: [] }

function placeOf(file: string | undefined, from: string): Place {
  if (file === undefined) return findPlace(from)
  const config = resolvePath(file, from)
  return { config, workspace: join(dirname(config), WORKSPACE_FOLDER) }
}

function ownWorkspace(said: ReadonlyMap<string, Said>, place: Place, otherwise: string | undefined): Said {
  refuseTwoServers(said)
  return said.get('workspace') ?? serverSaid(said) ?? byDefault(otherwise ?? usualIn(place, said))
}

/** Where no line names it: a file cannot be called as the folder is that commands look for. */
function usualIn({ workspace }: Place, said: ReadonlyMap<string, Said>): string {
  return said.get('backend')?.value === 'file' ? join(dirname(workspace), WORKSPACE_FILE) : workspace
}

function byDefault(value: unknown): Said {
  return { value, source: { from: 'default', label: 'default', where: 'the default' } }
}

function presetOf(tools: Said | undefined): Map<string, Said> {
  const preset = (tools?.value ?? KEYS.tools.fallback) as ConfigValues['tools'] // as KEYS read it
  const source: Source = { from: 'preset', label: `preset ${preset}`, where: `the preset ${preset}` }
  return new Map(Object.entries(presetValues(preset)).map(([key, value]) => [key, { value, source }]))
}

function checkAsked(asked: AskedValues, from: string): Map<string, Said> {
  const wanted = new Map<string, Said>()
  for (const key of ASKABLE) {
    const given = asked[key]
    const type = textTypeOf(KEYS[key].type)
    if (!given || !type) continue
    const value =
      key === 'workspace' && isUrl(given.text) ? addressAsked(given) : checkText(given.text, type, from, key)
    const secret =
      key === 'workspace' && isPostgresAddress(given.text)
        ? parsePostgresAddress(given.text, given.source).password
        : undefined
    if (secret !== undefined)
      wanted.set('password', { value: secret, source: { from: 'asked', label: given.source, where: given.source } })
    const shown = key === 'workspace' && isUrl(given.text) ? value : given.text
    const where = KEYS[key].secret ? given.source : `${given.source} ${shown}`
    wanted.set(key, { value, source: { from: 'asked', label: given.source, where } })
  }
  return wanted
}

/** With the reason, where a line of a file has only what is allowed. */
function addressAsked({ text, source }: Asked): string {
  const backend = backendOf(text, source)
  if (backend === 'postgres') return postgresAddress(parsePostgresAddress(text, source))
  return backend === 'chroma' ? addressOf(parseAddress(text, source)) : text
}

/** Made with the one, the workspace would be refused with the other by the next command. */
function refuseTwoPins(said: ReadonlyMap<string, Said>, wanted: ReadonlyMap<string, Said>): void {
  for (const [key] of PINNED) {
    const [inFile, asked] = [said.get(key), wanted.get(key)]
    if (!inFile || !asked || inFile.value === asked.value) continue
    const problem = `${asked.source.label} says "${asked.value}", but ${inFile.source.where} says "${inFile.value}"`
    throw new InvalidError(key, problem, `"${inFile.value}", or another value in that file`)
  }
}

/** Only where nobody says another: that is refused when the workspace is opened. */
async function setPinnedAgent(given: Map<string, Said>): Promise<void> {
  const path = String(given.get('workspace')?.value)
  const backend = given.get('backend')?.value as Backend // as KEYS read it
  const value = await pinnedAgent(backend, path)
  const where = backend === 'file' ? path : join(path, SETTINGS_FILE)
  if (value !== undefined) given.set('agent', { value, source: { from: 'file', label: basename(where), where } })
}

/** A backend that is said counts; else the workspace tells by its looks. */
function backendFor(given: ReadonlyMap<string, Said>): Said {
  const [backend, workspace] = [given.get('backend'), given.get('workspace') ?? byDefault('')]
  const path = String(workspace.value)
  const field = workspace.source.from === 'file' ? `${workspace.source.where}: workspace` : 'workspace'
  if (backend) {
    refuseOtherSort(backend.value as Backend, path, field) // as KEYS read it
    return backend
  }
  const value = backendOf(path, field)
  return value === KEYS.backend.fallback && workspace.source.from !== 'asked'
    ? byDefault(value)
    : { ...workspace, value }
}
