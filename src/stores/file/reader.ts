/** Reading entries: heads from the catalogue, each text with one read of the file. */
import { handlesOf, type StateView } from '../../model/draft.ts'
import type { Entry, EntryHead, Scope } from '../../model/entry.ts'
import { matchesHead } from '../../model/filter.ts'
import type { ScanFilter } from '../../ports/store.ts'
import type { PlanBase } from '../disk/batch-plan.ts'
import { nameOf } from './file-catalogue.ts'
import type { FollowedFile } from './follower.ts'
import { ReadAhead } from './read-ahead.ts'

export function getEntry({ file, catalogue }: FollowedFile, id: string): Entry | undefined {
  const head = catalogue.head(id)
  return head && { ...head, content: file.text(catalogue.placeOf(id), () => nameOf(head)) }
}

export function heldEntry(state: FollowedFile, scope: Scope, handle: string): Entry | undefined {
  const id = state.catalogue.owner(scope, handle)
  const entry = id === undefined ? undefined : getEntry(state, id)
  return entry && handlesOf(entry).includes(handle) ? entry : undefined
}

export function viewOf(state: FollowedFile): StateView {
  return {
    get: (id) => getEntry(state, id),
    head: (id) => state.catalogue.head(id),
    owner: (scope, handle) => state.catalogue.owner(scope, handle),
  }
}

/** What the next batches come upon. */
export function planBase(state: FollowedFile): PlanBase {
  const { catalogue } = state
  return { view: viewOf(state), settings: catalogue.settings, seqs: catalogue.seqs(), number: catalogue.number }
}

/** In the order of `seq`. */
export function foundHeads({ catalogue }: FollowedFile, filter: ScanFilter): EntryHead[] {
  const wanted: EntryHead[] = []
  if (filter.ids && filter.ids.size * MANY < catalogue.size) {
    for (const id of filter.ids) wanted.push(...[catalogue.head(id)].filter((head) => head !== undefined))
  } else for (const head of catalogue.heads(filter)) wanted.push(head)
  const found = wanted.filter((head) => matchesHead(head, filter))
  return found.sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1))
}

/** Parsing one head by itself takes some times as long as one of all. */
const MANY = 8

/** As of now, also while it is read bit by bit: it holds the file until it is left. */
export function* scanEntries(state: FollowedFile, filter: ScanFilter): Generator<Entry> {
  const { file, catalogue } = state
  const found = foundHeads(state, filter).map((head) => ({ head, place: catalogue.placeOf(head.id) }))
  file.hold()
  try {
    const reading = new ReadAhead(file)
    for (const { head, place } of found) yield { ...head, content: reading.text(place, () => nameOf(head)) }
  } finally {
    file.release()
  }
}
