/** How a memory is searched and shown when nothing else is said. `agent.yaml` says it, or a program; see docs/config.md. */
import type { EmbeddingModel } from '../embed/embedding-model.ts'
import { InvalidError } from '../errors.ts'
import { LARGEST_MEMORY_BYTES, LONGEST_TIMER_MS, wholeNumber } from '../model/number.ts'
import { PRESET_NAMES, PRESETS, type Preset } from '../model/preset.ts'
import type { Settings } from '../ports/store.ts'

/** How a search goes that names no mode: `meaning too once loaded` never waits for the model. */
export type SearchBy = 'words' | 'meaning too' | 'meaning too once loaded'

export interface MemorySettings {
  /** Whose endings and stop words the search knows; default `en`. */
  readonly language?: string | undefined
  /** How many hits a search gives; default 5. */
  readonly recallLimit?: number | undefined
  /** Which tools a model is given; also what the next two are when nothing is said. */
  readonly tools?: Preset | undefined
  /** Whether each turn begins with a search for what the user just said. */
  readonly autoRecall?: boolean | undefined
  /** Whether the identity and MEMORY.md stand in the system prompt. */
  readonly injectMemory?: boolean | undefined
  /** How much of the message auto-recall searches for; default 8. */
  readonly recallWords?: number | 'all' | undefined
  /** Whether the identity may be written, by whatever interface; default not. */
  readonly soulEditable?: boolean | undefined
  /** How many exchanges of a conversation its window holds; default 5. */
  readonly contextWindowSize?: number | undefined
  /** Every how many seconds a long-lived program removes what has expired; default 3600, 0 is never. */
  readonly cleanupInterval?: number | undefined
  /** From how many bytes of MEMORY.md on a model that condenses is asked to compress it; default 8192. */
  readonly maxMemorySize?: number | undefined
  /** How many milliseconds condensing may take; default 30,000. */
  readonly consolidationTimeout?: number | undefined
  /** How many messages a session holds before an agent condenses it; default 50. */
  readonly memoryWindow?: number | undefined
  /** What makes the vectors for search by meaning; default `all-MiniLM-L6-v2`, and `none` for search by words alone. */
  readonly embeddingModel?: EmbeddingModel | string | undefined
  /** Default `meaning too`. */
  readonly searchBy?: SearchBy | undefined
  /**
   * Returns why the workspace may be someone else's, or `undefined` if it is the user's own. The directive and the identity of a
   * workspace that may be someone else's reach a model as quoted data. `path` is the file in question, absolute if it is outside
   * the workspace. Default: trust a workspace that the program names, and distrust one that was found.
   */
  readonly distrust?: ((settings: Settings, path?: string) => string | undefined) | undefined
}

/** All of them, each with its value. */
export interface KnownSettings {
  readonly language: string
  readonly recallLimit: number
  readonly tools: Preset
  readonly autoRecall: boolean
  readonly injectMemory: boolean
  readonly recallWords: number | 'all'
  readonly soulEditable: boolean
  readonly contextWindowSize: number
  /** Seconds. */
  readonly cleanupInterval: number
  /** Bytes. */
  readonly maxMemorySize: number
  /** Milliseconds. */
  readonly consolidationTimeout: number
  /** Messages. */
  readonly memoryWindow: number
  readonly embeddingModel: EmbeddingModel | string
  readonly searchBy: SearchBy
  readonly distrust: MemorySettings['distrust']
}

const LONGEST_TIMER_S = Math.floor(LONGEST_TIMER_MS / 1000)

export function knownSettings(given: MemorySettings): KnownSettings {
  const tools = requirePreset(given.tools ?? 'default')
  const { language = 'en', recallLimit = 5, recallWords = 8, contextWindowSize = 5, cleanupInterval = 3600 } = given
  const { maxMemorySize = 8192, consolidationTimeout = 30_000, memoryWindow = 50 } = given
  const { embeddingModel = 'all-MiniLM-L6-v2', searchBy = 'meaning too' } = given
  return {
    language,
    recallLimit: wholeNumber(recallLimit, 'recallLimit', 1, 100),
    tools,
    autoRecall: given.autoRecall ?? PRESETS[tools].autoRecall,
    injectMemory: given.injectMemory ?? PRESETS[tools].injectMemory,
    recallWords: recallWords === 'all' ? recallWords : wholeNumber(recallWords, 'recallWords', 1, 1000),
    soulEditable: given.soulEditable ?? false,
    contextWindowSize: wholeNumber(contextWindowSize, 'contextWindowSize', 0, 1000),
    cleanupInterval: wholeNumber(cleanupInterval, 'cleanupInterval', 0, LONGEST_TIMER_S),
    maxMemorySize: wholeNumber(maxMemorySize, 'maxMemorySize', 1, LARGEST_MEMORY_BYTES),
    consolidationTimeout: wholeNumber(consolidationTimeout, 'consolidationTimeout', 1, LONGEST_TIMER_MS),
    memoryWindow: wholeNumber(memoryWindow, 'memoryWindow', 2, 100_000),
    embeddingModel,
    searchBy: requireSearchBy(searchBy),
    distrust: given.distrust,
  }
}

/** Just the settings among other options, and of these what is said. */
export function givenSettings(options: MemorySettings): MemorySettings {
  const { language, recallLimit, tools, autoRecall, injectMemory, recallWords, soulEditable } = options
  const { contextWindowSize, cleanupInterval, maxMemorySize, consolidationTimeout, memoryWindow } = options
  const { embeddingModel, searchBy, distrust } = options
  const all = {
    ...{ language, recallLimit, tools, autoRecall, injectMemory, recallWords, soulEditable },
    ...{ contextWindowSize, cleanupInterval, maxMemorySize, consolidationTimeout, memoryWindow },
    ...{ embeddingModel, searchBy, distrust },
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

const SEARCH_BY: readonly SearchBy[] = ['words', 'meaning too', 'meaning too once loaded']

function requireSearchBy(value: unknown): SearchBy {
  const found = SEARCH_BY.find((one) => one === value)
  if (found === undefined) throw new InvalidError('searchBy', `"${String(value)}" is not allowed`, SEARCH_BY.join(', '))
  return found
}

export function requirePreset(value: unknown): Preset {
  const preset = PRESET_NAMES.find((name) => name === value)
  if (preset === undefined)
    throw new InvalidError('tools', `"${String(value)}" is not a preset`, PRESET_NAMES.join(', '))
  return preset
}
