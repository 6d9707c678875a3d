/** The feed of changes, read from the journal itself. */
import type { JournalRecord } from '../../../codec/journal-record.ts'
import type { Change } from '../../../model/operation.ts'
import type { ChangeFeed, Cursor } from '../../../ports/store.ts'
import type { Workspace } from '../workspace.ts'

/** Of a workspace that nobody has written to yet. */
const NO_EPOCH = ''

/** Reads the journal itself, from its end back to where the reader is: only those who follow the feed pay for it. */
export function readChanges(workspace: Workspace, since: Cursor | undefined): ChangeFeed {
  const { journal, state, catalog } = workspace
  const epoch = state?.epoch ?? NO_EPOCH
  const cursor = { epoch, number: catalog.number }
  if (since && since.epoch === epoch && since.number === catalog.number)
    return { changes: [], cursor, restarted: false }
  let records: JournalRecord[] = []
  for (const segment of journal.segments().reverse()) {
    const [first, ...lines] = journal.read(segment, 0)?.lines ?? []
    if (!first || !('header' in first)) continue
    if (first.header.epoch !== epoch) break
    records = [...lines.flatMap((line) => ('record' in line ? [line.record] : [])), ...records]
    if (since && since.epoch === epoch && (records[0]?.number ?? Number.POSITIVE_INFINITY) <= since.number + 1) break
  }
  const earliest = records[0]?.number ?? catalog.number + 1
  const sameFeed = since?.epoch === epoch || (since?.epoch === NO_EPOCH && earliest === 1)
  const continues = since !== undefined && sameFeed && since.number >= earliest - 1 && since.number <= catalog.number
  const from = continues ? since.number : earliest - 1
  return {
    changes: records.filter((record) => record.number > from).map(changeOf),
    cursor,
    restarted: since !== undefined && !continues,
  }
}

export function changeOf({ number, at, origin, operations, reverts, found }: JournalRecord): Change {
  return { number, at, origin, operations, ...(reverts === undefined ? {} : { reverts }), ...(found ? { found } : {}) }
}
