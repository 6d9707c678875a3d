/** Where one looks at the map from: the map's point in the middle of the sight, and how many pixels a unit has. Pure. */

export interface Camera {
  readonly x: number
  readonly y: number
  readonly scale: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Spot {
  readonly x: number
  readonly y: number
}

export interface Frame {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Further away than all of the map, and nearer than two entries that mean nearly the same. */
const NEAREST = 256
const FARTHEST = 0.5

/** All of the map, with a margin for the dots at its edge. */
export function fitting(size: Size): Camera {
  return { x: 0, y: 0, scale: fittingScale(size) }
}

/** How many times nearer than where all is in sight. */
export function nearness(camera: Camera, size: Size): number {
  return camera.scale / fittingScale(size)
}

export function toScreen({ x, y }: Spot, camera: Camera, size: Size): Spot {
  return {
    x: (x - camera.x) * camera.scale + size.width / 2,
    y: (y - camera.y) * camera.scale + size.height / 2,
  }
}

export function toMap({ x, y }: Spot, camera: Camera, size: Size): Spot {
  return {
    x: (x - size.width / 2) / camera.scale + camera.x,
    y: (y - size.height / 2) / camera.scale + camera.y,
  }
}

/** What is under the pointer stays under it. */
export function zoomedAt(camera: Camera, at: Spot, factor: number, size: Size): Camera {
  const fit = fittingScale(size)
  const scale = Math.min(fit * NEAREST, Math.max(fit * FARTHEST, camera.scale * factor))
  const fixed = toMap(at, camera, size)
  return keptNear({
    x: fixed.x - (at.x - size.width / 2) / scale,
    y: fixed.y - (at.y - size.height / 2) / scale,
    scale,
  })
}

/** By pixels; the map goes along with the hand. */
export function panned(camera: Camera, dx: number, dy: number): Camera {
  return keptNear({ ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale })
}

export function frameOf(camera: Camera, size: Size): Frame {
  const [across, down] = [size.width / 2 / camera.scale, size.height / 2 / camera.scale]
  return { left: camera.x - across, top: camera.y - down, right: camera.x + across, bottom: camera.y + down }
}

function fittingScale({ width, height }: Size): number {
  return Math.max(1, (Math.min(width, height) / 2) * 0.94)
}

/** The middle never leaves the map, so that nobody gets lost beside it. */
function keptNear(camera: Camera): Camera {
  return { ...camera, x: clamp(camera.x), y: clamp(camera.y) }
}

function clamp(value: number): number {
  return Math.min(1, Math.max(-1, value))
}
