/**
 * The past, read from the journal: every change with what it did to entries, and what a file held before and after some of
 * them. Reading only; one segment is in memory at a time, and the entries as they were.
 */
import type { JournalRecord } from '../../../codec/journal-record.ts'
import type { LoadedHistory } from '../../../history/queries.ts'
import type { Entry } from '../../../model/entry.ts'
import { instant } from '../../../model/time.ts'
import type { Recorded, Touched } from '../../../ports/store.ts'
import { take } from '../../disk/head-change.ts'
import type { Journal } from '../journal.ts'
import type { Workspace } from '../workspace.ts'
import { changeOf } from './change-feed.ts'
import { type Lineage, lineageOf, recordsOf } from './lineage.ts'

/** An instant this recent counts as now. */
const NOW_TOLERANCE_MS = 2000

export function readHistory(workspace: Workspace): LoadedHistory {
  const { journal } = workspace
  const lineage = lineageOfNow(workspace)
  const base = baseOf(journal, lineage)
  const entries = [...base.entries.values()]
  const since = base.at ?? beginningOf(journal, lineage)
  return {
    entries,
    ...(since === undefined ? {} : { since }),
    changes: { [Symbol.iterator]: () => recordedChanges(journal, lineage, new Map(base.entries)) },
  }
}

/**
 * Adds the external edits that no change records yet, as one more change. It is unknown when a file was removed, so it counts as
 * removed only now.
 */
export function withPendingEdits(
  history: LoadedHistory,
  present: Iterable<Entry>,
  at: string,
  nowMs: number,
): LoadedHistory {
  const changes = [...history.changes]
  const recorded = new Map(history.entries.map((entry) => [entry.id, entry]))
  for (const { id, after } of changes.flatMap(({ touched }) => touched)) {
    if (after) recorded.set(id, after)
    else recorded.delete(id)
  }
  const edited: Touched[] = []
  for (const entry of present) {
    if (recorded.get(entry.id)?.revision !== entry.revision) edited.push({ id: entry.id, after: entry })
    recorded.delete(entry.id)
  }
  const isPast = nowMs - Date.parse(at) > NOW_TOLERANCE_MS
  const removed = isPast ? [] : [...recorded.keys()].map((id) => ({ id }))
  const number = (changes.at(-1)?.change.number ?? 0) + 1
  const origin = { by: 'hand' } as const
  const pending = (when: string, touched: readonly Touched[]): Recorded => ({
    change: { number, at: when, origin, operations: [] },
    touched,
  })
  return { ...history, changes: [...changes, pending(instant(nowMs), edited), pending(at, removed)] }
}

export function lineageOfNow({ journal, catalog }: Workspace): Lineage {
  return lineageOf(journal, { epoch: catalog.epoch, number: catalog.number })
}

/** What was there when the lineage begins. */
export function baseOf(
  journal: Journal,
  { base }: Lineage,
): { readonly entries: Map<string, Entry>; readonly at: string | undefined; readonly texts: Map<string, string> } {
  const entries = new Map<string, Entry>()
  const texts = new Map<string, string>()
  if (base === undefined) return { entries, at: undefined, texts }
  const records = journal.readBase(base)
  for (const record of records) {
    take(entries, record)
    for (const file of record.files) if ('text' in file) texts.set(file.path, file.text)
  }
  return { entries, at: records[0]?.at, texts }
}

/** What hands had made before the first write was found then, and nobody knows since when it was there. */
function beginningOf(journal: Journal, lineage: Lineage): string | undefined {
  for (const record of recordsOf(journal, lineage)) {
    return record.found || !lineage.whole ? record.at : undefined
  }
  return undefined
}

function* recordedChanges(journal: Journal, lineage: Lineage, entries: Map<string, Entry>): Generator<Recorded> {
  for (const record of recordsOf(journal, lineage)) yield { change: changeOf(record), touched: take(entries, record) }
}

/** A file's text, followed through the journal; `null`: no file; `undefined`: can't be told. */
export type FileText = string | null | undefined

/** What a record does to a text. It can't be told where a hand has been that nobody saw yet. */
export function textAfter(text: FileText, file: JournalRecord['files'][number]): FileText {
  if (!('append' in file)) return file.after === null ? null : file.text
  if (text === undefined || Buffer.byteLength(text ?? '') !== file.at) return undefined
  return (text ?? '') + file.append
}
