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

/** What a reply takes beside the memory, and what providers allow for all of it when they are not told. */
const HISTORY_TOKENS = 2048
const USUAL_TOKENS = 4096

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
  const maxTokens = HISTORY_TOKENS + Math.ceil(bytes / 2)
  run.told('asking')
  const asked = await askModel(run.model, prompt, {
    ...run.call,
    timeoutMs: run.timeoutMs,
    // A reply holds all of the memory: a large one would be cut.
    ...(maxTokens > USUAL_TOKENS ? { maxTokens } : {}),
  })
  await takeInEdits(run)
  if ('failure' in asked) return asked
  const { historyEntry, memoryUpdate } = asked.reply
  const texts =
    historyEntry === undefined
      ? { archiveText: rawText(conversation), historyText: rawHistoryText(conversation, now, zone) }
      : sameText(historyText(historyEntry, now, zone))
  return { seen: memory, update: memoryUpdate, wasAskedToCompress, ...texts }
}

function sameText(text: string): Pick<Answer, 'archiveText' | 'historyText'> {
  return { archiveText: text, historyText: text }
}
