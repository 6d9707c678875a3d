/** The three types of the design of typed memories: kinds of the agent's own. Its tools see no other. */

import type { Entry, Metadata } from '../../model/entry.ts'
import { isId } from '../../model/id.ts'

export const MEMORY_TYPES = ['conversation', 'fact', 'context'] as const

export type MemoryType = (typeof MEMORY_TYPES)[number]

export function isMemoryType(kind: string): kind is MemoryType {
  return MEMORY_TYPES.some((type) => type === kind)
}

/** The user's own, and the key of a context where one was given: what has a key of ours got none. */
export function metadataOf({ key, metadata }: Entry): Metadata {
  return key === undefined || isId(key) ? metadata : { ...metadata, context_key: key }
}
