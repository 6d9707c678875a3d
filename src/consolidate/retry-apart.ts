/**
 * A raw archive whose turns are behind their session: what the model makes of it takes its place, under its name, in one change with the
 * history entry and MEMORY.md.
 */
import { isKeepsakeError } from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import { derivedId } from '../model/id.ts'
import type { AddOperation } from '../model/operation.ts'
import { answerInParts } from './answer-in-parts.ts'
import type { Answer } from './ask-about.ts'
import { condensedOf } from './condensed-of.ts'
import type { Consolidated } from './consolidated.ts'
import { type MemoryDecision, untilItHolds } from './decide-memory.ts'
import { leftRaw } from './fall-back.ts'
import { historyEntry } from './history-entry.ts'
import { saidInRawText } from './raw-text.ts'
import { originOf, type Run } from './run.ts'

export async function retryApart(run: Run, raw: Entry): Promise<Consolidated> {
  const answer = await answerInParts(run, { conversation: saidInRawText(raw.content) })
  if ('failure' in answer) return leftRaw(run, raw, answer.failure)
  run.told('writing')
  return untilItHolds(
    async (decide) => replace(run, raw, answer, await decide(run, answer)),
    // MEMORY.md was written to meanwhile; what became of the archive itself is not for us to overrule.
    (error) => isKeepsakeError(error) && ['CONFLICT', 'NAME_TAKEN'].includes(error.code) && error.data['id'] !== raw.id,
  )
}

async function replace(run: Run, raw: Entry, answer: Answer, decision: MemoryDecision): Promise<Consolidated> {
  const { memory, session, call } = run
  const { agent } = memory
  const { raw: _, ...metadata } = raw.metadata
  const id = derivedId(agent, `condensed\0${raw.id}`)
  const archive: AddOperation = {
    op: 'add',
    scope: agent,
    kind: 'archive',
    id,
    name: raw.name,
    aliases: raw.aliases,
    content: answer.archiveText,
    metadata: { ...metadata, ...decision.metadata },
  }
  const history = historyEntry(agent, session.key, id, answer.historyText)
  const { entries, change, warnings } = await memory.apply(
    [{ op: 'remove', id: raw.id }, archive, history.operation, ...decision.operations],
    {
      ...call,
      origin: originOf(run, 'consolidation'),
      expect: { ...decision.expect, ...history.expect, [id]: null, [raw.id]: raw.revision },
    },
  )
  const made = entries.find((entry) => entry.id === id)
  return condensedOf(
    run,
    { compacted: true, entries, ...(made ? { archive: made } : {}), ...(change ? { change } : {}), warnings },
    decision,
  )
}
