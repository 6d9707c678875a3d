/**
 * The map as a picture that is moved by mouse, fingers, keys and buttons. With keys, the entry that is nearest to the middle is the one
 * that is pointed at. What it shows the list beside it has as text.
 */
import type { VNode } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Frame, frameOf, type Size, type Spot, toMap, toScreen } from './camera.ts'
import { drawMap } from './draw-map.ts'
import { MapControls } from './map-controls.tsx'
import { keyAction, STEP_FACTOR } from './map-keys.ts'
import { usePalette } from './palette.ts'
import type { MapPoint, PointField } from './point-field.ts'
import { PointName } from './point-name.tsx'
import { useCamera } from './use-camera.ts'
import { useGestures } from './use-gestures.ts'
import { useSize } from './use-size.ts'

export interface MapCanvasProps {
  readonly field: PointField
  readonly isShown: (index: number) => boolean
  readonly hits: ReadonlySet<number> | undefined
  readonly target: number | undefined
  readonly onTarget: (index: number | undefined) => void
  readonly onOpen: (index: number) => void
  /** What is in sight, once the hand rests; `undefined`: everything. */
  readonly onFrame: (frame: Frame | undefined) => void
}

/** How near a pointer must come to a dot, in pixels. */
const REACH = 12
const FINGER_REACH = 22
const REST_MS = 150

export function MapCanvas({ field, isShown, hits, target, onTarget, onOpen, onFrame }: MapCanvasProps): VNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [box, size] = useSize()
  const palette = usePalette()
  const movable = useCamera(size)
  const { camera, moved } = movable
  const [isByKeys, setIsByKeys] = useState(false)
  const helpId = useId()

  const point = target === undefined ? undefined : field.points[target]
  const at = point && toScreen(point, camera, size)
  const middle = { x: size.width / 2, y: size.height / 2 }
  const nearest = (to: Spot, reach: number): number | undefined =>
    field.nearest(toMap(to, camera, size), reach / camera.scale, isShown)

  const gestures = useGestures({
    ...movable,
    point: (to) => {
      setIsByKeys(false)
      onTarget(to && nearest(to, REACH))
    },
    tap: (to, isTouch) => {
      const meant = nearest(to, isTouch ? FINGER_REACH : REACH)
      // A finger can't point first: its first tap tells the name, the second opens.
      if (isTouch && meant !== target) onTarget(meant)
      else if (meant !== undefined) onOpen(meant)
    },
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && target !== undefined) onOpen(target)
    // Towards what is pointed at: the very middle is mostly empty.
    const act = keyAction(event, at ?? middle, movable)
    if (act === undefined) return
    event.preventDefault()
    setIsByKeys(true)
    act()
  }

  useLayoutEffect(() => {
    const drawing = requestAnimationFrame(() => {
      const context = canvas.current?.getContext('2d')
      if (!context) return
      fitBitmap(context.canvas, size, devicePixelRatio)
      const more = { ...(hits ? { hits } : {}), ...(point && target !== undefined ? { target } : {}) }
      drawMap(context, { field, camera, size, ratio: devicePixelRatio, palette, isShown, ...more })
    })
    return () => cancelAnimationFrame(drawing)
  })
  useEffect(() => {
    if (isByKeys) onTarget(nearest(middle, Math.min(middle.x, middle.y)))
  }, [isByKeys, moved, size, isShown])
  useEffect(() => {
    const resting = setTimeout(() => onFrame(moved && frameOf(moved, size)), REST_MS)
    return () => clearTimeout(resting)
  }, [moved, size])
  // What the list points at is brought into sight.
  useEffect(() => {
    if (!point || !at || isByKeys) return
    if (at.x < 0 || at.y < 0 || at.x > size.width || at.y > size.height) movable.centre(point)
  }, [target])

  return (
    <div class="map-stage" ref={box}>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it takes keys of its own, which this role tells. */}
      <canvas
        ref={canvas}
        class="map-canvas"
        tabIndex={0}
        role="application"
        aria-label="Map of entries by meaning"
        aria-describedby={helpId}
        onPointerDown={gestures.pointerdown}
        onPointerMove={gestures.pointermove}
        onPointerUp={gestures.pointerup}
        onPointerCancel={gestures.pointercancel}
        onPointerLeave={gestures.pointerleave}
        onWheel={gestures.wheel}
        onKeyDown={onKeyDown}
        onFocus={({ currentTarget }) => setIsByKeys(currentTarget.matches(':focus-visible'))}
        onBlur={() => setIsByKeys(false)}
      />
      <p id={helpId} class="unseen">
        Arrow keys move the map, plus and minus zoom, 0 shows everything. The entry nearest to the middle is named, and
        Enter opens it. All entries in sight are in the list that follows.
      </p>
      {isByKeys && <div class="map-middle" aria-hidden="true" />}
      {point && at && <PointName point={point} at={at} size={size} />}
      <MapControls
        onNearer={() => movable.zoom(middle, STEP_FACTOR)}
        onFarther={() => movable.zoom(middle, 1 / STEP_FACTOR)}
        onAll={movable.showAll}
      />
      <p class="unseen" role="status">
        {isByKeys && spoken(point)}
      </p>
    </div>
  )
}

function spoken(point: MapPoint | undefined): string {
  return point ? `${point.kind}: ${point.label}` : 'No entry near the middle'
}

/** Setting it clears it, so only where it is another one. */
function fitBitmap(canvas: HTMLCanvasElement, size: Size, ratio: number): void {
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)]
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
}
