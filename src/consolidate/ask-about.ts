/** What a model makes of a conversation: its history entry and its MEMORY.md, and what it was shown for that. */
import { consolidationPrompt } from '../prompt/consolidation-prompt.ts'
import type { Said } from '../prompt/said.ts'
import { askModel, type ModelFailure } from './ask-model.ts'
import { historyText } from './history-text.ts'
import type { LongTermMemory } from './long-term-memory.ts'
import { rawHistoryText } from './raw-history-text.ts'
import { rawText } from './raw-text.ts'
import { nowOf, type Run, takeInEdits } from './run.ts'

export interface Answer {
  /** MEMORY.md as the model saw it. */
  readonly seen: Pick<LongTermMemory, 'text' | 'revision'>
  /** As it would have it; missing: as it is. */
  readonly update: string | undefined
  /** Why the update may be only a part of what the model meant. */
  readonly updateDoubt?: string | undefined
  readonly wasAskedToCompress: boolean
  /** For the archive, and for the history. */
  readonly archiveText: string
  readonly historyText: string
}

interface Question {
  readonly memory: Answer['seen']
  readonly conversation: readonly Said[]
  readonly previous?: string | undefined
}

/** What a reply takes beside the memory. */
const HISTORY_TOKENS = 2048

const encoder = new TextEncoder()

export async function askAbout(run: Run, { memory, conversation, previous }: Question): Promise<Answer | ModelFailure> {
  const { timezone: zone } = await run.memory.store.settings()
  const now = nowOf(run)
  const bytes = encoder.encode(memory.text).length
  const wasAskedToCompress = bytes > run.maxMemorySize
  const prompt = consolidationPrompt({
    memory: memory.text,
    conversation,
    now,
    zone,
    ...(previous === undefined ? {} : { previous }),
    ...(wasAskedToCompress ? { compressTo: run.maxMemorySize } : {}),
  })
  run.told('asking')
  const asked = await askModel(run.model, prompt, {
    ...run.call,
    timeoutMs: run.timeoutMs,
    // A reply holds all of the memory. No limit: what a model thinks would count into it.
    expectedTokens: HISTORY_TOKENS + Math.ceil(bytes / 2),
  })
  await takeInEdits(run)
  if ('failure' in asked) return asked
  const { historyEntry, memoryUpdate, doubtfulMemory, doubt: updateDoubt } = asked.reply
  if (asked.wasCut)
    run.warnings.push('the reply of the model was cut: it reached the most that the model gives at once')
  const texts =
    historyEntry === undefined
      ? { archiveText: rawText(conversation), historyText: rawHistoryText(conversation, now, zone) }
      : sameText(historyText(historyEntry, now, zone))
  return { seen: memory, update: memoryUpdate ?? doubtfulMemory, updateDoubt, wasAskedToCompress, ...texts }
}

function sameText(text: string): Pick<Answer, 'archiveText' | 'historyText'> {
  return { archiveText: text, historyText: text }
}
