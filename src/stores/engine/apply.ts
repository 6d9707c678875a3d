/** Applies a batch: plans it with the model's rules, then writes the change and every new state. */
import { lastStates, normalizeOrigin, touchedBy } from '../../model/apply.ts'
import type { Batch, Change, Expect } from '../../model/operation.ts'
import { planBatch } from '../../model/plan-batch.ts'
import type { Applied, Settings } from '../../ports/store.ts'
import { refuseOtherScope } from '../disk/pinned-settings.ts'
import { deleteEntry, loadForPlanning, putEntry } from './entries.ts'
import { appendChange } from './history.ts'
import { readCounters, writeCounters } from './schema.ts'
import type { Sql } from './sql.ts'

export interface WriteContext {
  readonly now: string
  readonly newId: () => string
  readonly settings: Settings
}

export async function applyToTables(
  sql: Sql,
  batch: Batch,
  expect: Expect | undefined,
  context: WriteContext,
): Promise<Applied> {
  const last = await readCounters(sql)
  const { now, newId, settings } = context
  const planContext = { now, newId, zone: settings.timezone, nextSeq: last.nextSeq }
  const { steps, named } = await planBatch((wanted) => loadForPlanning(sql, wanted), batch, expect, planContext)
  if (steps.length === 0) return { entries: named, warnings: [] }
  for (const { before, after } of steps) if (!before && after) refuseOtherScope(settings, after.scope)
  const change: Change = {
    number: last.number + 1,
    at: now,
    origin: normalizeOrigin(batch.origin),
    operations: steps.map(({ operation }) => operation),
    ...(batch.reverts === undefined ? {} : { reverts: batch.reverts }),
  }
  const touched = touchedBy(steps)
  // Delete before inserting: a batch may move a name or a seq between entries.
  for (const { before } of touched) if (before) await deleteEntry(sql, before)
  for (const { after } of touched) if (after) await putEntry(sql, after)
  await appendChange(sql, change, touched)
  const seqs = steps.map(({ after }) => after?.seq ?? 0)
  await writeCounters(sql, { number: change.number, nextSeq: Math.max(last.nextSeq, ...seqs.map((seq) => seq + 1)) })
  return { change, entries: lastStates(steps), warnings: [] }
}
