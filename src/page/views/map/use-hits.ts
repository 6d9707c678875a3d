/** What a search finds, with where each of it stands on the map. */
import { useMemo } from 'preact/hooks'
import type { SearchAnswer } from '../../../api/contract.ts'
import type { Entry } from '../../../model/entry.ts'
import { type ApiError, get } from '../../client.ts'
import { firstCharacters } from '../../parts/shortened.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { agent } from '../../state.ts'
import type { Place } from './place-list.tsx'
import type { PointField } from './point-field.ts'

export interface FoundPlaces {
  /** The best first; `undefined`: nothing is searched for. */
  readonly found: readonly Place[] | undefined
  readonly error: ApiError | undefined
}

/** As many as a search gives. */
const LIMIT = 100

export function useHits(text: string, field: PointField): FoundPlaces {
  const asked = text.trim()
  const { value, error } = useLoaded(
    async (signal) =>
      asked === '' ? undefined : get<SearchAnswer>('/search', { agent: agent.value, q: asked, limit: LIMIT }, signal),
    [agent.value, asked],
  )
  const found = useMemo(() => value?.hits.map(({ entry }) => placeOf(entry, field)), [value, field])
  return { found: asked === '' ? undefined : found, error }
}

function placeOf(entry: Entry, field: PointField): Place {
  const index = field.indexOf(entry.id)
  const label = entry.name ?? entry.key ?? firstCharacters(entry.content, 200).trimStart().split('\n', 1)[0] ?? ''
  return { id: entry.id, kind: entry.kind, label, ...(index === undefined ? {} : { index }) }
}
