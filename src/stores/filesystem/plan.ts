/**
 * From a batch to the records that the journal will get: first what hands did to the files it touches, then the batch
 * itself. Writes nothing; a batch that is refused leaves no trace.
 */

import type { JournalRecord } from '../../codec/journal-record.ts'
import { InvalidError } from '../../errors.ts'
import { applyBatch, normalizeOrigin } from '../../model/apply.ts'
import { Draft } from '../../model/draft.ts'
import { type Entry, type EntryHead, WORLD } from '../../model/entry.ts'
import { slugCandidates } from '../../model/name.ts'
import type { Batch, Expect, Step } from '../../model/operation.ts'
import { absorbTouched } from './absorb.ts'
import { fixedPath, type Layout, slugFolder } from './layout.ts'
import { project } from './projection.ts'
import { addRecord, idOf, type TurnPlan } from './turn-plan.ts'

export interface PlannedBatch {
  readonly entries: readonly Entry[]
  readonly record: JournalRecord | undefined
  readonly warnings: readonly string[]
}

/** Adds a batch to the plan; `later` when it must wait for a turn of its own. */
export function planBatch(plan: TurnPlan, batch: Batch, expect: Expect | undefined): PlannedBatch | 'later' {
  const warnings: string[] = []
  absorbTouched(plan, batch.operations, expect, warnings)
  const draft = new Draft(plan.draft)
  const applied = applyBatch(draft, batch, plan.context, expect)
  const steps = applied.length === 0 ? [] : placed(plan, applied, draft, warnings)
  if (steps.length === 0) return { entries: entriesOf(plan, batch), record: undefined, warnings }
  const { workspace } = plan
  const writes = project(steps, {
    layout: workspace.layout,
    zone: workspace.settings.timezone,
    yaml: workspace.yaml,
    files: plan.files,
    read: (place, text) => workspace.say(place, Buffer.from(text), 0),
  })
  for (const write of writes) workspace.refuseLinks(write.path)
  if (!plan.files.canTake(writes)) return 'later'
  const record = addRecord(plan, {
    origin: normalizeOrigin(batch.origin),
    reverts: batch.reverts,
    steps,
    files: writes,
  })
  plan.files.take(writes)
  for (const step of steps) plan.draft.put(idOf(step), step.after)
  return { entries: lastOfEach(steps), record, warnings }
}

/** Gives every new or renamed entry its file. */
function placed(plan: TurnPlan, steps: readonly Step[], draft: Draft, warnings: string[]): Step[] {
  const chosen = new Map<string, string>()
  return steps.map((step) => {
    const { before, after } = step
    const from = before && { ...before, ...pathField(chosen.get(before.id) ?? before.path) }
    if (!after) return { ...step, ...(from ? { before: from } : {}) }
    const path = choosePath(plan, from, after, new Set(chosen.values()), warnings)
    chosen.set(after.id, path)
    const entry = { ...after, path }
    draft.put(entry.id, entry)
    return { operation: step.operation, ...(from ? { before: from } : {}), after: entry }
  })
}

function pathField(path: string | undefined): { path?: string } {
  return path === undefined ? {} : { path }
}

function choosePath(
  plan: TurnPlan,
  before: EntryHead | undefined,
  after: Entry,
  taken: ReadonlySet<string>,
  warnings: string[],
): string {
  const { workspace, files } = plan
  if (before === undefined) refuseOtherAgent(workspace.layout, after.scope)
  if (before?.path !== undefined && before.name === after.name) return before.path
  const folder = slugFolder(workspace.layout, after)
  if (folder === undefined || after.name === null)
    return fixedPath(workspace.layout, after, workspace.settings.timezone)
  for (const candidate of slugCandidates(after.name)) {
    const path = `${folder}${candidate}.md`
    if (path === before?.path) return path
    if (taken.has(path) || isHeld(plan, path)) continue
    if (!files.exists(path)) return path
    warnings.push(`${path} is there already and belongs to another entry or to nobody`)
  }
  throw new Error('unreachable: there is always a next candidate')
}

/** A flat folder has room for one agent: another one's files would be read as the first one's. */
function refuseOtherAgent({ layout, flatAgent }: Layout, scope: string): void {
  if (layout !== 'flat' || scope === WORLD || scope === flatAgent) return
  throw new InvalidError('agent', `"${scope}" has no place in a flat workspace`, `"${flatAgent}", which it holds`)
}

/** By an entry, or by a write of this turn; a file that a hand has removed is free again. */
function isHeld({ workspace, draft, files }: TurnPlan, path: string): boolean {
  return files.isPlanned(path) || [...workspace.catalog.idsAt(path)].some((id) => draft.head(id)?.path === path)
}

function entriesOf(plan: TurnPlan, batch: Batch): Entry[] {
  const ids = new Set(batch.operations.flatMap((operation) => (operation.op === 'add' ? [] : [operation.id])))
  return [...ids].flatMap((id) => plan.draft.get(id) ?? [])
}

function lastOfEach(steps: readonly Step[]): Entry[] {
  const last = new Map<string, Entry>()
  for (const step of steps) {
    const entry = step.after ?? step.before
    if (entry) last.set(entry.id, entry)
  }
  return [...last.values()]
}
