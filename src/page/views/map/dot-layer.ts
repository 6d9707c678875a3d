/**
 * Ten thousand dots as pixels: each is a stamp of finished pixels that is copied to its place, which takes a millisecond or two on any machine,
 * where as many circles or images take a canvas without a graphics card more than fifty. A stamp has a hair of the ground around it, so
 * that dots which lie on each other stay apart and nothing has to be blended.
 */
import { type Camera, frameOf, type Size } from './camera.ts'
import { type Colour, mixed, packed } from './colour.ts'
import type { PointField } from './point-field.ts'

export interface DotScene {
  readonly field: PointField
  readonly camera: Camera
  readonly size: Size
  readonly ratio: number
  readonly radius: number
  /** For each of the field's kinds. */
  readonly colours: readonly Colour[]
  readonly surface: Colour
  readonly isShown: (index: number) => boolean
}

interface Stamp {
  /** Of a square, in pixels of the screen. */
  readonly side: number
  /** Row by row; 0 is no pixel of the dot. */
  readonly pixels: Uint32Array
}

/** Around the dot, in pixels of the page. */
const HAIR = 0.75

export function drawDots(context: CanvasRenderingContext2D, scene: DotScene): void {
  const { field, camera, size, ratio, isShown } = scene
  const { width, height } = context.canvas
  const image = context.createImageData(width, height)
  const target = new Uint32Array(image.data.buffer)
  const stamps = scene.colours.map((colour) => stampOf(scene, colour))
  const half = (stamps[0]?.side ?? 1) / 2
  const { left, top } = frameOf(camera, size)
  const scale = camera.scale * ratio
  for (let index = 0; index < field.xs.length; index++) {
    const x = Math.round(((field.xs[index] ?? 0) - left) * scale - half)
    const y = Math.round(((field.ys[index] ?? 0) - top) * scale - half)
    const stamp = stamps[field.kindOf[index] ?? 0]
    if (!stamp || x <= -stamp.side || y <= -stamp.side || x >= width || y >= height || !isShown(index)) continue
    press(stamp, target, { x, y, width, height })
  }
  context.putImageData(image, 0, 0)
}

interface Spot {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function press({ side, pixels }: Stamp, target: Uint32Array, { x, y, width, height }: Spot): void {
  const [fromRow, toRow] = [Math.max(0, -y), Math.min(side, height - y)]
  const [fromColumn, toColumn] = [Math.max(0, -x), Math.min(side, width - x)]
  for (let row = fromRow; row < toRow; row++) {
    for (let column = fromColumn; column < toColumn; column++) {
      const pixel = pixels[row * side + column] ?? 0
      if (pixel !== 0) target[(y + row) * width + x + column] = pixel
    }
  }
}

function stampOf({ radius, ratio, surface }: DotScene, colour: Colour): Stamp {
  const [dot, whole] = [radius * ratio, (radius + HAIR) * ratio]
  const side = Math.ceil(whole * 2)
  const pixels = new Uint32Array(side * side)
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const far = Math.hypot(row + 0.5 - side / 2, column + 0.5 - side / 2)
      // How much of the pixel is the dot's: its edge runs through those that are half a pixel around it.
      const share = Math.min(1, Math.max(0, dot + 0.5 - far))
      if (far <= whole) pixels[row * side + column] = packed(mixed(surface, colour, share))
    }
  }
  return { side, pixels }
}
