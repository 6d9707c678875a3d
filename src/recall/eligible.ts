/** Filters, as questions to the index alone: they act before the limit, on every document that matches, and read no file. */
import { holdAll } from '../model/condition.ts'
import { hasEnded } from '../model/expiry.ts'
import { KIND_NAMES } from '../model/kinds.ts'
import type { Matches } from '../search/matches.ts'
import { COLUMN, MIRROR, storedMetadata } from './entry-document.ts'
import type { SearchRequest } from './request.ts'

export type Refusal = 'expired' | 'kind' | 'mirror' | 'since' | 'until' | 'where'

/** The first filter that keeps a document out; the cheap ones first. */
export function refusalOf(matches: Matches, request: SearchRequest): (doc: number) => Refusal | undefined {
  const { nowMs, where } = request
  const kinds = KIND_NAMES.map((kind) => request.kinds.includes(kind))
  const since = request.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(request.since)
  const until = request.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(request.until)
  return (doc) => {
    const kind = matches.column(doc, COLUMN.kind)
    if (kind === MIRROR ? !request.mirrors : !kinds[kind]) return kind === MIRROR ? 'mirror' : 'kind'
    if (hasEnded(matches.column(doc, COLUMN.expires), nowMs)) return 'expired'
    const created = matches.column(doc, COLUMN.created)
    if (created < since) return 'since'
    if (created >= until) return 'until'
    if (where.length === 0) return undefined
    const metadata = storedMetadata(matches.stored(doc))
    return holdAll(metadata, where) ? undefined : 'where'
  }
}
