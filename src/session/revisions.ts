/**
 * Turns as they were last revised, read from the end: a revision stands behind its turn, so it is known before the turn is met, and
 * one of a turn that is not read does no harm. A turn that came twice could not be told from one that a marker covers. Pure.
 */
import type { Revision, TranscriptRecord, Turn } from './records.ts'

export class Revisions {
  readonly #newest = new Map<string, Revision>()

  /** Of two, the one that is put in first is the newer. */
  put(revision: Revision): void {
    if (!this.#newest.has(revision.turn)) this.#newest.set(revision.turn, revision)
  }

  /** A turn that stands before all that were put in. */
  applied(turn: Turn): Turn {
    const revision = this.#newest.get(turn.id)
    return revision ? { ...turn, content: revision.content, tools: revision.tools } : turn
  }
}

/** All turns of these records, oldest first. */
export function turnsIn(records: readonly TranscriptRecord[]): Turn[] {
  const revisions = new Revisions()
  const turns: Turn[] = []
  for (const record of records.toReversed()) {
    if (record.type === 'revision') revisions.put(record.revision)
    if (record.type === 'turn') turns.push(revisions.applied(record.turn))
  }
  return turns.toReversed()
}

/** Whether there is more in a turn than before. What was purged, or cut otherwise, does not come back by it. */
export function hasGrown(before: Turn, now: Turn): boolean {
  const isMore = now.content.length > before.content.length || now.tools.length > before.tools.length
  return (
    isMore && now.content.startsWith(before.content) && before.tools.every((name, index) => name === now.tools[index])
  )
}
