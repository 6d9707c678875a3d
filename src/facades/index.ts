/** The seeds' own names over a `Memory`, for programs that were written for them. */
export {
  type ConsolidationResult,
  ConsolidationService,
  type ConsolidationServiceOptions,
  type ConversationEntry,
  type PromptFn,
} from './consolidation-service.ts'
export { type HistoryMemory, historyMemory } from './history-memory.ts'
export {
  type ContextTurn,
  MemoryType,
  type TypedEntry,
  type TypedHit,
  type TypedMemory,
  type TypedMemoryOptions,
  type TypedSearchOptions,
  typedMemory,
} from './typed-memory.ts'
