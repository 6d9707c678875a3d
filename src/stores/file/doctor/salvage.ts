/**
 * What can be read of a damaged file, as an image that a store can take over. The past is kept as it was up to the first change that
 * is lost; what came of all that followed is one more change, so that history and entries agree.
 */
import type { Entry } from '../../../model/entry.ts'
import { newId } from '../../../model/id.ts'
import type { Operation } from '../../../model/operation.ts'
import { revisionOf } from '../../../model/revision.ts'
import type { History, MemoryImage, Recorded, Touched } from '../../../ports/store.ts'
import { settingsFor } from '../../disk/new-settings.ts'
import type { Remains } from './remains.ts'

const DEFAULT_AGENT = 'main'

/** `now`: when this is done. */
export function salvaged(remains: Remains, now: string): MemoryImage {
  const state = new Map([...remains.entries].map(([id, entry]) => [id, asItIs(entry)]))
  const entries = [...state.values()].sort((a, b) => a.seq - b.seq)
  const past = pastOf(remains, state, now)
  return {
    settings: remains.settings ?? settingsFor(newId(Date.parse(now)), DEFAULT_AGENT, {}),
    cursor: { epoch: crypto.randomUUID(), number: past.recorded.at(-1)?.change.number ?? remains.number },
    nextSeq: remains.nextSeq,
    history: past.history,
    async *entries() {
      yield* entries
    },
    async *sessions() {
      yield* remains.transcripts()
    },
    async *files() {
      for (const [, file] of [...remains.files].sort(([a], [b]) => (a < b ? -1 : 1))) yield file
    },
    warnings: [],
  }
}

interface SalvagedPast {
  readonly history: History
  readonly recorded: readonly Recorded[]
}

/** Where the newest text is lost and the one before is kept, the revision must be that one's. */
function asItIs(entry: Entry): Entry {
  const revision = revisionOf(entry)
  return revision === entry.revision ? entry : { ...entry, revision }
}

function pastOf(remains: Remains, state: ReadonlyMap<string, Entry>, now: string): SalvagedPast {
  if (remains.isBaseLost) {
    return { history: { since: now, entries: [...state.values()], changes: [] }, recorded: [] }
  }
  const touched = remains.atBreak ? differences(remains.atBreak, state) : []
  const number = (remains.recorded.at(-1)?.change.number ?? 0) + 1
  const rest: Recorded[] =
    touched.length === 0
      ? []
      : [{ change: { number, at: now, origin: { by: 'import' }, operations: touched.map(operationOf) }, touched }]
  const recorded = [...remains.recorded, ...rest]
  const since = remains.since === undefined ? {} : { since: remains.since }
  return { history: { ...since, entries: remains.base, changes: recorded }, recorded }
}

function differences(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): Touched[] {
  const gone = [...before.values()].filter(({ id }) => !after.has(id)).map((entry) => ({ id: entry.id, before: entry }))
  const changed = [...after.values()].flatMap((entry): Touched[] => {
    const was = before.get(entry.id)
    if (!was) return [{ id: entry.id, after: entry }]
    return was === entry ? [] : [{ id: entry.id, before: was, after: entry }]
  })
  // First what frees names.
  return [...gone, ...changed]
}

function operationOf({ id, before, after }: Touched): Operation {
  if (!after) return { op: 'remove', id }
  if (!before) {
    const { revision: _, path: __, ...fields } = after
    return { op: 'add', ...fields }
  }
  const { content, description, metadata, expiresAt } = after
  return { op: 'write', id, content, description, metadata, expiresAt }
}
