/** One turn's plan so far: batches see what the ones before them did, and each adds its record. */
import type { FileWrite, JournalRecord } from '../../codec/journal-record.ts'
import type { ApplyContext } from '../../model/apply.ts'
import type { Draft } from '../../model/draft.ts'
import type { Entry, EntryHead, Origin, Scope } from '../../model/entry.ts'
import type { Operation } from '../../model/operation.ts'
import { beyondOperation } from '../disk/head-change.ts'
import type { PlannedFiles } from './turn-files.ts'
import type { Workspace } from './workspace.ts'

export interface TurnPlan {
  readonly workspace: Workspace
  readonly draft: Draft
  readonly files: PlannedFiles
  readonly records: JournalRecord[]
  readonly turn: number
  readonly context: ApplyContext
}

interface RecordParts {
  readonly origin: Origin
  readonly reverts: readonly number[] | undefined
  readonly steps: readonly {
    readonly operation: Operation
    readonly before?: EntryHead | undefined
    readonly after?: Entry
  }[]
  readonly files: readonly FileWrite[]
  readonly found?: true
  readonly supersedes?: number
  readonly purged?: readonly Scope[] | undefined
}

export function addRecord(plan: TurnPlan, parts: RecordParts): JournalRecord {
  const { origin, reverts, steps, files, found, supersedes, purged } = parts
  const record: JournalRecord = {
    number: plan.workspace.catalog.number + plan.records.length + 1,
    turn: plan.turn,
    at: plan.context.now,
    origin,
    ...(reverts === undefined ? {} : { reverts }),
    ...(found ? { found } : {}),
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(purged === undefined ? {} : { purged }),
    operations: steps.map((step) => step.operation),
    set: steps.map((step) => (step.after ? beyondOperation(step.before, step.operation, step.after) : {})),
    files,
  }
  plan.records.push(record)
  return record
}

export function idOf(step: {
  readonly before?: EntryHead | undefined
  readonly after?: EntryHead | undefined
}): string {
  return (step.after ?? step.before)?.id ?? ''
}
