/** Colours as numbers, for pictures that are made pixel by pixel. Pure, but for reading what a style sheet calls a colour. */

export type Colour = readonly [red: number, green: number, blue: number]

const probe = new OffscreenCanvas(1, 1)

/** Whatever way it is written: the browser knows them all. */
export function colourOf(css: string): Colour {
  const context = probe.getContext('2d', { willReadFrequently: true })
  if (!context) return [128, 128, 128]
  context.fillStyle = css
  context.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
  return [red, green, blue]
}

export function cssOf([red, green, blue]: Colour): string {
  return `rgb(${red} ${green} ${blue})`
}

/** `share` of the second, 0 to 1. */
export function mixed(a: Colour, b: Colour, share: number): Colour {
  const between = (from: number, to: number): number => Math.round(from + (to - from) * share)
  return [between(a[0], b[0]), between(a[1], b[1]), between(a[2], b[2])]
}

/** As the bytes of a picture lie in memory, opaque; every browser runs on machines that put the lowest byte first. */
export function packed([red, green, blue]: Colour): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
}
