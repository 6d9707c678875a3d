/**
 * What is done where the model failed: all that was said is kept as a raw archive, with the last of it in the history. MEMORY.md stays
 * as it is. The session goes on with its turns, unless it was to begin anew: then they are behind it, and safe in the archive. While they
 * are live, one raw archive of them is enough, however often the model fails and whatever is said meanwhile.
 */
import type { KeepsakeError } from '../errors.ts'
import type { SummaryInput, Summed } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import { type Piece, upTo } from './condense-piece.ts'
import { condensedOf } from './condensed-of.ts'
import { type Consolidated, nothingDone } from './consolidated.ts'
import { conversationOf } from './conversation-of.ts'
import { historyEntry } from './history-entry.ts'
import { rawArchives } from './raw-archives.ts'
import { rawHistoryText } from './raw-history-text.ts'
import { rawText } from './raw-text.ts'
import { nowOf, originOf, type Run } from './run.ts'

export async function fallBack(run: Run, { through, reason }: Piece, failure: KeepsakeError): Promise<Consolidated> {
  const before = reason === 'new' ? undefined : await keptBefore(run)
  if (before) return leftRaw(run, before, failure)
  const { timezone: zone } = await run.memory.store.settings()
  run.told('writing')
  const compacted = await run.session.compact({
    summary: (input) => rawOf(run, input, zone),
    take: upTo(through),
    reason,
    ...run.call,
  })
  return { ...condensedOf(run, compacted), outcome: 'fell back', failure }
}

/** It failed again: what was kept then is kept, and nothing is added. */
export function leftRaw({ session }: Run, archive: Entry, failure: KeepsakeError): Consolidated {
  return { ...nothingDone(session.key), outcome: 'fell back', failure, archives: [archive] }
}

function rawOf(run: Run, input: SummaryInput, zone: string): Summed {
  const conversation = conversationOf(input)
  const text = rawHistoryText(conversation, nowOf(run), zone)
  return {
    text: rawText(conversation),
    raw: true,
    origin: originOf(run, 'raw-fallback'),
    beside: async ({ id }) => {
      const { operation, expect } = historyEntry(run.memory.agent, run.session.key, id, text, { raw: true })
      return { operations: [operation], expect }
    },
  }
}

/** The raw archive of an earlier try that begins with the first live turn. */
async function keptBefore({ memory, session, call }: Run): Promise<Entry | undefined> {
  const [first] = (await session.view(call)).turns
  const same = (await rawArchives(memory, call)).find(
    ({ metadata }) => metadata['session'] === session.key && metadata['first'] === first?.id,
  )
  return same && memory.get(same.id, call)
}
