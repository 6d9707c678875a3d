/**
 * The three types of typed memories: the kinds `conversation`, `fact` and `context`. In their design the key of a context stands
 * in the metadata, as `context_key`; here it is apart from what is the user's own, and these two translate.
 */
import { InvalidError } from '../errors.ts'
import type { EntryHead, Metadata } from './entry.ts'
import { isId } from './id.ts'
import { normalizeName } from './name.ts'

export const MEMORY_TYPES = ['conversation', 'fact', 'context'] as const

export type MemoryType = (typeof MEMORY_TYPES)[number]

export function isMemoryType(kind: unknown): kind is MemoryType {
  return MEMORY_TYPES.some((type) => type === kind)
}

export function parseMemoryType(value: unknown): MemoryType {
  if (isMemoryType(value)) return value
  throw new InvalidError('kind', `"${String(value)}" is not a type of memory`, MEMORY_TYPES.join(', '))
}

/** The user's own, and the key of a context where one was given: one that has none got an id for it. */
export function metadataWithKey({ key, metadata }: Pick<EntryHead, 'key' | 'metadata'>): Metadata {
  return key === undefined || isId(key) ? metadata : { ...metadata, context_key: key }
}

/** The key of a context that its metadata names. */
export function keyInMetadata(metadata: Metadata = {}): string | undefined {
  const key = Object.hasOwn(metadata, 'context_key') ? metadata['context_key'] : undefined
  return key === undefined || key === null ? undefined : normalizeName(key, 'metadata.context_key')
}
