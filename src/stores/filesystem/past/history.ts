/**
 * The past, read from the journal: every change with what it did to entries, and what a file held before and after some of
 * them. Reading only; one segment is in memory at a time, and the entries as they were.
 */
import type { JournalRecord } from '../../../codec/journal-record.ts'
import type { Entry } from '../../../model/entry.ts'
import type { History, Recorded, Touched } from '../../../ports/store.ts'
import { headAfter } from '../catalog.ts'
import type { Journal } from '../journal.ts'
import type { Workspace } from '../workspace.ts'
import { changeOf } from './change-feed.ts'
import { type Lineage, lineageOf, recordsOf } from './lineage.ts'

export function readHistory(workspace: Workspace): History {
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

/** Brings the entries to where a record left them; what it did to each. */
export function take(entries: Map<string, Entry>, record: JournalRecord): Touched[] {
  const before = new Map<string, Entry | undefined>()
  for (const [index, operation] of record.operations.entries()) {
    const id = operation.id ?? ''
    const now = entries.get(id)
    // Behind a gap in the journal: what it was before can't be told, and so can't what it became.
    if (!now && operation.op !== 'add') continue
    if (!before.has(id)) before.set(id, now)
    if (operation.op === 'remove') {
      entries.delete(id)
      continue
    }
    const head = headAfter(now, operation, record.set[index] ?? {})
    const said = operation.op === 'add' || operation.op === 'write' ? operation.content : undefined
    entries.set(id, { ...head, content: said ?? now?.content ?? '' })
  }
  return [...before].map(([id, was]) => {
    const is = entries.get(id)
    return { id, ...(was ? { before: was } : {}), ...(is ? { after: is } : {}) }
  })
}

/** A file's text, followed through the journal; `null`: no file; `undefined`: can't be told. */
export type FileText = string | null | undefined

/** What a record does to a text. It can't be told where a hand has been that nobody saw yet. */
export function textAfter(text: FileText, file: JournalRecord['files'][number]): FileText {
  if (!('append' in file)) return file.after === null ? null : file.text
  if (text === undefined || Buffer.byteLength(text ?? '') !== file.at) return undefined
  return (text ?? '') + file.append
}
