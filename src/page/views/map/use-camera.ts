/** Where the map is looked at from by now, and the ways to move there. Until somebody moves, all of it is in sight, whatever the size. */
import { useState } from 'preact/hooks'
import { type Camera, fitting, panned, type Size, type Spot, zoomedAt } from './camera.ts'

export interface MovableCamera {
  readonly camera: Camera
  /** `undefined`: nobody has, and everything is in sight. */
  readonly moved: Camera | undefined
  readonly pan: (dx: number, dy: number) => void
  readonly zoom: (at: Spot, factor: number) => void
  readonly showAll: () => void
  readonly centre: (spot: Spot) => void
}

export function useCamera(size: Size): MovableCamera {
  const [moved, setMoved] = useState<Camera | undefined>(undefined)
  const move = (next: (last: Camera) => Camera): void => setMoved((last) => next(last ?? fitting(size)))
  return {
    camera: moved ?? fitting(size),
    moved,
    pan: (dx, dy) => move((last) => panned(last, dx, dy)),
    zoom: (at, factor) => move((last) => zoomedAt(last, at, factor, size)),
    showAll: () => setMoved(undefined),
    centre: ({ x, y }) => move((last) => ({ ...last, x, y })),
  }
}
