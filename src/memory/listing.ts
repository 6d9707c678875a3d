/** Entries by kind, time and metadata, in the order they came. */
import { type Condition, holdAll, requireConditions } from '../model/condition.ts'
import type { Entry } from '../model/entry.ts'
import { type Kind, parseKind } from '../model/kinds.ts'
import { requireList } from '../model/options.ts'
import { requireInstant } from '../model/time.ts'
import type { CallOptions, ScanFilter } from '../ports/store.ts'
import type { View } from './view.ts'

export interface ListFilter extends CallOptions {
  readonly kinds?: readonly Kind[]
  readonly since?: string
  readonly until?: string
  /** What must hold for the metadata; all of it. */
  readonly where?: readonly Condition[]
}

export async function listed(view: View, filter: ListFilter): Promise<Entry[]> {
  const { signal, kinds, since, until } = filter
  const where = requireConditions(filter.where)
  requireList(kinds, 'kinds')
  const wanted: ScanFilter = {
    ...(kinds ? { kinds: kinds.map(parseKind) } : {}),
    ...(since === undefined ? {} : { since: requireInstant(since, 'since') }),
    ...(until === undefined ? {} : { until: requireInstant(until, 'until') }),
  }
  const call = signal ? { signal } : {}
  if (where.length === 0) return view.collect(wanted, call)
  const heads = await view.heads(wanted, call)
  const ids = new Set(heads.filter((head) => holdAll(head.metadata, where)).map(({ id }) => id))
  // Once more: an entry may have been rewritten since its head was read.
  const entries = ids.size === 0 ? [] : await view.collect({ ...wanted, ids }, call)
  return entries.filter(({ metadata }) => holdAll(metadata, where))
}
