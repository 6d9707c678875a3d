/** The public API: an explicit list. Free of Node's own modules; stores that need them are loaded when opened. */
export { type Agent, type AgentOptions, createAgent, type ProcessOptions, type Reply } from './agent/agent.ts'
export type { Usage } from './agent/answer.ts'
export type { AgentEvent } from './agent/events.ts'
export type { AgentTool } from './agent/tool-run.ts'
export { anthropicModel } from './complete/anthropic.ts'
export { chooseModel } from './complete/choose-model.ts'
export { openaiModel } from './complete/openai.ts'
export type { ProviderOptions } from './complete/provider.ts'
export { consolidate } from './consolidate/consolidate.ts'
export type {
  CondensingOptions,
  Consolidated,
  ConsolidateOptions,
  ConsolidationStep,
} from './consolidate/consolidated.ts'
export type { GivenModel } from './consolidate/given-model.ts'
export { retryFallbacks } from './consolidate/retry.ts'
export { acceptReview, type RejectedReview, rejectReview } from './consolidate/review.ts'
export { type Review, reviews } from './consolidate/reviews.ts'
export type { EmbeddingModel } from './embed/embedding-model.ts'
export { type HttpEmbedOptions, httpEmbed } from './embed/http-embed.ts'
export { type ErrorCode, isKeepsakeError, KeepsakeError } from './errors.ts'
export type { Blame } from './history/blame.ts'
export type { ChangeFilter, VisibleChange as LoggedChange } from './history/log.ts'
export {
  type AppendedTurns,
  type AppliedOperations,
  type BatchOptions,
  type CleanedUp,
  type CleanupOptions,
  type Compacted,
  type CompactOptions,
  type Context,
  type ContextOptions,
  type Elsewhere,
  type Embedded,
  type Embeddings,
  type EmbedOptions,
  type GivenEmbed,
  type GivenText,
  type ImportedTurns,
  type ImportOptions,
  type KnownSettings,
  type ListFilter,
  type LogQuery,
  type Marker,
  type MarkerReason,
  Memory,
  type MemoryOptions,
  type MemorySettings,
  type Message,
  type OperationInput,
  openMemory,
  type PlacedEntry,
  type PlaceOptions,
  type Places,
  type PurgedEntry,
  type Recalled,
  type RecallOptions,
  type Recalls,
  type RefusedEntry,
  type RememberOptions,
  type Reset,
  type ResetOptions,
  type Role,
  type SearchBy,
  type Session,
  type SessionContextOptions,
  type SessionSummary,
  type SessionView,
  type SessionWindow,
  type StoreOptions,
  type Summary,
  type SummaryInput,
  type Summed,
  type Turn,
  type TurnInput,
  type Undone,
  type UndoOptions,
  type WholeTranscript,
  type WindowOptions,
  type WriteOptions,
  type Written,
} from './memory.ts'
export { type Condition, parseCondition } from './model/condition.ts'
export type { Entry, EntryHead, JsonValue, Metadata, Origin, OriginBy, Scope } from './model/entry.ts'
export { KINDS, type Kind, type KindRule } from './model/kinds.ts'
export type {
  AddOperation,
  AliasOperation,
  Batch,
  Change,
  Expect,
  Operation,
  RemoveOperation,
  RenameOperation,
  WriteOperation,
} from './model/operation.ts'
export { PRESETS, type Preset, type PresetRule } from './model/preset.ts'
export type { Occurrence } from './model/redaction.ts'
export type { Clock } from './ports/clock.ts'
export type {
  Complete,
  CompleteOptions,
  Completion,
  Model,
  ModelMessage,
  ModelToolCall,
  ToolOffer,
} from './ports/complete.ts'
export type { Embed, EmbedSource } from './ports/embed.ts'
export type {
  Absorbed,
  AbsorbOptions,
  Applied,
  ApplyOptions,
  CallOptions,
  Capabilities,
  ChangeFeed,
  ChangeQuery,
  Cursor,
  Derived,
  EntryVersion,
  FeedOptions,
  GoneFilter,
  Lease,
  PendingEdit,
  Problem,
  Purged,
  PurgeOptions,
  Recorded,
  ScanFilter,
  SessionAppended,
  SessionAppendOptions,
  SessionInfo,
  SessionPage,
  SessionRecord,
  Sessions,
  SessionTail,
  Settings,
  Store,
  Touched,
  Watch,
} from './ports/store.ts'
export { type DirectiveOptions, memoryDirective } from './prompt/directive.ts'
export type { PartName, PromptPart } from './prompt/part.ts'
export type {
  BoostPart,
  Found,
  Hit,
  MeaningPart,
  Range,
  Searched,
  SearchMode,
  SearchOptions,
  SupportPart,
  Understood,
  Why,
  WhyNot,
  WordPart,
} from './recall/found.ts'
export { type MemoryStoreOptions, memoryStore } from './stores/memory.ts'
export {
  createMemoryTools,
  type JsonSchema,
  type MemoryToolsOptions,
  type Tool,
  type ToolCall,
  type ToolResult,
} from './tools/index.ts'
