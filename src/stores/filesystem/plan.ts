/**
 * From a batch to the records that the journal will get: first what hands did to the files it touches, then the batch
 * itself. Writes nothing; a batch that is refused leaves no trace.
 */
import type { FileWrite, JournalRecord } from '../../codec/journal-record.ts'
import { DamagedError } from '../../errors.ts'
import { type ApplyContext, applyBatch, normalizeOrigin } from '../../model/apply.ts'
import { Draft, keyHandle } from '../../model/draft.ts'
import type { Entry, EntryHead, Origin } from '../../model/entry.ts'
import { KINDS } from '../../model/kinds.ts'
import { normalizeAgentId, slugCandidates } from '../../model/name.ts'
import type { AddOperation, Batch, Expect, Operation, Step } from '../../model/operation.ts'
import { parseInstant } from '../../model/time.ts'
import { beyondOperation, headAfter } from './catalog.ts'
import type { HandEdit } from './hand-edit.ts'
import { fixedPath, placeOf, slugFolder } from './layout.ts'
import { project } from './projection.ts'
import { byTime, survey } from './survey.ts'
import { hashBytes, statFile } from './system.ts'
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
  const seqs = seqsOfNew(plan, edits)
  // In the order of their numbers, so that a crash between two records leaves the first ones.
  const ordered = [...edits].sort((a, b) => (seqs.get(idOf(a)) ?? 0) - (seqs.get(idOf(b)) ?? 0))
  for (const [path, ofFile] of groupByPath(ordered)) {
    const steps = ofFile.flatMap((edit) => stepsOfEdit(edit, seqs))
    addRecord(plan, { origin: { by: 'hand' }, reverts: undefined, steps, files: seenWrites(plan, path, ofFile) })
    for (const edit of ofFile) {
      const last = steps.findLast((step) => idOf(step) === (edit.after ?? edit.before)?.id)
      plan.draft.put(idOf(edit), last?.after)
    }
  }
}

/** New entries are numbered by their time, as every reader has numbered them so far. */
function seqsOfNew(plan: TurnPlan, edits: readonly HandEdit[]): Map<string, number> {
  const fresh = edits.flatMap(({ after }) => (after?.seq === 0 ? [after] : [])).sort(byTime)
  return new Map(fresh.map(({ id }) => [id, plan.context.seqs.take(id, undefined)]))
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
  for (const operation of operations) if (operation.op === 'add') absorbPlace(plan, operation)
  const named = operations.flatMap((operation) => (operation.op === 'add' ? [] : [operation.id]))
  const holders = operations.flatMap((operation) => holdersOf(plan, operation))
  const ids = [...new Set([...named, ...holders, ...Object.keys(expect ?? {})])]
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

/** Who holds the names that an operation asks for: a hand may have moved or removed that one's file since. */
function holdersOf(plan: TurnPlan, operation: Operation): string[] {
  const scope = operation.op === 'add' ? operation.scope : plan.draft.head(operation.id)?.scope
  if (scope === undefined) return []
  return handlesWanted(operation).flatMap((handle) => plan.draft.owner(scope, handle) ?? [])
}

function handlesWanted(operation: Operation): string[] {
  switch (operation.op) {
    case 'add': {
      const { name, aliases, key, kind } = operation
      const names = texts([KINDS[kind]?.fixedName, name, ...(Array.isArray(aliases) ? aliases : [])])
      return [...names, ...texts([key]).map(keyHandle)]
    }
    case 'rename':
      return texts([operation.name])
    case 'alias':
      return texts([operation.alias])
    default:
      return []
  }
}

/** Not checked yet: what is no text is refused when it is applied. */
function texts(values: readonly unknown[]): string[] {
  return values.flatMap((value) => (typeof value === 'string' ? value.normalize('NFC').trim() : []))
}

/**
 * Where an addition goes without choosing: what a person put into MEMORY.md or the identity before us is an entry already,
 * and what they wrote into a log comes before our own. A log is only read when its size is not the one that we left.
 */
function absorbPlace(plan: TurnPlan, operation: AddOperation): void {
  const rule = KINDS[operation.kind]
  const scope = agentOf(operation.scope)
  if (!rule || scope === undefined) return
  const { layout, settings, catalog } = plan.workspace
  const createdAt = parseInstant(operation.createdAt) ?? plan.context.now
  const head = { scope, kind: operation.kind, createdAt }
  if (rule.fixedName === undefined && rule.shape !== 'log') return
  if (rule.fixedName !== undefined && plan.draft.owner(scope, rule.fixedName) !== undefined) return
  const path = fixedPath(layout, head, settings.timezone)
  if (plan.files.isPlanned(path)) return
  const size = statFile(plan.workspace.absolute(path))?.size
  if (size === undefined || (rule.shape === 'log' && size === catalog.files.get(path)?.size)) return
  planHandEdits(plan, plan.workspace.inspect(placeOf(layout, head, path)).edits)
}

/** Nothing is looked up for an id that is none: it might be a path. */
function agentOf(scope: unknown): string | undefined {
  try {
    return normalizeAgentId(scope)
  } catch {
    return undefined // refused when the batch is applied
  }
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
    if (taken.has(path) || isHeld(plan, path)) continue
    if (!files.exists(path)) return path
    warnings.push(`${path} is there already and belongs to another entry or to nobody`)
  }
  throw new Error('unreachable: there is always a next candidate')
}

/** By an entry, or by a write of this turn; a file that a hand has removed is free again. */
function isHeld({ workspace, draft, files }: TurnPlan, path: string): boolean {
  return files.isPlanned(path) || [...workspace.catalog.idsAt(path)].some((id) => draft.head(id)?.path === path)
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
  seqs: ReadonlyMap<string, number>,
): { operation: Operation; before?: EntryHead | undefined; after?: Entry }[] {
  const { after } = edit
  if (!after) return edit.operations.map((operation) => ({ operation, before: edit.before }))
  const entry = { ...after, seq: seqs.get(after.id) ?? after.seq }
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
