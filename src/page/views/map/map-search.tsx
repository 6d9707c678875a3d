/** The field to search the map by: as it is typed, a little later than each letter. */
import type { VNode } from 'preact'
import { useTyped } from '../../parts/use-typed.ts'

export interface MapSearchProps {
  readonly text: string
  readonly onText: (text: string) => void
}

const PAUSE_MS = 200

export function MapSearch({ text, onText }: MapSearchProps): VNode {
  const { typed, type } = useTyped(text, onText, PAUSE_MS)
  return (
    <search class="map-search">
      <label>
        <span class="unseen">Find on the map</span>
        <input
          type="search"
          value={typed}
          placeholder="Find on the map"
          autocomplete="off"
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      </label>
    </search>
  )
}
