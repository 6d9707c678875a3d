/** `search_memories`: by meaning where vectors can be had, else by words; `mode` says which, and what is missing is told. */
import type { Memory } from '../../memory.ts'
import { MEMORY_TYPES, metadataWithKey } from '../../model/memory-types.ts'
import { meaningText } from '../../prompt/searched-text.ts'
import { MOST_HITS } from '../../recall/request.ts'
import { defineTool } from '../define-tool.ts'
import { choice, required, text, whole } from '../parameters.ts'
import { search } from '../search.ts'
import type { Tool } from '../tool.ts'
import { warningsJson } from '../written.ts'
import { jsonResult } from './json-result.ts'

const DEFAULT_LIMIT = 5

export function searchMemories(memory: Memory): Tool {
  return defineTool({
    name: 'search_memories',
    title: 'Search memories',
    description:
      'Search the memories. Gives the matching ones with id, type, relevance score (0 to 1), time and metadata, the best first.',
    parameters: {
      query: required(text('What to search for.')),
      memory_type: choice(MEMORY_TYPES, 'Only this type.'),
      limit: whole(1, MOST_HITS, 'Most results.', DEFAULT_LIMIT),
    },
    effect: 'reads',
    everyday: true,
    run: async ({ query, memory_type: type, limit = DEFAULT_LIMIT }, call) => {
      const kinds = type === undefined ? MEMORY_TYPES : [type]
      const { hits, searched, warnings } = await search(
        memory,
        query,
        { limit, kinds, preferredMode: 'semantic' },
        call,
      )
      const notes = meaningText(searched)
      return jsonResult({
        result: hits.map(({ entry, score }) => ({
          id: entry.id,
          content: entry.content,
          type: entry.kind,
          score,
          created_at: entry.createdAt,
          metadata: metadataWithKey(entry),
        })),
        mode: searched.mode,
        ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
        ...(searched.omitted === 0 ? {} : { omitted: searched.omitted }),
        ...warningsJson(warnings),
      })
    },
  })
}
