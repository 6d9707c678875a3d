/**
 * `store_memory`: a fact, a turn of a conversation, or context for today. One field of the user's profile has one value, and the
 * same fact stored twice is one entry.
 */
import { isKeepsakeError } from '../../errors.ts'
import type { Memory, RememberOptions, Written } from '../../memory.ts'
import { normalizeContent } from '../../model/content.ts'
import type { EntryHead, Metadata } from '../../model/entry.ts'
import { isExpired } from '../../model/expiry.ts'
import { newId } from '../../model/id.ts'
import { normalizeName } from '../../model/name.ts'
import { revisionOf } from '../../model/revision.ts'
import { instant } from '../../model/time.ts'
import { defineTool } from '../define-tool.ts'
import { choice, json, required, said, text } from '../parameters.ts'
import type { Tool, ToolCall } from '../tool.ts'
import { ownWarnings, warningsJson, writeOptions } from '../written.ts'
import { jsonResult } from './json-result.ts'
import { MEMORY_TYPES } from './memory-types.ts'

/** Of a profile's field in a name; two that begin alike for so long are told apart by their metadata. */
const MOST_IN_NAME = 100

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
      const stored = { content: normalizeContent(content), metadata }
      const { entry, warnings } =
        type === 'fact'
          ? await storeFact(memory, stored, call)
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
        ...warningsJson(ownWarnings(memory, warnings)),
      })
    },
  })
}

interface Fact {
  readonly content: string
  readonly metadata: Metadata | undefined
}

/** Without one it gets a key of its own, so that it replaces nothing. */
function contextKey(memory: Memory, metadata: Metadata = {}): string {
  const key = Object.hasOwn(metadata, 'context_key') ? metadata['context_key'] : undefined
  if (key === undefined || key === null) return newId(memory.clock())
  return normalizeName(key, 'metadata.context_key')
}

async function storeFact(memory: Memory, fact: Fact, call: ToolCall): Promise<Written> {
  const options: RememberOptions = { ...said({ metadata: fact.metadata }), ...writeOptions(call), kind: 'fact' }
  const field = profileField(fact.metadata)
  const found = await earlier(memory, fact, call)
  if (found) return rewritten(memory, found, fact, options)
  if (field === undefined) return memory.remember(fact.content, options)
  try {
    // By a name, so that two who store the same field at once make one entry.
    return await memory.remember(fact.content, { ...options, name: profileName(field), expect: null })
  } catch (error) {
    if (!isKeepsakeError(error) || (error.code !== 'CONFLICT' && error.code !== 'NAME_TAKEN')) throw error
    const meanwhile = await earlier(memory, fact, call)
    return meanwhile ? rewritten(memory, meanwhile, fact, options) : memory.remember(fact.content, options)
  }
}

/** What is known about it stays, but for what is said anew. */
function rewritten(memory: Memory, found: EntryHead, fact: Fact, options: RememberOptions): Promise<Written> {
  const metadata = { ...found.metadata, ...fact.metadata }
  return memory.remember(fact.content, { ...options, name: found.name ?? found.id, metadata })
}

/** The fact that this one takes the memory of: the same field's, or the same words. */
async function earlier(memory: Memory, fact: Fact, call: ToolCall): Promise<EntryHead | undefined> {
  const heads = await memory.store.heads({ scopes: [memory.agent], kinds: ['fact'] }, call)
  const now = instant(memory.clock())
  const field = profileField(fact.metadata)
  return heads.findLast((head) => {
    if (isExpired(head, now) || profileField(head.metadata) !== field) return false
    // A revision is made of the text too: it tells without reading any file.
    return field !== undefined || revisionOf({ ...head, content: fact.content }) === head.revision
  })
}

function profileField(metadata: Metadata = {}): string | undefined {
  if (metadata['category'] !== 'user_profile') return undefined
  const field = Object.hasOwn(metadata, 'field') ? metadata['field'] : undefined
  return typeof field === 'string' && field.trim() !== '' ? field.trim() : undefined
}

function profileName(field: string): string {
  const line = field.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return `user profile: ${[...line].slice(0, MOST_IN_NAME).join('')}`
}
