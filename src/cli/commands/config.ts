/** `keepsake config`: each value that counts here, and who says so. Writes nothing, and shows no secret. */
import { basename } from 'node:path'
import { effectiveLlm } from '../../complete/effective-llm.ts'
import { unknownKey } from '../../config/check-values.ts'
import { identityOutside } from '../../config/identity-place.ts'
import { CONFIG_KEYS, type ConfigKey, isOnServer, KEYS, PINNED } from '../../config/keys.ts'
import type { Config } from '../../config/load-config.ts'
import { settingsFileOf } from '../../config/open-store.ts'
import { SERVER } from '../../config/value-types.ts'
import { isKeepsakeError } from '../../errors.ts'
import { openLasting } from '../../memory/lasting-store.ts'
import type { JsonValue } from '../../model/entry.ts'
import type { Settings } from '../../ports/store.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { columnWidth, padToWidth } from '../display-width.ts'
import { rowsText } from '../entry-text.ts'
import { isMade } from '../is-made.ts'
import type { Screen } from '../screen.ts'

const HIDDEN = '********'
const ON_SERVER = 'the server'
/** Of a server, for what is only shown. */
const GLANCE_MS = 3000

export const config: Command = {
  verb: 'config',
  operands: [{ name: 'KEY', optional: true }],
  about: [
    'Shows each value that counts here and where it comes from: the default, a preset of tools, a line of agent.yaml,',
    'an option, the environment, or keepsake.yaml, which holds what the workspace was made with; a memory in one file or',
    'on a server holds that itself. With KEY only that one. Writes nothing. All keys are described in docs/config.md.',
  ],
  options: [],
  examples: ['keepsake config', 'keepsake config recall_limit', 'keepsake config --config ~/bots/agent.yaml --json'],
  run,
}

interface Shown {
  readonly value: JsonValue
  readonly source: string
}

type ShownKeys = readonly (readonly [ConfigKey, Shown])[]

async function run(context: Context): Promise<Outcome> {
  const keys = keysWanted(context.given.operands[0])
  const found = await configAsked(context)
  const settingsFile = settingsFileOf(found)
  const { pinned, problem } = await pinnedIn(found, settingsFile)
  const rows = effective(found, pinned).filter(([key]) => keys.includes(key))
  const { workspace } = found.values
  const agent = agentOf(found, pinned)
  return {
    json: {
      config: Object.fromEntries(rows),
      files: { config: found.file ?? null, settings: settingsFile ?? null },
      enabled: found.enabled,
      workspace,
      agent,
    },
    text: [
      ...(keys.length === 1 ? [] : headText(found, agent, context.screen)),
      ...tableText(rows, context.screen),
    ].join('\n'),
    quietText:
      rows.length === 1
        ? rows.map(([, { value }]) => context.screen.plain(valueText(value))).join()
        : tableText(rows, context.screen).join('\n'),
    warnings: [
      ...(found.enabled ? [] : [`${found.file} has no spec.memory, so agents are given no memory`]),
      ...(problem === undefined ? [] : [`what the memory was made with is not known: ${problem}`]),
    ],
  }
}

function keysWanted(key: string | undefined): readonly ConfigKey[] {
  if (key === undefined) return CONFIG_KEYS
  const known = CONFIG_KEYS.find((one) => one === key)
  if (known) return [known]
  throw unknownKey(key, CONFIG_KEYS, { place: '', of: 'the configuration' })
}

/** What is pinned counts over what is wished for; opening the workspace refuses it where the two differ. */
function effective(found: Config, pinned: Pinned | undefined): ShownKeys {
  return CONFIG_KEYS.map((key) => {
    const name = PINNED.find(([one]) => one === key)?.[1]
    const isOutside = key === 'identity_file' && identityOutside(found) !== undefined
    if (pinned && name && !isOutside) {
      return [key, { value: pinned.settings[name], source: pinned.source ?? found.sources[key].label }]
    }
    if (key === 'agent' && agentOf(found, pinned) !== found.values.agent) {
      return [key, { value: agentOf(found, pinned), source: ON_SERVER }]
    }
    if (key === 'llm') return [key, shownLlm(found)]
    const value = key === 'embedding_model' ? shownEmbedding(found) : found.values[key]
    const isSecret = KEYS[key].secret && value !== null
    return [key, { value: isSecret ? HIDDEN : (value as JsonValue), source: found.sources[key].label }] // no other is a mapping
  })
}

/** With what the environment says about it. */
function shownLlm({ values, sources }: Config): Shown {
  const { llm, variables } = effectiveLlm(values.llm, process.env) ?? { llm: null, variables: [] }
  const said = values.llm === null && llm !== null ? [] : [sources.llm.label]
  const source = [...said, ...variables].join(', ')
  if (llm === null) return { value: null, source }
  return { value: { ...llm, base_url: llm.base_url === null ? null : shownAddress(llm.base_url) }, source }
}

function shownEmbedding({ values: { embedding_model: chosen } }: Config): JsonValue {
  if (typeof chosen === 'string') return chosen
  return { ...chosen, base_url: chosen.base_url === null ? null : shownAddress(chosen.base_url) }
}

/** An address that is not checked yet may hold a password, and any may hold a key in its query. */
function shownAddress(address: string): string {
  return SERVER.read(address, '') === undefined ? HIDDEN : address.replace(/\?[\s\S]*$/, `?${HIDDEN}`)
}

interface Pinned {
  readonly settings: Settings
  /** Missing where the workspace is not made yet. */
  readonly source?: string
}

/** `problem`: why a server can't tell, which is no reason to show nothing. */
async function pinnedIn(
  found: Config,
  settingsFile: string | undefined,
): Promise<{ readonly pinned?: Pinned; readonly problem?: string }> {
  const { backend } = found.values
  if (backend === 'memory') return {}
  try {
    return await pinnedInStore(found, settingsFile)
  } catch (error) {
    if (!isOnServer(backend) || !isKeepsakeError(error)) throw error
    return { problem: error.message }
  }
}

async function pinnedInStore(found: Config, settingsFile: string | undefined): Promise<{ readonly pinned?: Pinned }> {
  const { backend, workspace } = found.values
  const store = await openLasting(found, { requestMs: GLANCE_MS })
  try {
    const settings = await store.settings()
    if (isOnServer(backend)) return (await isMade(store, workspace)) ? { pinned: { settings, source: ON_SERVER } } : {}
    return { pinned: { settings, ...(settingsFile === undefined ? {} : { source: basename(settingsFile) }) } }
  } finally {
    await store.close()
  }
}

/** A flat memory on a server tells whose it is, where nobody says it. */
function agentOf({ values, sources }: Config, pinned: Pinned | undefined): string {
  const isTold = isOnServer(values.backend) && sources.agent.from === 'default'
  return (isTold ? pinned?.settings.agent : undefined) ?? values.agent
}

function headText({ file }: Config, agent: string, screen: Screen): string[] {
  const where = file === undefined ? 'there is no agent.yaml here or above' : `from ${screen.path('', file)}`
  return [`Configuration of the agent ${agent}: ${where}`]
}

function tableText(rows: ShownKeys, screen: Screen): string[] {
  const texts = rows.map(([key, { value, source }]) => ({ key, text: screen.line(valueText(value, key)), source }))
  const width = columnWidth(texts.map(({ text }) => text))
  return rowsText(
    texts.map(({ key, text, source }) => [key, `${padToWidth(width, text)}  ${source}`]),
    screen,
  )
}

function valueText(value: JsonValue, key?: ConfigKey): string {
  if (value === null) return (key && KEYS[key].fallbackText) ?? 'none'
  if (typeof value === 'object') {
    const said = Object.entries(value).filter(([, each]) => each !== null)
    return said.map(([name, each]) => `${name}: ${each}`).join(', ')
  }
  const unit = key && typeof value === 'number' ? KEYS[key].unit : undefined
  if (unit === undefined) return String(value)
  return `${value} ${value === 1 ? singular(unit) : unit}`
}

/** Of the units in the table: entries, and others with an s at the end. */
function singular(unit: string): string {
  return unit.replace(/ies$/, 'y').replace(/s$/, '')
}
