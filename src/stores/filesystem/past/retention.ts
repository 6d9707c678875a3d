/**
 * How far back the past goes. Segments that are older than the workspace wants to keep are folded into a base: what was there
 * when the next segment began. Only whole segments go, so the past is kept somewhat longer than asked for, never shorter;
 * and nothing younger than 30 days goes for its size. Only for the holder of the lock.
 */
import { encodeRecord, type JournalRecord } from '../../../codec/journal-record.ts'
import type { Entry } from '../../../model/entry.ts'
import { instant } from '../../../model/time.ts'
import type { Settings } from '../../../ports/store.ts'
import { beyondOperation, take } from '../../disk/head-change.ts'
import { hashBytes, statFile } from '../../disk/reading.ts'
import { removeFile } from '../../disk/system.ts'
import { addOf } from '../hand-edit.ts'
import { digest, type Journal } from '../journal.ts'
import type { Workspace } from '../workspace.ts'
import { baseOf, type FileText, lineageOfNow, textAfter } from './history.ts'
import { type Lineage, type Link, recordsOf } from './lineage.ts'

const DAY_MS = 86_400_000
const FEWEST_DAYS = 30
const MEGABYTE = 1024 * 1024

/** `checkpoint`: makes one, so that nobody needs what is folded to know the present. */
export async function foldOldHistory(
  workspace: Workspace,
  nowMs: number,
  checkpoint: () => Promise<void>,
): Promise<void> {
  const { journal, settings } = workspace
  const lineage = lineageOfNow(workspace)
  const count = countToFold(journal, lineage.links, settings, nowMs)
  const [next] = lineage.links.slice(count)
  if (count > 0 && next) {
    const folded = lineage.links.slice(0, count)
    await journal.rewrite(journal.basePathOf(next.segment), () => baseBefore(journal, { ...lineage, links: folded }))
    await checkpoint()
    for (const { segment } of folded) forget(journal, segment)
  }
  forgetOtherHistories(journal, lineage, nowMs - settings.retentionDays * DAY_MS)
}

/** How many of the oldest segments are past keeping. The last one is being written. */
function countToFold(journal: Journal, links: readonly Link[], settings: Settings, nowMs: number): number {
  const limit = instant(nowMs - settings.retentionDays * DAY_MS)
  const hardLimit = instant(nowMs - FEWEST_DAYS * DAY_MS)
  let size = links.reduce((sum, { segment }) => sum + (statFile(journal.pathOf(segment))?.size ?? 0), 0)
  let count = 0
  for (const { segment } of links.slice(0, -1)) {
    // Everything in it is older than the beginning of the next.
    const end = journal.headerOf(links[count + 1]?.segment ?? '')?.at
    const tooLarge = size > settings.retentionMb * MEGABYTE
    const last = tooLarge ? hardLimit : limit
    if (end === undefined || end >= last || newestIn(journal, segment) >= last) break
    size -= statFile(journal.pathOf(segment))?.size ?? 0
    count++
  }
  return count
}

/** Clocks go back: the beginning of the next segment alone does not prove that all of this one is older. */
function newestIn(journal: Journal, segment: string): string {
  const times = (journal.read(segment, 0)?.lines ?? []).flatMap((line) => ('record' in line ? line.record.at : []))
  return times.reduce((newest, at) => (at > newest ? at : newest), '')
}

/** One record a file, so that none is longer than it must be. */
function baseBefore(journal: Journal, folded: Lineage): Uint8Array {
  const base = baseOf(journal, folded)
  const texts = new Map<string, FileText>(base.texts)
  let last: Pick<JournalRecord, 'number' | 'turn' | 'at'> = { number: 0, turn: 0, at: base.at ?? instant(0) }
  for (const record of recordsOf(journal, folded)) {
    take(base.entries, record)
    for (const file of record.files) texts.set(file.path, textAfter(texts.get(file.path) ?? null, file))
    last = record
  }
  const byPath = new Map<string, Entry[]>()
  for (const entry of base.entries.values()) {
    const path = entry.path ?? ''
    byPath.set(path, [...(byPath.get(path) ?? []), entry])
  }
  // A base that stands for nothing must still say since when.
  if (byPath.size === 0) byPath.set('', [])
  const records = [...byPath].map(([path, entries]): JournalRecord => {
    const operations = entries.map(addOf)
    const text = texts.get(path)
    const { number, turn, at } = last
    return {
      number,
      turn,
      at,
      origin: { by: 'hand' },
      operations,
      set: entries.map((entry, index) => beyondOperation(undefined, operations[index] ?? addOf(entry), entry)),
      files: typeof text === 'string' ? [{ path, before: null, after: hashBytes(text), text, seen: true }] : [],
    }
  })
  return Buffer.concat(records.map((record) => encodeRecord(record, digest)))
}

function forget(journal: Journal, segment: string): void {
  removeFile(journal.pathOf(segment))
  removeFile(journal.basePathOf(segment))
}

/** What another copy of the folder wrote is kept as long as our own. */
function forgetOtherHistories(journal: Journal, { links }: Lineage, before: number): void {
  const ours = new Set(links.map(({ segment }) => segment))
  for (const segment of journal.segments()) {
    const written = statFile(journal.pathOf(segment))?.mtimeMs
    if (!ours.has(segment) && written !== undefined && written < before) forget(journal, segment)
  }
}
