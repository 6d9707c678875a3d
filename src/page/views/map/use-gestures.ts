/** Gestures with handlers that are new at each drawing: a hand that is down outlives many of them. */
import { useMemo, useRef } from 'preact/hooks'
import { type GestureHandlers, Gestures } from './gestures.ts'

export function useGestures(handlers: GestureHandlers): Gestures {
  const latest = useRef(handlers)
  latest.current = handlers
  return useMemo(
    () =>
      new Gestures({
        point: (at) => latest.current.point(at),
        tap: (at, isTouch) => latest.current.tap(at, isTouch),
        pan: (dx, dy) => latest.current.pan(dx, dy),
        zoom: (at, factor) => latest.current.zoom(at, factor),
      }),
    [],
  )
}
