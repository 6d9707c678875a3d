/**
 * Typed memories by the names of their own design: `MemoryManager` as it is called there, in TypeScript's spelling. Nothing is
 * decided here: each method is one call to the memory. What it held in RAM is durable, so its window is asynchronous too.
 */
import { InvalidError, isKeepsakeError } from '../errors.ts'
import type { Memory, Session } from '../memory.ts'
import type { Condition } from '../model/condition.ts'
import type { Entry, Metadata } from '../model/entry.ts'
import { isId } from '../model/id.ts'
import {
  isMemoryType,
  keyInMetadata,
  MEMORY_TYPES,
  metadataWithKey,
  parseMemoryType,
  type MemoryType as TypeName,
} from '../model/memory-types.ts'
import { requireOptions } from '../model/options.ts'
import { instant } from '../model/time.ts'
import { type ContextWindow, processWindow } from './process-window.ts'

/** The three types, and by the names of its first version those that they took in. */
export const MemoryType: Readonly<
  Record<'CONVERSATION' | 'OBSERVATION', 'conversation'> &
    Record<'FACT' | 'PREFERENCE', 'fact'> &
    Record<'CONTEXT' | 'EVENT' | 'TASK', 'context'>
> = {
  CONVERSATION: 'conversation',
  FACT: 'fact',
  CONTEXT: 'context',
  OBSERVATION: 'conversation',
  PREFERENCE: 'fact',
  EVENT: 'context',
  TASK: 'context',
}

export type MemoryType = TypeName

export interface TypedEntry {
  readonly id: string
  readonly content: string
  readonly memoryType: MemoryType
  readonly createdAt: string
  /** `null`: never. */
  readonly expiresAt: string | null
  readonly metadata: Metadata
}

export interface TypedHit {
  readonly memory: TypedEntry
  /** 0 to 1, higher is more relevant. */
  readonly score: number
}

export interface TypedSearchOptions {
  readonly memoryType?: MemoryType
  /** Default 5. */
  readonly limit?: number
  /** Default 0.3 by meaning; 0 where it goes by words, whose low scores are no noise. */
  readonly minScore?: number
  /** What must hold for the metadata. */
  readonly where?: readonly Condition[]
}

export interface ContextTurn {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly timestamp: string
}

export interface TypedMemoryOptions {
  /** Whose window it is; default `typed`. */
  readonly session?: string
}

export interface TypedMemory {
  store(content: string, memoryType: MemoryType, metadata?: Metadata): Promise<TypedEntry>
  search(query: string, options?: TypedSearchOptions): Promise<TypedHit[]>
  /** Whether it was there. */
  forget(id: string): Promise<boolean>
  /** How many were removed. */
  cleanupExpired(): Promise<number>
  addToContextWindow(role: ContextTurn['role'], content: string): Promise<void>
  getContextWindow(): Promise<ContextTurn[]>
  clearContextWindow(): Promise<void>
  rememberFact(content: string, metadata?: Metadata): Promise<TypedEntry>
  rememberConversation(content: string, metadata?: Metadata): Promise<TypedEntry>
  setContext(key: string, value: string): Promise<TypedEntry>
  getContext(key: string): Promise<string | null>
}

const DEFAULT_LIMIT = 5

export function typedMemory(memory: Memory, options: TypedMemoryOptions = {}): TypedMemory {
  requireOptions(options, 'typedMemory', { session: true })
  const { session: key = 'typed' } = options
  const inSession = sessionWindow(memory.session(key))
  let inProcess: ContextWindow | undefined
  const window = (): ContextWindow => {
    if (memory.store.capabilities.sessions === true) return inSession
    const now = (): string => instant(memory.clock())
    const { contextWindowSize } = memory.settings
    inProcess ??= processWindow(contextWindowSize, now, ({ role, content }) => store(content, 'conversation', { role }))
    return inProcess
  }
  const store: TypedMemory['store'] = async (content, memoryType, metadata) => {
    const named = memoryType === 'context' ? keyInMetadata(metadata) : undefined
    const options = { ...(metadata ? { metadata } : {}), ...(named === undefined ? {} : { key: named }) }
    return typedEntry((await memory.storeMemory(content, memoryType, options)).entry)
  }
  return {
    store,
    search: async (query, options = {}) => {
      requireOptions(options, 'typedMemory.search', { memoryType: true, limit: true, minScore: true, where: true })
      const { memoryType, limit = DEFAULT_LIMIT, minScore, where } = options
      const { hits } = await memory.search(query, {
        kinds: memoryType === undefined ? MEMORY_TYPES : [parseMemoryType(memoryType)],
        limit,
        preferredMode: 'semantic',
        ...(minScore === undefined ? {} : { minScore }),
        ...(where === undefined ? {} : { where }),
      })
      return hits.map(({ entry, score }) => ({ memory: typedEntry(entry), score }))
    },
    forget: async (id) => {
      const entry = isId(id) ? await memory.get(id) : undefined
      if (!entry || !isMemoryType(entry.kind)) return false
      try {
        await memory.forget(id)
        return true
      } catch (error) {
        // Someone else forgot it a moment before.
        if (isKeepsakeError(error) && error.code === 'NOT_FOUND') return false
        throw error
      }
    },
    cleanupExpired: async () => (await memory.cleanup({ unreadable: false })).deleted,
    addToContextWindow: async (role, content) => {
      if (role !== 'user' && role !== 'assistant') {
        throw new InvalidError('role', `"${String(role)}" has no place in the window`, 'user, assistant')
      }
      await window().add(role, content)
    },
    getContextWindow: () => window().read(),
    clearContextWindow: () => window().clear(),
    rememberFact: (content, metadata) => store(content, 'fact', metadata),
    rememberConversation: (content, metadata) => store(content, 'conversation', metadata),
    setContext: (name, value) => store(value, 'context', { context_key: name }),
    getContext: (name) => memory.getContext(name),
  }
}

function sessionWindow(session: Session): ContextWindow {
  return {
    add: async (role, content) => void (await session.append({ role, content })),
    async read() {
      const { messages } = await session.window()
      return messages.flatMap(({ role, content, at }) =>
        role === 'user' || role === 'assistant' ? [{ role, content, timestamp: at }] : [],
      )
    },
    clear: async () => void (await session.reset()),
  }
}

function typedEntry(entry: Entry): TypedEntry {
  const { id, content, kind, createdAt, expiresAt } = entry
  if (!isMemoryType(kind)) throw new Error('unreachable: only these kinds are stored and searched here')
  return { id, content, memoryType: kind, createdAt, expiresAt, metadata: metadataWithKey(entry) }
}
