/** From options and configuration to an open store and the agent it is opened for. */
import { type AskedValues, type Config, loadConfig } from '../config/load-config.ts'
import { pinsOf } from '../config/open-store.ts'
import { TOKEN_VARIABLE } from '../config/value-types.ts'
import { InvalidError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Settings, Store } from '../ports/store.ts'
import { memoryStore } from '../stores/memory.ts'
import { agentOf, openLasting, openNamed, type StoreMore } from './lasting-store.ts'
import { type GivenEmbed, laterSource, type MeaningSource } from './meaning-source.ts'
import type { Elsewhere } from './searching.ts'
import { givenSettings, type MemorySettings } from './settings.ts'

export interface MemoryOptions extends MemorySettings {
  /** A folder; a file, which exists or is called `NAME.keepsake`; or a server: `chroma://HOST:PORT`. Left out: as `agent.yaml` says, else the nearest `.keepsake` upward, else the one in the home folder. */
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
  /** What makes vectors, in place of `embeddingModel`; with `store` there is no other. Who makes it closes it, unless a function does. */
  readonly embed?: GivenEmbed
  /** Where the address and the key of an embedding server may stand, and the token of a Chroma server, such as `process.env`; default: nowhere. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Who may answer a search in our place, where it does not name the mode lexical. */
  readonly elsewhere?: Elsewhere
  /** Told which entries a recall has given to an agent, for who counts them; a person's `search` is not told. */
  readonly recalled?: ((ids: readonly string[]) => void) | undefined
}

export interface OpenedStore {
  readonly store: Store
  readonly agent: string
  readonly settings: MemorySettings
}

const FOUND = 'this workspace was found, not named; name it with `workspace` or `config` if it is yours'

/** With the source of vectors, unless one was given. */
export async function openConfigured(
  options: MemoryOptions,
  clock: Clock,
): Promise<OpenedStore & { readonly source: MeaningSource }> {
  const opened = await openPlace(options, clock)
  const { embeddingModel = 'all-MiniLM-L6-v2' } = opened.settings
  // A file that was only found, and may have come with a clone, must not decide where memories are sent to.
  const unattended = options.config === undefined && options.embeddingModel === undefined
  const source = laterSource(async () => {
    const { embedSource } = await import('../embed/embed-source.ts')
    return embedSource(embeddingModel, { env: options.env ?? {}, unattended })
  })
  return { ...opened, source }
}

async function openPlace(options: MemoryOptions, clock: Clock): Promise<OpenedStore> {
  const { workspace, config: file, from = '.', agent, layout, timezone, lockWaitMs } = options
  const settings = givenSettings(options)
  const more = { clock, ...(lockWaitMs === undefined ? {} : { lockWaitMs }) }
  if (workspace !== undefined && (typeof workspace !== 'string' || workspace === '')) {
    throw new InvalidError('workspace', `${JSON.stringify(workspace)} is no path`, 'the path of a folder or a file')
  }
  const token = options.env?.[TOKEN_VARIABLE] || undefined
  // Who names a workspace and no agent.yaml means that one, whatever file lies around.
  if (workspace !== undefined && file === undefined) {
    const pins = { ...(layout === undefined ? {} : { layout }), ...(timezone === undefined ? {} : { timezone }) }
    return { ...(await openNamed({ workspace, agent, token, made: { ...pins, ...more } })), settings }
  }
  const { tools } = options
  const config = await loadConfig({
    file,
    from,
    asked: askedValues({
      workspace,
      agent,
      layout,
      timezone,
      tools,
      embedding_model: undefined,
      token,
      password: undefined,
    }),
  })
  const opened = await openStore(config, more)
  const distrust = workspace === undefined && file === undefined ? { distrust: () => FOUND } : {}
  return { ...opened, settings: { ...opened.settings, ...distrust, ...settings } }
}

export async function openStore(config: Config, more: StoreMore = {}): Promise<OpenedStore> {
  const { agent, backend } = config.values
  const settings = settingsOf(config)
  const clock = more.clock === undefined ? {} : { clock: more.clock }
  if (backend === 'memory') return { agent, settings, store: memoryStore({ settings: pinsOf(config), ...clock }) }
  const store = await openLasting(config, more)
  return { agent: await agentOf(config, store), settings, store }
}

export function settingsOf({ values }: Config): MemorySettings {
  return {
    language: values.language,
    recallLimit: values.recall_limit,
    tools: values.tools,
    autoRecall: values.auto_recall,
    injectMemory: values.inject_memory,
    recallWords: values.recall_words,
    soulEditable: values.soul_editable,
    contextWindowSize: values.context_window_size,
    cleanupInterval: values.cleanup_interval,
    maxMemorySize: values.max_memory_size,
    consolidationTimeout: values.consolidation_timeout,
    memoryWindow: values.memory_window,
    embeddingModel: values.embedding_model,
  }
}

function askedValues(given: Readonly<Record<keyof AskedValues, string | undefined>>): AskedValues {
  const said = Object.entries(given).flatMap(([key, text]) =>
    text === undefined ? [] : [[key, { text, source: key }]],
  )
  return Object.fromEntries(said) as AskedValues // the same keys
}
