/**
 * Every key of `spec.memory` in `agent.yaml`, in one place: what it may be, what it is when nothing is said, and what it is
 * for. docs/config.md says the same, and a test holds the two together.
 */
import { LARGEST_MEMORY_BYTES, LONGEST_TIMER_MS } from '../model/number.ts'
import { PRESET_NAMES, PRESETS, type Preset } from '../model/preset.ts'
import { DEFAULT_DATABASE, DEFAULT_TENANT } from '../model/server-address.ts'
import {
  AGENT,
  DATABASE,
  IDENTITY,
  LANGUAGE,
  oneOf,
  PASSWORD,
  SERVER,
  SERVER_URL,
  TENANT,
  type TextType,
  TOKEN,
  TRUTH,
  VARIABLE,
  WORD,
  WORKSPACE,
  whole,
  wholeOr,
  ZONE,
} from './value-types.ts'

export type Backend = 'filesystem' | 'file' | 'postgres' | 'chroma' | 'memory'

export function isOnServer(backend: Backend): boolean {
  return backend === 'postgres' || backend === 'chroma'
}

export interface Llm {
  readonly provider: 'openai' | 'anthropic'
  /** `null`: the provider's own. */
  readonly base_url: string | null
  readonly model: string
  /** The variable that holds the key. */
  readonly api_key_env: string | null
}

/** A server that makes vectors; `null` is "what is usual". */
export interface EmbeddingModel {
  readonly model: string
  readonly base_url: string | null
  /** The variable that holds the key. */
  readonly api_key_env: string | null
  readonly dimensions: number | null
}

/** `null` is "none", or "what the system says" for the time zone. */
export interface ConfigValues {
  readonly backend: Backend
  /** Absolute; of a server its one address, whatever names it. */
  readonly workspace: string
  readonly layout: 'agents' | 'flat'
  readonly agent: string
  readonly timezone: string | null
  readonly tools: Preset
  readonly auto_recall: boolean
  readonly recall_limit: number
  readonly recall_words: number | 'all'
  readonly soul_editable: boolean
  /** A file name; or, absolute, a file outside the workspace. */
  readonly identity_file: string
  readonly context_window_size: number
  readonly cleanup_interval: number
  readonly embedding_model: 'all-MiniLM-L6-v2' | 'none' | EmbeddingModel
  readonly max_memory_size: number
  readonly consolidation_timeout: number
  readonly memory_window: number
  readonly llm: Llm | null
  readonly inject_memory: boolean
  readonly url: string
  readonly tenant: string
  readonly database: string
  readonly token: string | null
  readonly password: string | null
  readonly server_timeout: number
  readonly language: string
  readonly retention_days: number
  readonly retention_mb: number
}

export type ConfigKey = keyof ConfigValues

export interface Key<T> {
  readonly type: TextType<NonNullable<T>> | MappingType<Extract<NonNullable<T>, object>>
  readonly fallback: T
  /** What the fallback is called where its value does not say it. */
  readonly fallbackText?: string
  readonly unit?: string
  readonly about: string
  /** Never shown. */
  readonly secret?: true
  /** Of a mapping: there is no fallback. */
  readonly required?: true
}

export interface MappingType<T> {
  readonly what: string
  readonly allowed: string
  readonly keys: { readonly [K in keyof T]: Key<T[K]> }
  /** What may stand there instead, in one word. */
  readonly word?: TextType<string>
}

const LLM: MappingType<Llm> = {
  what: 'a mapping',
  allowed: 'a mapping with the keys provider, base_url, model, api_key_env',
  keys: {
    provider: { type: oneOf('a provider', ['openai', 'anthropic']), fallback: 'openai', about: 'whose API it speaks' },
    base_url: {
      type: SERVER,
      fallback: null,
      fallbackText: "the provider's",
      about: 'where it is; any server that speaks that API',
    },
    model: { type: WORD, fallback: '', fallbackText: 'none; it must be said', required: true, about: 'the model' },
    api_key_env: {
      type: VARIABLE,
      fallback: null,
      fallbackText: 'OPENAI_API_KEY or ANTHROPIC_API_KEY',
      about: 'the environment variable that holds the key; the key itself stays out of files',
    },
  },
}

const EMBEDDING_MODEL: MappingType<EmbeddingModel> = {
  what: 'a model that is built in',
  allowed: 'all-MiniLM-L6-v2, none, or a mapping with the keys model, base_url, api_key_env, dimensions',
  word: oneOf('a model that is built in', ['all-MiniLM-L6-v2', 'none']),
  keys: {
    model: {
      type: WORD,
      fallback: '',
      fallbackText: 'none; it must be said',
      required: true,
      about: 'the model, as that server calls it',
    },
    base_url: {
      type: SERVER,
      fallback: null,
      fallbackText: 'OPENAI_BASE_URL, else that of OpenAI',
      about: 'a server that speaks the API of embeddings of OpenAI',
    },
    api_key_env: {
      type: VARIABLE,
      fallback: null,
      fallbackText: 'OPENAI_API_KEY',
      about: 'the environment variable that holds the key; the key itself stays out of files',
    },
    dimensions: {
      type: whole(1, 65_536),
      fallback: null,
      fallbackText: "the model's",
      about: 'how many dimensions a vector is asked to have; few models can choose',
    },
  },
}

export const KEYS: { readonly [K in ConfigKey]: Key<ConfigValues[K]> } = {
  backend: {
    type: oneOf('a backend', ['filesystem', 'file', 'postgres', 'chroma', 'memory']),
    fallback: 'filesystem',
    about: 'what keeps the entries: Markdown files, one file, a PostgreSQL or Chroma server, or RAM',
  },
  workspace: {
    type: WORKSPACE,
    fallback: '.keepsake',
    fallbackText:
      '.keepsake beside this file; memory.keepsake with backend: file, the server of url with backend: postgres or chroma',
    about: 'the folder of the memory, its one file, or the address of its server',
  },
  layout: {
    type: oneOf('a layout', ['agents', 'flat']),
    fallback: 'agents',
    about: 'a folder for each agent, or one agent at the root; counts when the workspace is made',
  },
  agent: { type: AGENT, fallback: 'main', about: 'whose memory it is' },
  timezone: {
    type: ZONE,
    fallback: null,
    fallbackText: "the system's",
    about: 'where days begin and end; counts when the workspace is made',
  },
  tools: {
    type: oneOf('a preset', PRESET_NAMES),
    fallback: 'default',
    about: 'which tools a model is given, and with them the defaults of auto_recall and inject_memory',
  },
  auto_recall: {
    type: TRUTH,
    fallback: true,
    fallbackText: 'true; false with agnx and reachy',
    about: 'whether each turn begins with a search for what the user just said',
  },
  recall_limit: { type: whole(1, 100), fallback: 5, unit: 'entries', about: 'how many hits a search gives' },
  recall_words: {
    type: wholeOr(1, 1000, 'all'),
    fallback: 8,
    unit: 'words',
    about: 'how much of the message auto_recall searches for',
  },
  soul_editable: {
    type: TRUTH,
    fallback: false,
    about: 'whether the identity may be written, by whatever interface',
  },
  identity_file: {
    type: IDENTITY,
    fallback: 'IDENTITY.md',
    about: "the identity: a file in the agent's folder, which counts when the workspace is made, or one elsewhere",
  },
  context_window_size: {
    type: whole(0, 1000),
    fallback: 5,
    unit: 'exchanges',
    about: 'how many exchanges of the conversation stay in the prompt: a turn of the user and what follows it',
  },
  cleanup_interval: {
    type: whole(0, Math.floor(LONGEST_TIMER_MS / 1000)),
    fallback: 3600,
    unit: 'seconds',
    about: 'how often what has expired is removed; 0 is never',
  },
  embedding_model: {
    type: EMBEDDING_MODEL,
    fallback: 'all-MiniLM-L6-v2',
    about: 'what makes the vectors for search by meaning',
  },
  max_memory_size: {
    type: whole(1, LARGEST_MEMORY_BYTES),
    fallback: 8192,
    unit: 'bytes',
    about: 'from what size of MEMORY.md on the model is asked to compress it',
  },
  consolidation_timeout: {
    type: whole(1, LONGEST_TIMER_MS),
    fallback: 30_000,
    unit: 'milliseconds',
    about: 'how long a call that condenses may take',
  },
  memory_window: {
    type: whole(2, 100_000),
    fallback: 50,
    unit: 'messages',
    about: 'how many messages a session holds before it is condensed',
  },
  llm: { type: LLM, fallback: null, fallbackText: 'none', about: 'the model that condenses and chats' },
  inject_memory: {
    type: TRUTH,
    fallback: true,
    fallbackText: 'true; false with agnx and reachy',
    about: 'whether MEMORY.md and the identity stand in the system prompt',
  },
  url: {
    type: SERVER_URL,
    fallback: 'http://localhost:8000',
    about: 'the server of backend: chroma, or the address of backend: postgres',
  },
  tenant: { type: TENANT, fallback: DEFAULT_TENANT, about: 'the tenant on the Chroma server' },
  database: {
    type: DATABASE,
    fallback: DEFAULT_DATABASE,
    about: 'the database of that tenant; each holds one memory',
  },
  token: {
    type: TOKEN,
    fallback: null,
    fallbackText: 'none',
    about: 'the token of the Chroma server',
    secret: true,
  },
  password: {
    type: PASSWORD,
    fallback: null,
    fallbackText: 'a line of ~/.pgpass',
    about: 'the password of the PostgreSQL server; PGPASSWORD keeps it out of files',
    secret: true,
  },
  server_timeout: {
    type: whole(1, 600),
    fallback: 10,
    unit: 'seconds',
    about: 'how long that server may take for one request',
  },
  language: { type: LANGUAGE, fallback: 'en', about: 'whose endings and stop words the search knows' },
  retention_days: {
    type: whole(30, 36_500),
    fallback: 90,
    unit: 'days',
    about: 'how long changes can be undone; counts when the workspace is made',
  },
  retention_mb: {
    type: whole(1, 1_000_000),
    fallback: 512,
    unit: 'megabytes',
    about: 'how large the record of changes older than 30 days may grow; counts when the workspace is made',
  },
}

export const CONFIG_KEYS: readonly ConfigKey[] = Object.keys(KEYS) as ConfigKey[] // the object literal above

/** What a preset has for default, where it differs. */
export function presetValues(preset: Preset): Partial<ConfigValues> {
  const { autoRecall, injectMemory } = PRESETS[preset]
  return {
    ...(autoRecall === KEYS.auto_recall.fallback ? {} : { auto_recall: autoRecall }),
    ...(injectMemory === KEYS.inject_memory.fallback ? {} : { inject_memory: injectMemory }),
  }
}

export type Pin = 'layout' | 'timezone' | 'identityFile' | 'retentionDays' | 'retentionMb'

/** What `keepsake.yaml` pins, and its name in the store's settings. */
export const PINNED: readonly (readonly [ConfigKey, Pin])[] = [
  ['layout', 'layout'],
  ['timezone', 'timezone'],
  ['identity_file', 'identityFile'],
  ['retention_days', 'retentionDays'],
  ['retention_mb', 'retentionMb'],
]

/** What is said about one workspace, and not about another that an option names. */
export const OF_THE_WORKSPACE: readonly ConfigKey[] = [
  'backend',
  'url',
  'tenant',
  'database',
  'token',
  'password',
  ...PINNED.map(([key]) => key),
]
