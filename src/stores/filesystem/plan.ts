/**
 * From a batch to the records that the journal will get: first what hands did to the files it touches, then the batch
 * itself. Writes nothing; a batch that is refused leaves no trace.
 */

import type { FileWrite, JournalRecord } from '../../codec/journal-record.ts'
import { InvalidError } from '../../errors.ts'
import { applyBatch, normalizeOrigin } from '../../model/apply.ts'
import { Draft } from '../../model/draft.ts'
import type { Entry, EntryHead } from '../../model/entry.ts'
import { KINDS } from '../../model/kinds.ts'
import { slugCandidates } from '../../model/name.ts'
import type { Batch, Change, Expect, Step } from '../../model/operation.ts'
import { hashBytes } from '../disk/reading.ts'
import { absorbTouched, planHandEdits } from './absorb.ts'
import { fixedPath, hasRoomFor, type Layout, placeOf, slugFolder } from './layout.ts'
import { type ExactUndo, exactUndo } from './past/exact-undo.ts'
import { project, whole } from './projection.ts'
import { addRecord, idOf, type TurnPlan } from './turn-plan.ts'

export interface PlannedBatch {
  readonly entries: readonly Entry[]
  readonly record: JournalRecord | undefined
  readonly warnings: readonly string[]
}

/** Adds a batch to the plan; `later` when it must wait for a turn of its own. */
export function planBatch(
  plan: TurnPlan,
  batch: Batch & Pick<Change, 'purged'>,
  expect: Expect | undefined,
): PlannedBatch | 'later' {
  const warnings: string[] = []
  absorbTouched(plan, batch.operations, expect, warnings)
  // Whoever takes changes back wants the files as they were, to the byte.
  const exact = batch.reverts && exactUndo(plan.workspace, batch.reverts, (path) => plan.files.text(path) ?? null)
  const draft = new Draft(plan.draft)
  const applied = applyBatch(draft, batch, plan.context, expect)
  const changed = applied.length === 0 ? [] : placed(plan, applied, draft, warnings, exact)
  const steps = exact ? [...changed, ...movedHome(draft, changed, exact, plan.files)] : changed
  if (steps.length === 0) return { entries: entriesOf(plan, batch), record: undefined, warnings }
  const { workspace } = plan
  const projected = project(steps, {
    layout: workspace.layout,
    zone: workspace.settings.timezone,
    yaml: workspace.yaml,
    files: plan.files,
    read: (place, text) => workspace.files.say(place, Buffer.from(text), 0),
  })
  const writes = exact ? withExactTexts(projected, exact, plan.files) : projected
  for (const write of writes) workspace.refuseLinks(write.path)
  if (!plan.files.canTake(writes) || savedMeanwhile(plan, writes, steps)) return 'later'
  const record = addRecord(plan, {
    origin: normalizeOrigin(batch.origin),
    reverts: batch.reverts,
    purged: batch.purged,
    steps,
    files: [...writes.flatMap((write) => unseenText(plan, write)), ...writes],
  })
  plan.files.take(writes)
  for (const step of steps) plan.draft.put(idOf(step), step.after)
  return { entries: lastOfEach(steps), record, warnings }
}

/** A hand saved between our look and our plan: that is a change before ours, and ours is planned again on it. */
function savedMeanwhile(plan: TurnPlan, writes: readonly FileWrite[], steps: readonly Step[]): boolean {
  const { workspace, records } = plan
  const moved = steps.filter(({ before, after }) => after?.path !== before?.path)
  const chosen = new Set(moved.map(({ after }) => after && KINDS[after.kind].shape !== 'log' && after.path))
  const begun = records.length
  const lastOf = new Map(records.flatMap((record) => record.files.map((file) => [file.path, file])))
  for (const write of writes) {
    const last = lastOf.get(write.path)
    if (last && 'seen' in last && !('append' in write) && write.before !== last.after) return true
    if (unseenText(plan, write).length === 0) continue
    // The place was free when it was chosen.
    if (chosen.has(write.path) && !workspace.catalog.files.has(write.path)) return true
    const [id] = workspace.catalog.idsAt(write.path)
    const head = id === undefined ? undefined : workspace.catalog.head(id)
    if (head) planHandEdits(plan, workspace.files.inspect(placeOf(workspace.layout, head, write.path)).edits)
  }
  return records.length > begun
}

/**
 * What a hand did to a file without saying anything new of an entry, blank lines for one, is no change; but the text that we
 * write on is kept, so that undoing our change gives the very same text back.
 */
function unseenText({ workspace, files, records }: TurnPlan, write: FileWrite): FileWrite[] {
  const { path } = write
  const known = workspace.catalog.files.get(path)
  const asKnown =
    'append' in write
      ? write.at === (known?.size ?? 0)
      : write.before === null || (known !== undefined && (known.hash ?? write.before) === write.before)
  if (asKnown || files.isPlanned(path) || records.some((record) => record.files.some((file) => file.path === path))) {
    return []
  }
  const text = files.text(path)
  return text === undefined ? [] : [{ path, before: known?.hash ?? null, after: hashBytes(text), text, seen: true }]
}

/** An entry whose file a hand had moved, and nothing else: taking that back is a move too. */
function movedHome(draft: Draft, steps: readonly Step[], exact: ExactUndo, files: TurnPlan['files']): Step[] {
  const done = new Set(steps.map(idOf))
  return [...exact.homes.keys()].flatMap((id): Step[] => {
    const path = homeOf(id, exact, files)
    const entry = done.has(id) || path === undefined ? undefined : draft.get(id)
    if (!entry || path === undefined || entry.path === path) return []
    return [{ operation: { op: 'rename', id, name: entry.name ?? '' }, before: entry, after: { ...entry, path } }]
  })
}

/** Where an entry lay before, if its file is brought back there, or has it all along, as the mirror of the history can. */
function homeOf(id: string, { homes, texts }: ExactUndo, files: TurnPlan['files']): string | undefined {
  const home = homes.get(id)
  if (home === undefined) return undefined
  const isThere = texts.has(home) ? typeof texts.get(home) === 'string' : files.text(home)?.includes(id) === true
  return isThere ? home : undefined
}

function withExactTexts(writes: readonly FileWrite[], exact: ExactUndo, files: TurnPlan['files']): FileWrite[] {
  const restored = [...exact.texts].flatMap(([path, text]) => {
    const write = whole(path, files.text(path), text ?? undefined)
    return write ? [write] : []
  })
  return exact.complete ? restored : [...writes.filter(({ path }) => !exact.texts.has(path)), ...restored]
}

/** Gives every new or renamed entry its file. */
function placed(
  plan: TurnPlan,
  steps: readonly Step[],
  draft: Draft,
  warnings: string[],
  exact: ExactUndo | undefined,
): Step[] {
  const chosen = new Map<string, string>()
  // By path, the last that chose it: it is taken for as long as that one has not moved on.
  const holders = new Map<string, string>()
  const isTaken = (path: string): boolean => {
    const id = holders.get(path)
    return id !== undefined && chosen.get(id) === path
  }
  const freed = new Set<string>()
  return steps.map((step) => {
    const { before, after } = step
    const from = before && { ...before, ...pathField(chosen.get(before.id) ?? before.path) }
    if (!after) {
      if (from?.path !== undefined) freed.add(from.path)
      return { ...step, ...(from ? { before: from } : {}) }
    }
    const home = exact && homeOf(after.id, exact, plan.files)
    const path = home ?? choosePath(plan, from, after, { isTaken, freed }, warnings)
    chosen.set(after.id, path)
    holders.set(path, after.id)
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
  { isTaken, freed }: { readonly isTaken: (path: string) => boolean; readonly freed: ReadonlySet<string> },
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
    // What replaces an entry under its name lies where that lay: one file is rewritten, whoever's it was.
    if (freed.has(path) && !isTaken(path) && !files.isPlanned(path)) return path
    if (isTaken(path) || isHeld(plan, path)) continue
    if (!files.exists(path)) return path
    warnings.push(`${path} is there already and belongs to another entry or to nobody`)
  }
  throw new Error('unreachable: there is always a next candidate')
}

function refuseOtherAgent(layout: Layout, scope: string): void {
  if (hasRoomFor(layout, scope)) return
  const allowed = `"${layout.flatAgent}", which it holds`
  throw new InvalidError('agent', `"${scope}" has no place in a flat workspace`, allowed)
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
