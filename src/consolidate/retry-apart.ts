/**
 * A raw archive whose turns are behind their session: what the model makes of it takes its place, under its name, in one change with the
 * history entry and MEMORY.md.
 */
import { isKeepsakeError } from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import { derivedId } from '../model/id.ts'
import type { AddOperation } from '../model/operation.ts'
import type { Said } from '../prompt/said.ts'
import { type Answer, askAbout } from './ask-about.ts'
import type { ModelFailure } from './ask-model.ts'
import { condensedOf } from './condensed-of.ts'
import { PIECE_TOKENS } from './consolidate.ts'
import type { Consolidated } from './consolidated.ts'
import { decideMemory, decideToAsk, type MemoryDecision } from './decide-memory.ts'
import { firstPiece } from './exchanges.ts'
import { leftRaw } from './fall-back.ts'
import { historyEntry } from './history-entry.ts'
import { longTermMemory } from './long-term-memory.ts'
import { saidInRawText } from './raw-text.ts'
import { originOf, type Run } from './run.ts'

const MOST_DECISIONS = 10

export async function retryApart(run: Run, raw: Entry): Promise<Consolidated> {
  const answer = await answerAbout(run, saidInRawText(raw.content))
  if ('failure' in answer) return leftRaw(run, raw, answer.failure)
  run.told('writing')
  for (let tries = 1; ; tries++) {
    const decision = await (tries < MOST_DECISIONS ? decideMemory : decideToAsk)(run, answer)
    try {
      return await replace(run, raw, answer, decision)
    } catch (error) {
      // MEMORY.md was written to meanwhile; what became of the archive itself is not for us to overrule.
      const isRace = isKeepsakeError(error) && ['CONFLICT', 'NAME_TAKEN'].includes(error.code)
      if (!isRace || error.data['id'] === raw.id || tries > MOST_DECISIONS) throw error
    }
  }
}

/** One answer to all of it, however many pieces it takes: each is shown the memory as the one before would have it. */
async function answerAbout(run: Run, conversation: readonly Said[]): Promise<Answer | ModelFailure> {
  const seen = await longTermMemory(run.memory, run.call)
  const answers: Answer[] = []
  for (let left = conversation; left.length > 0; ) {
    const size = firstPiece(left, PIECE_TOKENS)
    const before = answers.at(-1)
    const memory = { ...seen, text: before?.update ?? before?.seen.text ?? seen.text }
    const piece = { memory, conversation: left.slice(0, size), previous: before?.archiveText }
    const answer = await askAbout(run, piece)
    if ('failure' in answer) return answer
    answers.push(answer)
    left = left.slice(size)
  }
  return {
    seen,
    update: answers.findLast(({ update }) => update !== undefined)?.update,
    wasAskedToCompress: answers.some((answer) => answer.wasAskedToCompress),
    archiveText: answers.map(({ archiveText }) => archiveText).join('\n\n'),
    historyText: answers.map(({ historyText }) => historyText).join('\n\n'),
  }
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
