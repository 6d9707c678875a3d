/** The tools of the design of one file an entry: names and parameters are its own; each answers with a text. */

import { NotFoundError } from '../errors.ts'
import type { Memory } from '../memory.ts'
import { findByRef } from '../model/find.ts'
import { KIND_NAMES, type Kind } from '../model/kinds.ts'
import { normalizeName } from '../model/name.ts'
import { isLogged } from '../model/operation.ts'
import { hitsText } from '../prompt/hits-text.ts'
import { MOST_HITS } from '../recall/request.ts'
import { CONTENT_HINTS, remembered } from './default/remember.ts'
import { defineTool } from './define-tool.ts'
import { labelOf } from './entry-facts.ts'
import { identityPage, memoryPage } from './page.ts'
import { askedFor, mayBeBlank, required, text, whole } from './parameters.ts'
import { search, withoutKinds } from './search.ts'
import type { Tool, ToolCall, ToolResult } from './tool.ts'
import { asText, readOptions, writeOptions, writtenResult } from './written.ts'

/** MEMORY.md is in every prompt already, and so is the identity. */
const SEARCHED: readonly Kind[] = KIND_NAMES.filter((kind) => kind !== 'memory' && kind !== 'identity')
/** An archive is no entry that an agent made: it is left alone. */
const FORGOTTEN: readonly Kind[] = ['note', 'fact']

export function crabtalkTools(memory: Memory): readonly Tool[] {
  const { soulEditable } = memory.settings
  return [remember(memory), forget(memory), recall(memory), memoryTool(memory), ...(soulEditable ? [soul(memory)] : [])]
}

function remember(memory: Memory): Tool {
  return defineTool({
    name: 'remember',
    title: 'Remember',
    description:
      'Create or overwrite a memory entry. Use it for what should be known in later conversations; recall finds it by its name, description and content.',
    parameters: {
      name: required(text('The name of the entry.')),
      description: required(mayBeBlank('A short searchable description.')),
      content: required(text('The text of the entry.')),
    },
    effect: 'replaces',
    everyday: true,
    hints: CONTENT_HINTS,
    run: async ({ content, ...named }, call) => asText(await remembered(memory, content, named, call)),
  })
}

function forget(memory: Memory): Tool {
  return defineTool({
    name: 'forget',
    title: 'Forget',
    description: 'Delete a memory entry by its name, when it is wrong or no longer wanted.',
    parameters: { name: required(text('The name of the entry.')) },
    effect: 'replaces',
    hints: { NOT_FOUND: 'Search for it with recall, and use the name from there.' },
    run: async ({ name }, call) => asText(await forgotten(memory, normalizeName(name), call)),
  })
}

function recall(memory: Memory): Tool {
  const { recallLimit } = memory.settings
  return defineTool({
    name: 'recall',
    title: 'Recall',
    description:
      'Search the memory entries by relevance. Gives each hit as its name, description and text. Use it before you answer about people, projects, decisions or earlier work.',
    parameters: {
      query: required(text('Words to search by.')),
      limit: whole(1, MOST_HITS, 'Most hits.', recallLimit),
    },
    effect: 'reads',
    everyday: true,
    run: async ({ query, limit = recallLimit }, call) => {
      const found = withoutKinds(await search(memory, query, { limit, kinds: SEARCHED }, call))
      const { timezone: zone } = await memory.store.settings()
      return asText({ text: hitsText(found, zone), structured: {} })
    },
  })
}

function memoryTool(memory: Memory): Tool {
  return defineTool({
    name: 'memory',
    title: 'Memory',
    description:
      'Overwrite MEMORY.md, the curated overview that you see in every conversation. Give the whole new text; what you leave out is gone.',
    parameters: { content: askedFor(text('The whole new MEMORY.md.')) },
    effect: 'replaces',
    run: async (given, call) => asText(await memoryPage(memory, given, call)),
  })
}

function soul(memory: Memory): Tool {
  return defineTool({
    name: 'soul',
    title: 'Soul',
    description: 'Overwrite your identity file: who you are and how you speak. Only when the user asks for it.',
    parameters: { content: askedFor(text('The whole new identity.')) },
    effect: 'replaces',
    run: async (given, call) => asText(await identityPage(memory, given, call)),
  })
}

async function forgotten(memory: Memory, name: string, call: ToolCall): Promise<ToolResult> {
  const heads = await memory.heads({ scopes: [memory.agent], kinds: FORGOTTEN }, readOptions(call))
  const { id, near } = findByRef(name, heads, memory.agent)
  if (id === undefined) throw new NotFoundError(name, near)
  const written = await memory.forget(id, writeOptions(call))
  return writtenResult(written, `Forgot ${labelOf(written.entry)}.`, broughtBack(written))
}

function broughtBack({ change }: Awaited<ReturnType<Memory['forget']>>): string[] {
  return !isLogged(change) ? [] : [`A person can bring it back: keepsake undo ${change.number}`]
}
