/** The name of the dot that is pointed at, beside it, on the side where there is room. Screen readers are told otherwise. */
import type { VNode } from 'preact'
import { KindBadge } from '../../parts/kind-badge.tsx'
import type { Size, Spot } from './camera.ts'
import type { MapPoint } from './point-field.ts'

export interface PointNameProps {
  readonly point: MapPoint
  readonly at: Spot
  readonly size: Size
}

const BESIDE_PX = 16

export function PointName({ point, at, size }: PointNameProps): VNode {
  const side =
    at.x < size.width / 2 ? { left: `${at.x + BESIDE_PX}px` } : { right: `${size.width - at.x + BESIDE_PX}px` }
  return (
    <div class="map-name" aria-hidden="true" style={{ ...side, top: `${Math.max(4, at.y - 14)}px` }}>
      <KindBadge kind={point.kind} />
      <bdi>{point.label}</bdi>
    </div>
  )
}
