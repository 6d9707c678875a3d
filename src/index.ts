/** The public API: an explicit list. Free of Node's own modules; stores that need them are loaded when opened. */
export { type ErrorCode, isKeepsakeError, KeepsakeError } from './errors.ts'
export {
  type ListFilter,
  Memory,
  type MemoryOptions,
  openMemory,
  type Recalled,
  type RecallOptions,
  type RememberOptions,
  type WriteOptions,
  type Written,
} from './memory.ts'
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
export type { Clock } from './ports/clock.ts'
export type {
  Applied,
  ApplyOptions,
  CallOptions,
  Capabilities,
  ChangeFeed,
  Cursor,
  Derived,
  Lease,
  Problem,
  ScanFilter,
  SessionInfo,
  SessionPage,
  SessionRecord,
  Sessions,
  Settings,
  Store,
} from './ports/store.ts'
export { type MemoryStoreOptions, memoryStore } from './stores/memory.ts'
