/** `recall`: with a query a ranked search; without, what an agent should know before it begins. */

import { InvalidError } from '../../errors.ts'
import { type Memory, MOST_DAYS } from '../../memory.ts'
import { parseCondition } from '../../model/condition.ts'
import { requireDateWords } from '../../model/date-words.ts'
import { KIND_NAMES } from '../../model/kinds.ts'
import { MOST_HITS } from '../../recall/request.ts'
import { defineTool } from '../define-tool.ts'
import { foundResult } from '../hits.ts'
import { choice, list, said, text, whole } from '../parameters.ts'
import { search } from '../search.ts'
import type { Tool, ToolCall, ToolResult } from '../tool.ts'
import { warningsJson } from '../written.ts'

export function recall(memory: Memory): Tool {
  return defineTool({
    name: 'recall',
    title: 'Recall',
    description:
      'Read the memory. Without a query: shared knowledge, your MEMORY.md and the last days of your log; do this when a conversation begins. With a query: the entries that match best, whole. Search before you answer about people, projects, decisions or earlier work. "Quotes" hold words together, deploy* takes any ending, -word leaves out.',
    parameters: {
      query: text('Words to search by.'),
      limit: whole(1, MOST_HITS, 'Most hits.', memory.settings.recallLimit),
      days: whole(0, MOST_DAYS, 'Without a query: days of the log, today included. Default 3.'),
      kinds: list(choice(KIND_NAMES), 'Only these kinds.'),
      since: text('Only what was written from then on: 2026-11-15, yesterday, "3 days ago", "last week".'),
      until: text('Only what was written up to then; a day counts up to its end.'),
      where: list(text(), 'Conditions on metadata, all must hold: ["priority>=3", "tag=deploy"].'),
    },
    effect: 'reads',
    everyday: true,
    run: async ({ query, days, where, since, until, ...rest }, call) => {
      if (query === undefined) {
        refuseWithoutQuery({ ...rest, since, until, where })
        return beginning(memory, days, call)
      }
      const { timezone: zone } = await memory.store.settings()
      const present = { zone, nowMs: memory.clock() }
      const asked = {
        ...rest,
        days,
        since: since === undefined ? undefined : requireDateWords(since, 'since', present).from,
        until: until === undefined ? undefined : requireDateWords(until, 'until', present).to,
        where: where?.map(parseCondition),
      }
      return foundResult(await search(memory, query, asked, call), zone)
    },
  })
}

export async function beginning(memory: Memory, days: number | undefined, call: ToolCall): Promise<ToolResult> {
  const { text: loaded, warnings } = await memory.recall({ ...said({ days, signal: call.signal }) })
  return { text: loaded, structured: { text: loaded, ...warningsJson(warnings) } }
}

/** What would have no effect must not look as if it had one. */
function refuseWithoutQuery(asked: Readonly<Record<string, unknown>>): void {
  const idle = Object.keys(asked).find((name) => asked[name] !== undefined)
  if (idle === undefined) return
  throw new InvalidError(idle, 'needs a query', 'a query beside it, or days alone for the last days of the log')
}
