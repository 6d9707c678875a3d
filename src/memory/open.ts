/** From options and configuration to an open store and the agent it is opened for. */
import { type AskedValues, type Config, loadConfig } from '../config/load-config.ts'
import { openFiles, pinsOf } from '../config/open-store.ts'
import { pinnedAgent } from '../config/pinned-agent.ts'
import { InvalidError } from '../errors.ts'
import { normalizeAgentId } from '../model/name.ts'
import type { Clock } from '../ports/clock.ts'
import type { Settings, Store } from '../ports/store.ts'
import { filesystemStore } from '../stores/filesystem/store.ts'
import { memoryStore } from '../stores/memory.ts'

export interface MemoryOptions {
  /** A folder. Left out: as `agent.yaml` says, else the nearest `.keepsake` upward, else the one in the home folder. */
  readonly workspace?: string
  /** An `agent.yaml`. Left out: the nearest upward from `from`, unless `workspace` is given; see docs/config.md. */
  readonly config?: string
  /** Where the search begins; default: the current folder. */
  readonly from?: string
  /** Default: as `agent.yaml` says, else `main`. */
  readonly agent?: string
  /** A store that is open already; then `workspace` and what belongs to it are not looked at. */
  readonly store?: Store
  readonly clock?: Clock
  /** Count only when the workspace is made; see docs/format.md. */
  readonly layout?: Settings['layout']
  readonly timezone?: string
  readonly lockWaitMs?: number
  /** Whose endings and stop words the search knows; default: as `agent.yaml` says, else `en`. */
  readonly language?: string
  /** How many hits a search gives when it is not told; default: as `agent.yaml` says, else 5. */
  readonly recallLimit?: number
}

export interface OpenedStore {
  readonly store: Store
  readonly agent: string
  readonly language?: string
  readonly recallLimit?: number
}

export async function openConfigured(options: MemoryOptions, clock: Clock): Promise<OpenedStore> {
  const { workspace, config: file, from = '.', agent, layout, timezone, lockWaitMs } = options
  const searching = {
    ...(options.language === undefined ? {} : { language: options.language }),
    ...(options.recallLimit === undefined ? {} : { recallLimit: options.recallLimit }),
  }
  const more = { clock, ...(lockWaitMs === undefined ? {} : { lockWaitMs }) }
  if (workspace !== undefined && (typeof workspace !== 'string' || workspace === '')) {
    throw new InvalidError('workspace', `${JSON.stringify(workspace)} is no folder`, 'the path of a folder')
  }
  // Who names a folder and no file means that folder, whatever file lies around.
  if (workspace !== undefined && file === undefined) {
    const pins = { ...(layout === undefined ? {} : { layout }), ...(timezone === undefined ? {} : { timezone }) }
    const name = normalizeAgentId(agent ?? pinnedAgent(workspace) ?? 'main')
    return { store: filesystemStore({ root: workspace, agent: name, ...pins, ...more }), agent: name, ...searching }
  }
  const config = await loadConfig({ file, from, asked: askedValues({ workspace, agent, layout, timezone }) })
  return { ...(await openStore(config, more)), ...searching }
}

export async function openStore(
  config: Config,
  more: { readonly clock?: Clock; readonly lockWaitMs?: number } = {},
): Promise<OpenedStore> {
  const { agent, backend, language, recall_limit: recallLimit } = config.values
  const opened = { agent, language, recallLimit }
  if (backend === 'memory') return { ...opened, store: memoryStore({ settings: pinsOf(config), ...more }) }
  return { ...opened, store: await openFiles(config, (options) => filesystemStore({ ...options, ...more })) }
}

function askedValues(given: Readonly<Record<keyof AskedValues, string | undefined>>): AskedValues {
  const said = Object.entries(given).flatMap(([key, text]) =>
    text === undefined ? [] : [[key, { text, source: key }]],
  )
  return Object.fromEntries(said) as AskedValues // the same keys
}
