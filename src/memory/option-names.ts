/** The names of the options that each method of a memory accepts; see OptionNames. */

import type { EmbeddingModel } from '../embed/embedding-model.ts'
import { CALL_OPTIONS, type OptionNames } from '../model/options.ts'
import type { ScanFilter } from '../ports/store.ts'
import type { SearchOptions } from '../recall/found.ts'
import type { CleanupOptions } from './cleanup.ts'
import type { ContextOptions } from './context.ts'
import type { EmbedOptions } from './embedding.ts'
import type { ListFilter } from './listing.ts'
import type { MemoryOptions } from './open.ts'
import type { BatchOptions } from './operations/apply-operations.ts'
import type { LogQuery, UndoOptions } from './past.ts'
import type { PlaceOptions } from './places.ts'
import type { RecallOptions } from './recalled.ts'
import type { RememberOptions, StoreOptions, WriteOptions } from './remember-options.ts'

export const OPEN: OptionNames<MemoryOptions> = {
  workspace: true,
  config: true,
  from: true,
  agent: true,
  store: true,
  clock: true,
  layout: true,
  timezone: true,
  lockWaitMs: true,
  embed: true,
  env: true,
  elsewhere: true,
  recalled: true,
  language: true,
  recallLimit: true,
  tools: true,
  autoRecall: true,
  injectMemory: true,
  recallWords: true,
  soulEditable: true,
  contextWindowSize: true,
  cleanupInterval: true,
  maxMemorySize: true,
  consolidationTimeout: true,
  memoryWindow: true,
  embeddingModel: true,
  searchBy: true,
  distrust: true,
}

export const EMBEDDING_MODEL: OptionNames<EmbeddingModel> = {
  model: true,
  base_url: true,
  api_key_env: true,
  dimensions: true,
}

export const WRITE: OptionNames<WriteOptions> = { ...CALL_OPTIONS, expect: true, session: true }

export const REMEMBER: OptionNames<RememberOptions> = {
  name: true,
  description: true,
  kind: true,
  key: true,
  aliases: true,
  metadata: true,
  ttl: true,
  ...WRITE,
}

export const SET_CONTEXT: OptionNames<Omit<StoreOptions, 'key'>> = {
  metadata: true,
  ttl: true,
  session: true,
  expect: true,
  signal: true,
}

export const STORE: OptionNames<StoreOptions> = { key: true, ...SET_CONTEXT }

export const REFLECT: OptionNames<WriteOptions & { erase?: boolean }> = { erase: true, ...WRITE }

export const ALIAS: OptionNames<WriteOptions & { mode?: string }> = { mode: true, ...WRITE }

export const CLEANUP: OptionNames<CleanupOptions> = { unreadable: true, ...CALL_OPTIONS }

const DATES: OptionNames<Pick<ScanFilter, 'since' | 'until'>> = { since: true, until: true }

export const LIST: OptionNames<ListFilter> = { kinds: true, ...DATES, where: true, ...CALL_OPTIONS }

export const HEADS: OptionNames<ScanFilter> = { ids: true, scopes: true, kinds: true, ...DATES }

export const SEARCH: OptionNames<SearchOptions> = {
  limit: true,
  kinds: true,
  ...DATES,
  where: true,
  minScore: true,
  budgetTokens: true,
  mode: true,
  preferredMode: true,
  meant: true,
  minCosine: true,
  explain: true,
  ...CALL_OPTIONS,
}

export const RECALL: OptionNames<RecallOptions> = { query: true, days: true, ...SEARCH }

export const EMBED: OptionNames<EmbedOptions> = { mustKeep: true, anew: true, onProgress: true, ...CALL_OPTIONS }

export const PLACES: OptionNames<PlaceOptions> = { limit: true, ...CALL_OPTIONS }

export const CONTEXT: OptionNames<ContextOptions> = { message: true, recap: true, uncounted: true, ...CALL_OPTIONS }

export const APPLY: OptionNames<BatchOptions> = {
  expect: true,
  origin: true,
  reverts: true,
  dryRun: true,
  ...CALL_OPTIONS,
}

const CHANGES = { ...DATES, by: true, agent: true, session: true, entry: true } as const

export const LOG: OptionNames<LogQuery> = { limit: true, before: true, ref: true, ...CHANGES, ...CALL_OPTIONS }

export const UNDO: OptionNames<UndoOptions> = {
  changes: true,
  last: true,
  withLater: true,
  dryRun: true,
  ...CHANGES,
  ...CALL_OPTIONS,
}
