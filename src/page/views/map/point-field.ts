/**
 * The map's points, laid out for what is asked of them many times a second: draw all, find the one under a pointer. Arrays of numbers in
 * place of objects, and a grid over the plane, in which the points of a cell stand side by side. Never changes once it is made.
 */
import type { MapAnswer } from '../../../api/contract.ts'
import type { Kind } from '../../../model/kinds.ts'
import type { Frame, Spot } from './camera.ts'

export type MapPoint = MapAnswer['points'][number]

/** Cells on a side: with ten thousand points a few in each. */
const SIDE = 64

export class PointField {
  readonly points: readonly MapPoint[]
  readonly xs: Float32Array
  readonly ys: Float32Array
  /** Those that there are, in the order of their first point. */
  readonly kinds: readonly Kind[]
  /** For each point the index of its kind in `kinds`. */
  readonly kindOf: Uint8Array
  readonly #indexById: ReadonlyMap<string, number>
  /** The points of cell `c` are `#members` from `#starts[c]` to `#starts[c + 1]`. */
  readonly #starts: Uint32Array
  readonly #members: Uint32Array

  constructor(points: readonly MapPoint[]) {
    this.points = points
    this.xs = Float32Array.from(points, ({ x }) => x)
    this.ys = Float32Array.from(points, ({ y }) => y)
    this.kinds = [...new Set(points.map(({ kind }) => kind))]
    const places = new Map(this.kinds.map((kind, index) => [kind, index]))
    this.kindOf = Uint8Array.from(points, ({ kind }) => places.get(kind) ?? 0)
    this.#indexById = new Map(points.map(({ id }, index) => [id, index]))

    const cells = Uint32Array.from(points, ({ x, y }) => row(y) * SIDE + row(x))
    this.#starts = new Uint32Array(SIDE * SIDE + 1)
    for (const cell of cells) this.#starts[cell + 1] = (this.#starts[cell + 1] ?? 0) + 1
    for (let cell = 0; cell < SIDE * SIDE; cell++) {
      this.#starts[cell + 1] = (this.#starts[cell + 1] ?? 0) + (this.#starts[cell] ?? 0)
    }
    const free = this.#starts.slice()
    this.#members = new Uint32Array(points.length)
    for (const [index, cell] of cells.entries()) {
      const place = free[cell] ?? 0
      this.#members[place] = index
      free[cell] = place + 1
    }
  }

  indexOf(id: string): number | undefined {
    return this.#indexById.get(id)
  }

  spot(index: number): Spot {
    return { x: this.xs[index] ?? 0, y: this.ys[index] ?? 0 }
  }

  /** Of those that `accepts` lets through. */
  nearest(to: Spot, radius: number, accepts: (index: number) => boolean): number | undefined {
    let best: number | undefined
    let bestSquare = radius * radius
    const frame = { left: to.x - radius, top: to.y - radius, right: to.x + radius, bottom: to.y + radius }
    this.#visit(frame, (index) => {
      const [dx, dy] = [(this.xs[index] ?? 0) - to.x, (this.ys[index] ?? 0) - to.y]
      const square = dx * dx + dy * dy
      if (square > bestSquare || !accepts(index)) return
      best = index
      bestSquare = square
    })
    return best
  }

  /** In the points' own order, which is the server's. */
  within(frame: Frame, accepts: (index: number) => boolean): Uint32Array {
    const found: number[] = []
    this.#visit(frame, (index) => {
      const [x, y] = [this.xs[index] ?? 0, this.ys[index] ?? 0]
      if (x < frame.left || x > frame.right || y < frame.top || y > frame.bottom) return
      if (accepts(index)) found.push(index)
    })
    return Uint32Array.from(found).sort()
  }

  #visit(frame: Frame, visit: (index: number) => void): void {
    for (let down = row(frame.top); down <= row(frame.bottom); down++) {
      for (let across = row(frame.left); across <= row(frame.right); across++) {
        const cell = down * SIDE + across
        const end = this.#starts[cell + 1] ?? 0
        for (let place = this.#starts[cell] ?? 0; place < end; place++) visit(this.#members[place] ?? 0)
      }
    }
  }
}

/** The row or column of a coordinate; what lies beyond the plane stands in its outermost ones. */
function row(coordinate: number): number {
  return Math.min(SIDE - 1, Math.max(0, Math.floor(((coordinate + 1) / 2) * SIDE)))
}
