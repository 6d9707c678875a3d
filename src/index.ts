/** The public API: an explicit list. Free of Node's own modules; stores that need them are loaded when opened. */
export { type ErrorCode, isKeepsakeError, KeepsakeError } from './errors.ts'
export type { Blame } from './history/blame.ts'
export type { ChangeFilter, LoggedChange } from './history/log.ts'
export {
  type Context,
  type ContextOptions,
  type KnownSettings,
  type ListFilter,
  type LogQuery,
  Memory,
  type MemoryOptions,
  type MemorySettings,
  openMemory,
  type PurgedEntry,
  type Recalled,
  type RecallOptions,
  type RememberOptions,
  type Session,
  type Undone,
  type UndoOptions,
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
export type { Clock } from './ports/clock.ts'
export type {
  Absorbed,
  AbsorbOptions,
  Applied,
  ApplyOptions,
  CallOptions,
  Capabilities,
  ChangeFeed,
  Cursor,
  Derived,
  FeedOptions,
  History,
  Lease,
  PendingEdit,
  Problem,
  Purged,
  Recorded,
  ScanFilter,
  SessionInfo,
  SessionPage,
  SessionRecord,
  Sessions,
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
