/** Filters, as questions to the index alone: they act before the limit, on every document that matches, and read no file. */
import { holdAll } from '../model/condition.ts'
import { hasEnded } from '../model/expiry.ts'
import { KIND_NAMES } from '../model/kinds.ts'
import type { Matches } from '../search/matches.ts'
import { COLUMN, MIRROR, storedMetadata } from './entry-document.ts'
import type { SearchRequest } from './request.ts'

export type Refusal = 'expired' | 'kind' | 'mirror' | 'since' | 'until' | 'where'

const HISTORY = KIND_NAMES.indexOf('history')

/** The first filter that keeps a document out; the cheap ones first. */
export function refusalOf(matches: Matches, request: SearchRequest): (doc: number) => Refusal | undefined {
  const { nowMs, where } = request
  const kinds = KIND_NAMES.map((kind) => request.kinds.includes(kind))
  const since = request.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(request.since)
  const until = request.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(request.until)
  const isDated = request.since !== undefined || request.until !== undefined
  return (doc) => {
    const kind = matches.column(doc, COLUMN.kind)
    if (kind === MIRROR && !request.mirrors && isStoodFor(matches, doc, nowMs)) return 'mirror'
    if (!kinds[kind === MIRROR ? HISTORY : kind]) return 'kind'
    if (hasEnded(matches.column(doc, COLUMN.expires), nowMs)) return 'expired'
    if (isDated) {
      const created = matches.column(doc, COLUMN.created)
      if (created < since) return 'since'
      if (created >= until) return 'until'
    }
    if (where.length === 0) return undefined
    const metadata = storedMetadata(matches.stored(doc))
    return holdAll(metadata, where) ? undefined : 'where'
  }
}

/**
 * Whether the archive that it mirrors is there to be found in its place. What a fallback left in the history is always stood for: its
 * archive goes when the conversation is condensed after all, and what that came to says more.
 */
function isStoodFor(matches: Matches, doc: number, nowMs: number): boolean {
  const { archive, raw } = storedMetadata(matches.stored(doc))
  if (raw === true) return true
  const other = typeof archive === 'string' ? matches.find(archive) : -1
  return other >= 0 && !hasEnded(matches.column(other, COLUMN.expires), nowMs)
}
