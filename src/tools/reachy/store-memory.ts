/**
 * `store_memory`: a fact, a turn of a conversation, or context for today. One field of the user's profile has one value, and the
 * same text with the same metadata is one fact.
 */
import type { Memory } from '../../memory.ts'
import { keyInMetadata, MEMORY_TYPES } from '../../model/memory-types.ts'
import { defineTool } from '../define-tool.ts'
import { choice, json, required, said, text } from '../parameters.ts'
import type { Tool } from '../tool.ts'
import { warningsJson, writeOptions } from '../written.ts'
import { jsonResult } from './json-result.ts'

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
      const key = type === 'context' ? keyInMetadata(metadata) : undefined
      const { entry, warnings } = await memory.storeMemory(content, type, {
        ...said({ metadata, key }),
        ...writeOptions(call),
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
