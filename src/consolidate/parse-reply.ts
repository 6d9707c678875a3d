/**
 * What a model replied when it was asked to condense. Models wrap, cut and break the JSON that they were asked for, so it is looked for
 * in three ways, the strictest first. Never throws. What was cut off counts for the history entry, as far as it goes; a rewrite of the
 * memory whose end is not certain is told apart: it would drop the rest of the memory unseen. Our own blocks are taken out of all.
 */
import { keepableText } from '../model/content.ts'
import { withoutInjected } from '../model/injected.ts'
import type { Loose } from './loose-json.ts'
import { DOUBTS, type Doubt, type Fields } from './reply-fields.ts'
import { fieldsInObjects } from './reply-objects.ts'
import { fieldsInMembers, fieldsInSections } from './reply-sections.ts'
import { replyText } from './reply-text.ts'

export interface Reply {
  readonly historyEntry?: string
  /** The whole new text of MEMORY.md. */
  readonly memoryUpdate?: string
  /** What could be read of it where its end is not certain. Never beside one that is certain. */
  readonly doubtfulMemory?: string
  /** Why it is doubtful, as a sentence. */
  readonly doubt?: Doubt
}

/** The form that the prompt shows, sent back, and words in its place that only say what would stand there. */
const SAYS_NOTHING = /^(?:\s*|(?:\[YYYY-MM-DD HH:MM\])?[\s.…]*|<[^<>\n]{1,80}>|string)$/i

export interface ReplyEnd {
  /** The model's server says that the reply ended before its end, or that it did not. Missing: it says nothing. */
  readonly wasCut?: boolean | undefined
}

/** `undefined`: neither of the two is in it for certain, so that the model is asked again. The first way that finds a field counts, so that no other takes the doubtful for certain. */
export function parseReply(text: string, { wasCut }: ReplyEnd = {}): Reply | undefined {
  const inObjects = fieldsInObjects(text, wasCut)
  if (inObjects.length > 0) return best(inObjects)
  const inMembers = fieldsInMembers(text, wasCut)
  return best(inMembers.length > 0 ? inMembers : fieldsInSections(text, wasCut))
}

/** The first that has both; else the first of each. */
function best(found: readonly Fields[]): Reply | undefined {
  const replies = found.map(replyOf)
  const whole = replies.find(
    ({ historyEntry, memoryUpdate }) => historyEntry !== undefined && memoryUpdate !== undefined,
  )
  if (whole) return whole
  const historyEntry = replies.find((reply) => reply.historyEntry !== undefined)?.historyEntry
  const memoryUpdate = replies.find((reply) => reply.memoryUpdate !== undefined)?.memoryUpdate
  if (historyEntry === undefined && memoryUpdate === undefined) return undefined
  return {
    ...(historyEntry === undefined ? {} : { historyEntry }),
    ...(memoryUpdate === undefined ? doubtfulOf(replies) : { memoryUpdate }),
  }
}

function doubtfulOf(replies: readonly Reply[]): Pick<Reply, 'doubtfulMemory' | 'doubt'> {
  const { doubtfulMemory, doubt } = replies.find((reply) => reply.doubtfulMemory !== undefined) ?? {}
  return doubtfulMemory === undefined || doubt === undefined ? {} : { doubtfulMemory, doubt }
}

function replyOf({ historyEntry, memoryUpdate, doubt: known }: Fields): Reply {
  const history = historyEntry && said(historyEntry)
  const memory = memoryUpdate && said(memoryUpdate)
  const doubt = memoryUpdate?.cut && known !== DOUBTS.cut ? DOUBTS.unclosed : known
  return {
    ...(history === undefined ? {} : { historyEntry: history }),
    ...(memory === undefined ? {} : doubt === undefined ? { memoryUpdate: memory } : { doubtfulMemory: memory, doubt }),
  }
}

function said(value: Loose): string | undefined {
  const text = keepableText(withoutInjected(replyText(value) ?? ''))
  return SAYS_NOTHING.test(text) ? undefined : text
}
