/** The field to search the map by: as it is typed, a little later than each letter. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export interface MapSearchProps {
  readonly text: string
  readonly onText: (text: string) => void
}

const PAUSE_MS = 200

export function MapSearch({ text, onText }: MapSearchProps): VNode {
  const [typed, setTyped] = useState(text)
  // Another address, such as one that was gone back to, says another text.
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return
    const pause = setTimeout(() => onText(typed), PAUSE_MS)
    return () => clearTimeout(pause)
  }, [typed])
  return (
    <search class="map-search">
      <label>
        <span class="unseen">Find on the map</span>
        <input
          type="search"
          value={typed}
          placeholder="Find on the map"
          autocomplete="off"
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
    </search>
  )
}
