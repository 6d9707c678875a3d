/** An empty answer: what kept everything out, and what would let something in, a click away. */
import type { VNode } from 'preact'
import type { Searched } from '../../../recall/found.ts'
import { Empty } from '../../parts/empty.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { type Ask, filterCount, NO_FILTERS, type RecallQuery } from './recall-query.ts'

export interface NothingFoundProps {
  readonly searched: Searched
  readonly query: RecallQuery
  readonly ask: Ask
}

export function NothingFound({ searched, query, ask }: NothingFoundProps): VNode {
  const { phrases, not } = searched.understood
  const isFiltered = filterCount(query) > 0
  return (
    <Empty>
      <p>
        <strong>{reasonText(searched)}</strong>
      </p>
      {phrases.length > 0 && <p>Words in quotes must stand together.</p>}
      {not.length > 0 && <p>What has {not.join(', ')} is left out.</p>}
      <div class="buttons">
        {phrases.length > 0 && (
          <button type="button" onClick={() => ask({ text: query.text.replaceAll('"', ' ') })}>
            Search without the quotes
          </button>
        )}
        {isFiltered && (
          <button type="button" onClick={() => ask(NO_FILTERS)}>
            Search without the filters
          </button>
        )}
        {query.mode !== undefined && (
          <button type="button" onClick={() => ask({ mode: undefined })}>
            Search by all there is
          </button>
        )}
      </div>
    </Empty>
  )
}

function reasonText({ entries, eligible = entries, matched }: Searched): string {
  if (entries === 0) return 'There is nothing to search yet.'
  if (eligible === 0) return 'The filters let nothing through.'
  if (matched > 0) return `${wholeText(matched)} would match, but their score is too low.`
  return eligible === 1 ? 'The one entry that was searched does not match.' : 'None of what was searched matches.'
}
