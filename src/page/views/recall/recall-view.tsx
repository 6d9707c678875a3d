/**
 * Search as it is typed, with the reasons of every score. The address is what is searched for; everything here follows it, so that
 * each search can be bookmarked, and the answer of an outdated one is never shown.
 */
import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import type { SearchAnswer } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { type Loaded, useLoaded } from '../../parts/use-loaded.ts'
import { go, href, route } from '../../route.ts'
import { agent, changed } from '../../state.ts'
import { Answer } from './answer.tsx'
import { moveByArrows } from './move-by-arrows.ts'
import { PastNote } from './past-note.tsx'
import { QueryHelp } from './query-help.tsx'
import { type Ask, addressOf, queryIn, type RecallQuery, requestOf } from './recall-query.ts'
import { SearchForm } from './search-form.tsx'

export function RecallView(): VNode {
  const query = queryIn(route.value.query)
  const { value, error, isLoading } = useFound(query)
  const box = useRef<HTMLDivElement>(null)
  const isBlank = query.text.trim() === ''
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys come from the field and the links inside.
    <div ref={box} class="recall" onKeyDown={(event) => moveByArrows(event, box.current)}>
      <h1 class="unseen">Recall</h1>
      {query.asOf !== '' && <PastNote asOf={query.asOf} onNow={() => ask({ asOf: '' })} />}
      <SearchForm query={query} ask={ask} isLoading={isLoading && !isBlank} />
      {isBlank && <QueryHelp onExample={(text) => ask({ text })} />}
      {!isBlank && error !== undefined && <Failure error={error} />}
      {!isBlank && error === undefined && value !== undefined && <Answer found={value} query={query} ask={ask} />}
    </div>
  )
}

const ask: Ask = (patch) => {
  const { query } = route.peek()
  go(href('recall', { ...query, ...addressOf({ ...queryIn(query), ...patch }) }), { replace: true })
}

function useFound(query: RecallQuery): Loaded<SearchAnswer | undefined> {
  const whose = agent.value
  const request = requestOf(query)
  return useLoaded(
    async (signal) => {
      if (query.text.trim() === '') return undefined
      return get<SearchAnswer>('/search', { agent: whose, ...request, explain: true }, signal)
    },
    [whose, JSON.stringify(request), changed.value.count],
  )
}
