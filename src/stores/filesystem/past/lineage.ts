/**
 * Which segments tell the past of a given change, in order. A journal may have been copied and written on by both sides, and
 * brought together again: each epoch names the change that it went on from, and what no link leads to is another
 * copy's history, kept but not ours. A base stands for all that was cut off before its segment.
 */
import type { ChangePlace, JournalHeader, JournalRecord } from '../../../codec/journal-record.ts'
import type { Journal } from '../journal.ts'

export interface Link {
  readonly segment: string
  readonly epoch: string
  /** Records after this number belong to a branch that was left. */
  readonly upTo: number
}

export interface Lineage {
  readonly links: readonly Link[]
  /** The segment that a base stands before, if one does. */
  readonly base: string | undefined
  /** Nothing is missing: it begins with a base, or with an epoch that began from nothing. */
  readonly whole: boolean
}

export function lineageOf(journal: Journal, last: ChangePlace): Lineage {
  const segments = journal.segments().map((segment) => ({ segment, header: journal.headerOf(segment) }))
  const links: Link[] = []
  let place: ChangePlace | undefined = last
  while (place !== undefined) {
    const { epoch, number } = place as ChangePlace // the loop's own condition
    const ofEpoch = segments.filter(({ header }) => header?.epoch === epoch)
    for (const { segment } of ofEpoch.toReversed()) {
      links.unshift({ segment, epoch, upTo: number })
      if (journal.hasBase(segment)) return { links, base: segment, whole: true }
    }
    const first: JournalHeader | undefined = ofEpoch[0]?.header
    if (!first) return { links, base: undefined, whole: false }
    place = first.from
  }
  return { links, base: undefined, whole: true }
}

/** Whether a new epoch can go on from a change: all that led to it is there, without a gap. Reads everything. */
export function isWhole(journal: Journal, last: ChangePlace): boolean {
  const { links, whole } = lineageOf(journal, last)
  if (!whole) return false
  let number: number | undefined
  for (const [index, { segment, epoch, upTo }] of links.entries()) {
    // An epoch may begin past the numbers of another copy; within one they follow each other.
    const mayJump = links[index - 1]?.epoch !== epoch
    const part = journal.read(segment, 0)
    const records = (part?.lines ?? []).flatMap((line) => ('record' in line ? [line.record] : []))
    for (const record of records) {
      if (record.number > upTo) break
      const jumps = number !== undefined && record.number !== number + 1
      if (jumps && !(mayJump && record === records[0])) return false
      number = record.number
    }
    if (part?.rest === 'damaged' && (number ?? 0) < upTo) return false
  }
  return number === undefined || number >= last.number
}

/** The records of a lineage, oldest first, one segment in memory at a time. */
export function* recordsOf(journal: Journal, { links }: Lineage): Generator<JournalRecord> {
  for (const { segment, upTo } of links) {
    for (const line of journal.read(segment, 0)?.lines ?? []) {
      if ('record' in line && line.record.number <= upTo) yield line.record
    }
  }
}
