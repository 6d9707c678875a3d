/**
 * What files held before the changes that a batch takes back: where nothing else has touched a file since, it gets its very
 * bytes back, comments, blank lines and all. Elsewhere the batch is written into it like any other.
 */
import type { FileWrite, JournalRecord } from '../../../codec/journal-record.ts'
import { take } from '../../disk/head-change.ts'
import { hashBytes } from '../../disk/reading.ts'
import type { Workspace } from '../workspace.ts'
import { baseOf, type FileText, lineageOfNow, textAfter } from './history.ts'
import { recordsOf } from './lineage.ts'

/** In the place of a hash: what the file held before was never told, as in a past that another store handed over. */
export const UNTOLD = ''

export interface ExactUndo {
  /** Whole texts by path; `null` for "no file". */
  readonly texts: ReadonlyMap<string, string | null>
  /** All that the changes did to files is taken back by these texts. */
  readonly complete: boolean
  /** Where each touched entry lay. */
  readonly homes: ReadonlyMap<string, string>
}

interface Passage {
  readonly before: FileText
  readonly after: FileText
}

/** `present`: what a file holds now. */
export function exactUndo(
  workspace: Workspace,
  reverts: readonly number[],
  present: (path: string) => string | null,
): ExactUndo {
  const { journal } = workspace
  const lineage = lineageOfNow(workspace)
  const wanted = new Set(reverts)
  const undone = new Map<number, JournalRecord>()
  for (const record of recordsOf(journal, lineage)) if (wanted.has(record.number)) undone.set(record.number, record)
  const paths = new Set([...undone.values()].flatMap((record) => record.files.map((file) => file.path)))
  const base = baseOf(journal, lineage)
  const beginning = lineage.whole ? null : undefined
  const texts = new Map<string, FileText>([...paths].map((path) => [path, base.texts.get(path) ?? beginning]))
  const passages = new Map<string, Passage[]>()
  const homes = new Map<string, string>()
  for (const record of recordsOf(journal, lineage)) {
    const isUndone = undone.has(record.number)
    for (const { id, before } of take(base.entries, record)) {
      if (isUndone && !homes.has(id) && before?.path !== undefined) homes.set(id, before.path)
    }
    for (const file of record.files) {
      if (!paths.has(file.path)) continue
      const before = isToldOtherwise(texts.get(file.path), file) ? undefined : texts.get(file.path)
      const after = textAfter(before, file)
      texts.set(file.path, after)
      if (isUndone && !isFound(file, record))
        passages.set(file.path, [...(passages.get(file.path) ?? []), { before, after }])
    }
  }
  const exact = new Map<string, string | null>()
  for (const [path, steps] of passages) {
    const text = walkedBack(present(path), steps)
    if (text !== undefined) exact.set(path, text)
  }
  const areTold = [...undone.values()].every(tellsFiles)
  return { texts: exact, complete: areTold && exact.size === passages.size, homes }
}

/** A record says what it replaced, by its hash: where that is not the text that we followed, it was another one. */
function isToldOtherwise(followed: FileText, file: FileWrite): boolean {
  if ('append' in file || file.before === null) return false
  return file.before === UNTOLD || (typeof followed === 'string' && hashBytes(followed) !== file.before)
}

/** What a batch of ours merely found is not part of what it did. */
function isFound(file: FileWrite, { origin }: JournalRecord): boolean {
  return 'seen' in file && origin.by !== 'hand'
}

/** A change that another store handed over does not say what it did to files. */
function tellsFiles(record: JournalRecord): boolean {
  return record.operations.length === 0 || record.files.some((file) => !isFound(file, record))
}

/** From the present back through each passage; `undefined` where something else came between. */
function walkedBack(present: string | null, passages: readonly Passage[]): string | null | undefined {
  let text: FileText = present
  for (const { before, after } of passages.toReversed()) {
    if (after === undefined || before === undefined || after !== text) return undefined
    text = before
  }
  return text
}
