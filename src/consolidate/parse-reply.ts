/**
 * What a model replied when it was asked to condense. Models wrap, cut and break the JSON that they were asked for, so it is looked for
 * in three ways, the strictest first. Never throws. What was cut off counts for the history entry, as far as it goes; a rewrite of the
 * memory that was cut off is none: it would drop the rest of the memory unseen. Our own blocks are taken out of both.
 */
import { withoutInjected } from '../model/injected.ts'
import { keepable } from './keepable.ts'
import type { Loose } from './loose-json.ts'
import type { Fields } from './reply-fields.ts'
import { fieldsInObjects } from './reply-objects.ts'
import { fieldsInMembers, fieldsInSections } from './reply-sections.ts'
import { replyText } from './reply-text.ts'

export interface Reply {
  readonly historyEntry?: string
  /** The whole new text of MEMORY.md. */
  readonly memoryUpdate?: string
}

/** The form that the prompt shows, sent back, and words in its place that only say what would stand there. */
const SAYS_NOTHING = /^(?:\s*|(?:\[YYYY-MM-DD HH:MM\])?[\s.…]*|<[^<>\n]{1,80}>|string)$/i

/** `undefined`: neither of the two is in it. `wasCut`: the model's server says that it ended before its end. */
export function parseReply(text: string, { wasCut = false }: { readonly wasCut?: boolean } = {}): Reply | undefined {
  return best(fieldsInObjects(text)) ?? best(fieldsInMembers(text)) ?? best([fieldsInSections(text, wasCut)])
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
    ...(memoryUpdate === undefined ? {} : { memoryUpdate }),
  }
}

function replyOf({ historyEntry, memoryUpdate }: Fields): Reply {
  const history = historyEntry && said(historyEntry)
  const memory = memoryUpdate && !memoryUpdate.cut ? said(memoryUpdate) : undefined
  return {
    ...(history === undefined ? {} : { historyEntry: history }),
    ...(memory === undefined ? {} : { memoryUpdate: memory }),
  }
}

function said(value: Loose): string | undefined {
  const text = keepable(withoutInjected(replyText(value) ?? ''))
  return SAYS_NOTHING.test(text) ? undefined : text
}
