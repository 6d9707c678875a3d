/**
 * One picture of the map: all dots, and over them what is to be seen first. What was searched for has a ring, and the rest steps back.
 * Names stand beside dots only where there is room for them.
 */
import { shortened } from '../../parts/shortened.ts'
import { type Camera, frameOf, nearness, type Size, toScreen } from './camera.ts'
import { cssOf, mixed } from './colour.ts'
import { drawDots } from './dot-layer.ts'
import type { Palette } from './palette.ts'
import type { PointField } from './point-field.ts'

export interface Scene {
  readonly field: PointField
  readonly camera: Camera
  readonly size: Size
  /** Pixels of the screen for one of the page. */
  readonly ratio: number
  readonly palette: Palette
  readonly isShown: (index: number) => boolean
  /** What the search found, the best first; missing where nothing is searched for. */
  readonly hits?: ReadonlySet<number>
  /** The one that is pointed at. */
  readonly target?: number
}

/** Names of more dots than these would cover each other. */
const MOST_NAMED = 60
const MOST_NAMED_HITS = 12
const MOST_LETTERS = 32
/** What is left of the colour of dots that were not searched for. */
const STEPPED_BACK = 0.25

export function drawMap(context: CanvasRenderingContext2D, scene: Scene): void {
  const { ratio, hits } = scene
  const radius = dotRadius(scene)
  drawGround(context, scene, radius)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  if (hits) ringHits(context, scene, radius)
  if (scene.target !== undefined) drawTarget(context, scene, scene.target, radius)
  writeNames(context, scene, radius)
}

/** Nearer is larger, but far more slowly than the map itself; in half pixels, so that stencils last. */
export function dotRadius({ camera, size }: Pick<Scene, 'camera' | 'size'>): number {
  return Math.min(7, Math.round((2.5 + Math.log2(Math.max(1, nearness(camera, size)))) * 2) / 2)
}

function drawGround(context: CanvasRenderingContext2D, scene: Scene, radius: number): void {
  const { field, palette, hits, isShown } = scene
  const { surface } = palette
  const colours = field.kinds.map((kind) => mixed(surface, palette.kinds[kind], hits ? STEPPED_BACK : 1))
  drawDots(context, {
    ...scene,
    radius,
    colours,
    surface,
    isShown: hits ? (index) => isShown(index) && !hits.has(index) : isShown,
  })
}

function ringHits(context: CanvasRenderingContext2D, scene: Scene, radius: number): void {
  const { field, palette, hits = new Set() } = scene
  // The best one is drawn last, and so lies on top.
  for (const index of [...hits].reverse()) {
    if (!scene.isShown(index)) continue
    const kind = field.kinds[field.kindOf[index] ?? 0]
    const { x, y } = toScreen(field.spot(index), scene.camera, scene.size)
    disc(context, x, y, radius + 4, cssOf(palette.surface))
    ring(context, x, y, radius + 3.5, palette.text, 1.5)
    if (kind) disc(context, x, y, radius + 1, cssOf(palette.kinds[kind]))
  }
}

function drawTarget(context: CanvasRenderingContext2D, scene: Scene, target: number, radius: number): void {
  const { field, palette } = scene
  const kind = field.kinds[field.kindOf[target] ?? 0]
  const { x, y } = toScreen(field.spot(target), scene.camera, scene.size)
  disc(context, x, y, radius + 6, cssOf(palette.surface))
  ring(context, x, y, radius + 5, palette.accent, 2.5)
  if (kind) disc(context, x, y, radius + 1.5, cssOf(palette.kinds[kind]))
}

function writeNames(context: CanvasRenderingContext2D, scene: Scene, radius: number): void {
  const { field, palette, size, target } = scene
  context.font = palette.font
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  const written: { left: number; right: number; y: number }[] = []
  for (const index of namedOnes(scene)) {
    // The pointed one has its name beside it already.
    if (index === target) continue
    const { x, y } = toScreen(field.spot(index), scene.camera, size)
    const text = shortened(field.points[index]?.label.split('\n', 1)[0] ?? '', MOST_LETTERS)
    const left = x + radius + 6
    const right = left + context.measureText(text).width
    if (right > size.width || y < 8 || y > size.height - 8) continue
    if (written.some((one) => Math.abs(one.y - y) < 15 && one.left < right && left < one.right)) continue
    written.push({ left, right, y })
    // Around the letters, so that they stay readable over dots.
    context.strokeStyle = cssOf(palette.surface)
    context.lineWidth = 4
    context.strokeText(text, left, y)
    context.fillStyle = palette.text
    context.fillText(text, left, y)
  }
}

function namedOnes({ field, camera, size, hits, isShown }: Scene): Iterable<number> {
  if (hits) return [...hits].filter(isShown).slice(0, MOST_NAMED_HITS)
  // From afar there are always too many, and they need not be counted.
  if (nearness(camera, size) < 3 && field.points.length > MOST_NAMED) return []
  const inSight = field.within(frameOf(camera, size), isShown)
  return inSight.length > MOST_NAMED ? [] : inSight
}

function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string): void {
  context.beginPath()
  context.arc(x, y, radius, 0, Math.PI * 2)
  context.fillStyle = colour
  context.fill()
}

function ring(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  colour: string,
  width: number,
): void {
  context.beginPath()
  context.arc(x, y, radius, 0, Math.PI * 2)
  context.strokeStyle = colour
  context.lineWidth = width
  context.stroke()
}
