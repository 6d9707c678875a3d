/**
 * What a hand does on the map, told apart: to point, to tap, to drag with one finger, to pinch with two, to turn a wheel. It says so in
 * pixels of the element and knows neither map nor camera.
 */
import type { Spot } from './camera.ts'

export interface GestureHandlers {
  readonly point: (at: Spot | undefined) => void
  readonly tap: (at: Spot, isTouch: boolean) => void
  readonly pan: (dx: number, dy: number) => void
  readonly zoom: (at: Spot, factor: number) => void
}

/** A hand that means to tap still moves this far, in pixels. */
const TREMOR = 5
/** Of a wheel that counts in lines. */
const LINE_PX = 16

export class Gestures {
  readonly #on: GestureHandlers
  readonly #down = new Map<number, Spot>()
  /** How far the hand went since it came down. */
  #way = 0

  constructor(on: GestureHandlers) {
    this.#on = on
  }

  readonly pointerdown = (event: PointerEvent): void => {
    if (event.button !== 0) return
    elementOf(event).setPointerCapture(event.pointerId)
    // Fingers that come to the first one make no tap, however still they are.
    this.#way = this.#down.size === 0 ? 0 : TREMOR + 1
    this.#down.set(event.pointerId, spotOf(event))
  }

  readonly pointermove = (event: PointerEvent): void => {
    const [last, now] = [this.#down.get(event.pointerId), spotOf(event)]
    if (last === undefined) {
      this.#on.point(now)
      return
    }
    this.#way += distance(last, now)
    const other = [...this.#down].find(([id]) => id !== event.pointerId)?.[1]
    this.#down.set(event.pointerId, now)
    if (other !== undefined) this.#pinch(last, now, other)
    else if (this.#way > TREMOR) this.#on.pan(now.x - last.x, now.y - last.y)
  }

  readonly pointerup = (event: PointerEvent): void => {
    const wasDown = this.#down.delete(event.pointerId)
    if (wasDown && this.#way <= TREMOR) this.#on.tap(spotOf(event), event.pointerType === 'touch')
  }

  readonly pointercancel = (event: PointerEvent): void => {
    this.#down.delete(event.pointerId)
  }

  readonly pointerleave = (event: PointerEvent): void => {
    // A finger leaves by being lifted, and what it pointed at stays.
    if (event.pointerType !== 'touch') this.#on.point(undefined)
  }

  readonly wheel = (event: WheelEvent): void => {
    event.preventDefault()
    const px = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1)
    // A pinch on a touchpad comes as a wheel with this key, in smaller steps.
    const speed = event.ctrlKey ? 0.01 : 0.002
    this.#on.zoom(spotOf(event), Math.exp(-Math.max(-200, Math.min(200, px)) * speed))
  }

  #pinch(last: Spot, now: Spot, other: Spot): void {
    const before = distance(last, other)
    if (before > 0) this.#on.zoom(middle(now, other), distance(now, other) / before)
    this.#on.pan((now.x - last.x) / 2, (now.y - last.y) / 2)
  }
}

function spotOf(event: MouseEvent): Spot {
  return { x: event.offsetX, y: event.offsetY }
}

function elementOf(event: PointerEvent): HTMLElement {
  return event.currentTarget as HTMLElement // these are handlers of one
}

function distance(a: Spot, b: Spot): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function middle(a: Spot, b: Spot): Spot {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}
