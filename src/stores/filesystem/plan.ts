/**
 * From a batch to the records that the journal will get: first what hands did to the files it touches, then the batch
 * itself. Writes nothing; a batch that is refused leaves no trace.
 */
import type { FileWrite, JournalRecord } from '../../codec/journal-record.ts'
import { DamagedError } from '../../errors.ts'
import { type ApplyContext, applyBatch, normalizeOrigin } from '../../model/apply.ts'
import { Draft } from '../../model/draft.ts'
import type { Entry, EntryHead, Origin } from '../../model/entry.ts'
import { KINDS } from '../../model/kinds.ts'
import { slugCandidates } from '../../model/name.ts'
import type { Batch, Expect, Operation, Step } from '../../model/operation.ts'
import { beyondOperation, headAfter } from './catalog.ts'
import type { HandEdit } from './hand-edit.ts'
import { fixedPath, placeOf, slugFolder } from './layout.ts'
import { project } from './projection.ts'
import { survey } from './survey.ts'
import { hashBytes } from './system.ts'
import type { PlannedFiles } from './turn-files.ts'
import type { Workspace } from './workspace.ts'

/** One turn's plan so far. Batches see what the ones before them did. */
export interface TurnPlan {
  readonly workspace: Workspace
  readonly draft: Draft
  readonly files: PlannedFiles
  readonly records: JournalRecord[]
  readonly turn: number
  readonly context: ApplyContext
}

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
    steps: steps.map((step) => ({ ...step, before: step.before })),
    files: writes,
  })
  plan.files.take(writes)
  for (const step of steps) plan.draft.put(idOf(step), step.after)
  return { entries: lastOfEach(steps), record, warnings }
}

/** Journals hand edits as changes of their own, one a file. */
export function planHandEdits(plan: TurnPlan, edits: readonly HandEdit[]): void {
  for (const [path, ofFile] of groupByPath(edits)) {
    const steps = ofFile.flatMap((edit) => stepsOfEdit(edit, plan))
    addRecord(plan, { origin: { by: 'hand' }, reverts: undefined, steps, files: seenWrites(plan, path, ofFile) })
    for (const edit of ofFile) {
      const last = steps.findLast((step) => idOf(step) === (edit.after ?? edit.before)?.id)
      plan.draft.put(idOf(edit), last?.after)
    }
  }
}

function groupByPath(edits: readonly HandEdit[]): Map<string, HandEdit[]> {
  const out = new Map<string, HandEdit[]>()
  for (const edit of edits) out.set(pathOfEdit(edit), [...(out.get(pathOfEdit(edit)) ?? []), edit])
  return out
}

function pathOfEdit(edit: HandEdit): string {
  return (edit.after ?? edit.before)?.path ?? ''
}

/** The files that the batch is about to touch: what a hand did there is taken in first, and never overwritten unseen. */
function absorbTouched(
  plan: TurnPlan,
  operations: readonly Operation[],
  expect: Expect | undefined,
  warnings: string[],
): void {
  const named = operations.flatMap((operation) => (operation.op === 'add' ? [] : [operation.id]))
  const ids = [...new Set([...named, ...Object.keys(expect ?? {})])]
  for (const operation of operations) absorbPage(plan, operation)
  let surveyed: readonly HandEdit[] | undefined
  for (const id of ids) {
    const head = plan.draft.head(id)
    if (head?.path !== undefined && plan.files.isPlanned(head.path)) continue
    let edits: readonly HandEdit[]
    if (head?.path === undefined || !plan.files.exists(head.path)) {
      // Not known, or not where it was: a file that a person made, moved or removed. Only a look at all can tell.
      surveyed ??= survey(plan.workspace).edits
      edits = surveyed.filter((edit) => idOf(edit) === id)
    } else {
      const found = plan.workspace.inspect(placeOf(plan.workspace.layout, head, head.path))
      const [problem] = found.problems
      if (problem && found.edits.length === 0 && plan.workspace.view().get(id) === undefined) {
        throw new DamagedError(problem.path, problem.problem, 'Mend the file by hand first; it was left as it is.')
      }
      edits = found.edits
    }
    if (edits.length === 0) continue
    planHandEdits(plan, edits)
    warnings.push(
      `${pathOfEdit(edits[0] as HandEdit)} had been edited by hand; that edit is kept as a change of its own`,
    ) // not empty
  }
}

/** MEMORY.md and the identity have one place: what a person put there before us is an entry already. */
function absorbPage(plan: TurnPlan, operation: Operation): void {
  if (operation.op !== 'add') return
  const name = KINDS[operation.kind]?.fixedName
  if (name === undefined || plan.draft.owner(operation.scope, name) !== undefined) return
  const { layout, settings } = plan.workspace
  const head = { scope: operation.scope, kind: operation.kind, createdAt: plan.context.now }
  const path = fixedPath(layout, head, settings.timezone)
  if (plan.files.isPlanned(path) || !plan.files.exists(path)) return
  planHandEdits(plan, plan.workspace.inspect(placeOf(layout, head, path)).edits)
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
  if (before?.path !== undefined && before.name === after.name) return before.path
  const folder = slugFolder(workspace.layout, after)
  if (folder === undefined || after.name === null)
    return fixedPath(workspace.layout, after, workspace.settings.timezone)
  for (const candidate of slugCandidates(after.name)) {
    const path = `${folder}${candidate}.md`
    if (path === before?.path) return path
    if (taken.has(path) || workspace.catalog.idsAt(path).size > 0) continue
    if (!files.exists(path)) return path
    if (!files.isPlanned(path)) warnings.push(`${path} is there already and belongs to another entry or to nobody`)
  }
  throw new Error('unreachable: there is always a next candidate')
}

interface RecordParts {
  readonly origin: Origin
  readonly reverts: number | undefined
  readonly steps: readonly {
    readonly operation: Operation
    readonly before?: EntryHead | undefined
    readonly after?: Entry
  }[]
  readonly files: readonly FileWrite[]
}

function addRecord(plan: TurnPlan, { origin, reverts, steps, files }: RecordParts): JournalRecord {
  const record: JournalRecord = {
    number: plan.workspace.catalog.number + plan.records.length + 1,
    turn: plan.turn,
    at: plan.context.now,
    origin,
    ...(reverts === undefined ? {} : { reverts }),
    operations: steps.map((step) => step.operation),
    set: steps.map((step) => (step.after ? beyondOperation(step.before, step.operation, step.after) : {})),
    files,
  }
  plan.records.push(record)
  return record
}

/** An edit's operations one after the other; what they do not say stands with the last. */
function stepsOfEdit(
  edit: HandEdit,
  plan: TurnPlan,
): { operation: Operation; before?: EntryHead | undefined; after?: Entry }[] {
  const { after } = edit
  if (!after) return edit.operations.map((operation) => ({ operation, before: edit.before }))
  const entry = after.seq === 0 ? { ...after, seq: plan.context.seqs.take(after.id, undefined) } : after
  let head = edit.before
  return edit.operations.map((given, index) => {
    const operation = given.op === 'add' ? { ...given, seq: entry.seq } : given
    const before = head
    if (operation.op === 'remove') head = undefined
    else head = headAfter(head, operation, {})
    const last = index === edit.operations.length - 1
    if (operation.op === 'remove') return { operation, before }
    return { operation, before, after: last ? entry : ({ ...head, content: entry.content } as Entry) } // on the way to `entry`
  })
}

/** The file as the hand left it: nothing to write, but its text is kept, so that the next edit can be undone too. */
function seenWrites(plan: TurnPlan, path: string, edits: readonly HandEdit[]): FileWrite[] {
  const left = edits
    .flatMap(({ before }) => before?.path ?? [])
    .filter((old) => old !== path && !plan.files.exists(old))
  return [path, ...new Set(left)].map((seen) => {
    const before = plan.workspace.catalog.files.get(seen)?.hash ?? null
    const text = plan.files.text(seen)
    return { path: seen, before, after: text === undefined ? null : hashBytes(text), text: text ?? '', seen: true }
  })
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

function idOf(step: { readonly before?: EntryHead | undefined; readonly after?: EntryHead | undefined }): string {
  return (step.after ?? step.before)?.id ?? ''
}
