/** Zooming for those who have neither wheel nor touchpad. */
import type { VNode } from 'preact'

export interface MapControlsProps {
  readonly onNearer: () => void
  readonly onFarther: () => void
  readonly onAll: () => void
}

export function MapControls({ onNearer, onFarther, onAll }: MapControlsProps): VNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in.
    <div class="map-controls" role="group" aria-label="Zoom">
      <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={onNearer}>
        +
      </button>
      <button type="button" aria-label="Zoom out" title="Zoom out (-)" onClick={onFarther}>
        −
      </button>
      <button type="button" title="Show everything (0)" onClick={onAll}>
        All
      </button>
    </div>
  )
}
