/**
 * Before a batch touches a file: what a hand did there becomes a change of its own, so that it is never overwritten unseen and
 * can be undone like any other. Only the files that a batch is about to touch are looked at.
 */

import type { FileWrite } from '../../codec/journal-record.ts'
import { DamagedError } from '../../errors.ts'
import { keyHandle } from '../../model/draft.ts'
import type { Entry, EntryHead } from '../../model/entry.ts'
import { KINDS } from '../../model/kinds.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { AddOperation, Expect, Operation } from '../../model/operation.ts'
import { parseInstant } from '../../model/time.ts'
import { headAfter } from '../disk/head-change.ts'
import { decodeText, hashBytes, statFile } from '../disk/reading.ts'
import { noteHeldBack, withoutBulkRemovals } from './bulk-removal.ts'
import { type EditGroup, groupEdits, pathOfEdit } from './edit-groups.ts'
import { type HandEdit, handEdit } from './hand-edit.ts'
import { fixedPath, hasRoomFor, type Place, placeOf } from './layout.ts'
import { lineageOfNow } from './past/history.ts'
import { recordsOf } from './past/lineage.ts'
import { byTime, survey, viewWithEdits } from './survey.ts'
import { type Displaced, keyOf } from './swap.ts'
import { addRecord, idOf, type TurnPlan } from './turn-plan.ts'
import type { Workspace } from './workspace.ts'

/** The files that the batch is about to touch: what a hand did there is taken in first, and never overwritten unseen. */
export function absorbTouched(
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
  const done = new Set<string>()
  for (const id of ids) {
    const head = plan.draft.head(id)
    if (head?.path !== undefined && plan.files.isPlanned(head.path)) continue
    let edits: readonly HandEdit[]
    if (head?.path === undefined || !plan.files.exists(head.path)) {
      // Not known, or not where it was: a file that a person made, moved or removed. Only a look at all can tell.
      surveyed ??= surveyForTouched(plan.workspace)
      edits = withSameFiles(surveyed, new Set([id]))
    } else {
      const found = plan.workspace.files.inspect(placeOf(plan.workspace.layout, head, head.path))
      const [problem] = found.problems
      if (problem && found.edits.length === 0 && plan.workspace.files.view().get(id) === undefined) {
        throw new DamagedError(problem.path, problem.problem, 'Mend the file by hand first; it was left as it is.')
      }
      edits = found.edits
    }
    if (edits.some((edit) => !edit.after)) {
      // What is gone from here may stand elsewhere.
      const ids = new Set(edits.map(idOf))
      surveyed ??= surveyForTouched(plan.workspace)
      edits = withSameFiles(surveyed, ids)
    }
    edits = edits.filter((edit) => !done.has(idOf(edit)))
    if (edits.length === 0) continue
    for (const edit of edits) done.add(idOf(edit))
    planHandEdits(plan, edits)
    warnings.push(
      `${pathOfEdit(edits[0] as HandEdit)} had been edited by hand; that edit is kept as a change of its own`,
    ) // not empty
  }
}

/** What is touched of a removal in bulk is taken in; the rest must not look like few for it. */
function surveyForTouched(workspace: Workspace): readonly HandEdit[] {
  const { edits } = survey(workspace)
  noteHeldBack(workspace, withoutBulkRemovals(workspace, edits).heldBack)
  return edits
}

/** A file that is taken in is known from then on: so is all that hands did with it, such as moving another one into its place. */
function withSameFiles(surveyed: readonly HandEdit[], ids: ReadonlySet<string>): readonly HandEdit[] {
  const paths = new Set<string | undefined>()
  const isMeant = (edit: HandEdit): boolean => ids.has(idOf(edit)) || pathsOf(edit).some((path) => paths.has(path))
  for (let count = -1, edits = surveyed.filter(isMeant); ; edits = surveyed.filter(isMeant)) {
    if (edits.length === count) return edits
    count = edits.length
    for (const edit of edits) for (const path of pathsOf(edit)) paths.add(path)
  }
}

function pathsOf({ before, after }: HandEdit): string[] {
  return [before?.path, after?.path].filter((path) => path !== undefined)
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
  if (!hasRoomFor(layout, scope)) return // refused when the batch is applied
  const createdAt = parseInstant(operation.createdAt) ?? plan.context.now
  const head = { scope, kind: operation.kind, createdAt }
  if (rule.fixedName === undefined && rule.shape !== 'log') return
  if (rule.fixedName !== undefined && plan.draft.owner(scope, rule.fixedName) !== undefined) return
  const path = fixedPath(layout, head, settings.timezone)
  if (plan.files.isPlanned(path)) return
  const size = statFile(plan.workspace.absolute(path))?.size
  if (size === undefined || (rule.shape === 'log' && size === catalog.files.get(path)?.size)) return
  const place = placeOf(layout, head, path)
  const seen = plan.workspace.files.see(place)
  const [problem] = seen?.said.problems ?? []
  if (problem !== undefined && seen?.said.entries.length === 0) {
    throw new DamagedError(path, problem, 'Mend the file by hand, or move it away; it was left as it is.')
  }
  const { edits } = plan.workspace.files.inspect(place)
  const gone = new Set(edits.filter(({ after }) => !after).map(idOf))
  // What is gone from here may stand elsewhere.
  const elsewhere = gone.size === 0 ? [] : withSameFiles(surveyForTouched(plan.workspace), gone)
  const moved = new Set([...gone, ...elsewhere.map(idOf)])
  planHandEdits(plan, [...edits.filter((edit) => !moved.has(idOf(edit))), ...elsewhere])
}

/** Nothing is looked up for an id that is none: it might be a path. */
function agentOf(scope: unknown): string | undefined {
  try {
    return normalizeAgentId(scope)
  } catch {
    return undefined // refused when the batch is applied
  }
}

interface HandEditFacts {
  /** They lay there when the journal began. */
  readonly found?: true
  /** Paths, each with the change of ours that was to be written there. */
  readonly superseded?: ReadonlyMap<string, number>
}

/** Journals hand edits as changes of their own: one a file, and one for files that were moved to each other's places. */
export function planHandEdits(plan: TurnPlan, edits: readonly HandEdit[], facts: HandEditFacts = {}): void {
  planEdits(plan, edits, (group) => seenWrites(plan, group), facts)
}

/** What hands did to files that a crash had kept us from writing: from here on nobody can tell any more that it was so. */
export function planSuperseding(plan: TurnPlan, superseded: ReadonlyMap<string, number>): void {
  const { edits, heldBack } = withoutBulkRemovals(plan.workspace, survey(plan.workspace).edits)
  noteHeldBack(plan.workspace, heldBack)
  const meant = edits.filter((edit) => pathsOf(edit).some((path) => superseded.has(path)))
  planHandEdits(plan, withSameFiles(edits, new Set(meant.map(idOf))), { superseded })
}

function planEdits(
  plan: TurnPlan,
  edits: readonly HandEdit[],
  filesOf: (group: EditGroup) => FileWrite[] | undefined,
  { found, superseded }: HandEditFacts = {},
): void {
  const seqs = seqsOfNew(plan, edits)
  // In the order of their numbers, so that a crash between two records leaves the first ones.
  const seqOf = (edit: HandEdit): number => seqs.get(idOf(edit)) ?? edit.after?.seq ?? 0
  const ordered = [...edits].sort((a, b) => seqOf(a) - seqOf(b))
  for (const group of groupEdits(ordered, plan.workspace.catalog.files)) {
    const files = filesOf(group)
    if (!files) continue
    const steps = group.edits.flatMap((edit) => stepsOfEdit(edit, seqs))
    const lost = [...group.paths].flatMap((path) => superseded?.get(path) ?? [])
    addRecord(plan, {
      origin: { by: 'hand' },
      reverts: undefined,
      steps,
      files,
      ...(found ? { found } : {}),
      ...(lost.length > 0 ? { supersedes: Math.max(...lost) } : {}),
    })
    for (const edit of group.edits) {
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

/**
 * The file as the hand left it: nothing to write, but its text is kept, so that the next edit can be undone too. `undefined`
 * when it was saved once more since we looked: then the next look tells of both.
 */
function seenWrites(plan: TurnPlan, { paths, edits }: EditGroup): FileWrite[] | undefined {
  const files = [...paths].map((path): FileWrite & { readonly after: string | null } => {
    const before = plan.workspace.catalog.files.get(path)?.hash ?? null
    const text = plan.files.text(path)
    return { path, before, after: text === undefined ? null : hashBytes(text), text: text ?? '', seen: true }
  })
  const hashes = new Map(files.map(({ path, after }) => [path, after]))
  const isAsSeen = edits.every((edit) => edit.source === undefined || edit.source === hashes.get(pathOfEdit(edit)))
  return isAsSeen ? files : undefined
}

/** All that there is, told as new: for an epoch that has no past to go on from. */
export function allAsAdditions(workspace: Workspace, edits: readonly HandEdit[]): HandEdit[] {
  const { view, heads } = viewWithEdits(workspace, edits)
  const gone = edits.filter(({ after }) => !after)
  const there = [...heads].flatMap(({ id }) => view.get(id) ?? [])
  return [...gone, ...there.flatMap((entry) => handEdit(undefined, entry) ?? [])]
}

/**
 * What a hand saved at the moment of our own write, as a change after it, file and all. Its path; `undefined` when it can't
 * be told where it belongs or is no text: then it stays where it was moved to.
 */
export function planDisplaced(plan: TurnPlan, { key, bytes, stats }: Displaced): string | undefined {
  const { workspace } = plan
  const place = placeByKey(workspace, key)
  const text = decodeText(bytes)
  if (!place || text === undefined) return undefined
  const now = plan.files.text(place.path)
  if (now === text) return place.path
  const said = workspace.files.say(place, bytes, stats.mtimeMs)
  const { edits } = workspace.files.compare(place, { place, bytes, unwritten: true, signature: undefined, said })
  const file: FileWrite = {
    path: place.path,
    before: now === undefined ? null : hashBytes(now),
    after: hashBytes(text),
    text,
  }
  planEdits(plan, edits, () => [file])
  // It says nothing that can be understood: still it is what the person wants to find there.
  if (edits.length === 0) addRecord(plan, { origin: { by: 'hand' }, reverts: undefined, steps: [], files: [file] })
  plan.files.take([file])
  return place.path
}

/** The place of a path that only its key is known of: among the files that there are, or that the journal tells of. */
function placeByKey(workspace: Workspace, key: string): Place | undefined {
  const { catalog, layout, journal } = workspace
  const path = [...catalog.files.keys()].find((one) => keyOf(one) === key)
  const [id] = path === undefined ? [] : catalog.idsAt(path)
  const head = id === undefined ? undefined : catalog.head(id)
  if (path !== undefined && head) return placeOf(layout, head, path)
  const additions = new Map<string, AddOperation>()
  let found: Place | undefined
  for (const record of recordsOf(journal, lineageOfNow(workspace))) {
    for (const [index, operation] of record.operations.entries()) {
      if (operation.op === 'add' && operation.id !== undefined) additions.set(operation.id, operation)
      const at = record.set[index]?.path
      const added = additions.get(operation.id ?? '')
      if (at === undefined || added === undefined || keyOf(at) !== key) continue
      // Renamed since: what was saved under the old name belongs where the entry is now.
      found = placeOf(layout, added, catalog.head(added.id ?? '')?.path ?? at)
    }
  }
  return found
}
