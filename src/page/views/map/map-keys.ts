/** What the keys do on the map. */
import type { Spot } from './camera.ts'
import type { MovableCamera } from './use-camera.ts'

const STEP_PX = 64
export const STEP_FACTOR = 1.5

/** `undefined` for keys that the map has no use for. `at`: what is zoomed to. */
export function keyAction(
  { key, altKey, ctrlKey, metaKey }: KeyboardEvent,
  at: Spot,
  { pan, zoom, showAll }: MovableCamera,
): (() => void) | undefined {
  if (altKey || ctrlKey || metaKey) return undefined
  return {
    ArrowLeft: () => pan(STEP_PX, 0),
    ArrowRight: () => pan(-STEP_PX, 0),
    ArrowUp: () => pan(0, STEP_PX),
    ArrowDown: () => pan(0, -STEP_PX),
    '+': () => zoom(at, STEP_FACTOR),
    '=': () => zoom(at, STEP_FACTOR),
    '-': () => zoom(at, 1 / STEP_FACTOR),
    '0': showAll,
  }[key]
}
