/**
 * `store_memory`: a fact, a turn of a conversation, or context for today. One field of the user's profile has one value, and the
 * same fact stored twice is one entry.
 */
import type { Memory } from '../../memory.ts'
import { normalizeContent } from '../../model/content.ts'
import type { Metadata } from '../../model/entry.ts'
import { newId } from '../../model/id.ts'
import { normalizeName } from '../../model/name.ts'
import { defineTool } from '../define-tool.ts'
import { choice, json, required, said, text } from '../parameters.ts'
import type { Tool } from '../tool.ts'
import { warningsJson, writeOptions } from '../written.ts'
import { jsonResult } from './json-result.ts'
import { MEMORY_TYPES } from './memory-types.ts'
import { storeFact } from './store-fact.ts'

export function storeMemory(memory: Memory): Tool {
  return defineTool({
    name: 'store_memory',
    title: 'Store a memory',
    description:
      'Store a memory: a fact is kept for good, a conversation for 30 days, a context until the end of the day. Gives the stored memory with its id.',
    parameters: {
      content: required(text('What to remember.')),
      memory_type: choice(MEMORY_TYPES, undefined, 'fact'),
      metadata: json(
        'Key-value pairs. {"category": "user_profile", "field": "name"} replaces the earlier value of that field; context_key is the key of a context.',
      ),
    },
    effect: 'writes',
    everyday: true,
    run: async ({ content, memory_type: type = 'fact', metadata }, call) => {
      const { entry, warnings } =
        type === 'fact'
          ? await storeFact(memory, { content: normalizeContent(content), metadata }, writeOptions(call))
          : await memory.remember(content, {
              ...(type === 'context' ? { key: contextKey(memory, metadata) } : {}),
              ...said({ metadata }),
              ...writeOptions(call),
              kind: type,
            })
      return jsonResult({
        id: entry.id,
        content: entry.content,
        type: entry.kind,
        created_at: entry.createdAt,
        ...warningsJson(warnings),
      })
    },
  })
}

/** Without one it gets a key of its own, so that it replaces nothing. */
function contextKey(memory: Memory, metadata: Metadata = {}): string {
  const key = Object.hasOwn(metadata, 'context_key') ? metadata['context_key'] : undefined
  if (key === undefined || key === null) return newId(memory.clock())
  return normalizeName(key, 'metadata.context_key')
}
