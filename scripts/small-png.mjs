// A screenshot as a PNG with a palette: a third of the bytes, and nothing that an eye would miss. A page has few colours; beyond 256 the
// rarest, edges of letters for the most part, become the nearest of the others. Reads what browsers write (8 bits, RGB or RGBA, not interlaced).
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const MOST_COLOURS = 256
const FREQUENT_COLOURS = 192

export function smallPng(png) {
  const { width, height, colours } = pixelsOf(png)
  const { palette, indexOf } = paletteOf(colours)
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf.get(colours[y * width + x])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  const bytes = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  const parts = [
    part('IHDR', head),
    part('PLTE', bytes),
    part('IDAT', deflateSync(rows, { level: 9 })),
    part('IEND', ''),
  ]
  return Buffer.concat([SIGNATURE, ...parts])
}

function part(type, data) {
  const body = Buffer.concat([Buffer.from(type), Buffer.from(data)])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length - 4)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

function pixelsOf(png) {
  const data = []
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const depth = { 2: 3, 6: 4 }[png[25]]
  if (png[24] !== 8 || depth === undefined || png[28] !== 0) throw new Error('this is no PNG of a browser')
  const bytes = unfiltered(inflateSync(Buffer.concat(data)), width * depth, height, depth)
  const colours = Array.from({ length: width * height }, (_, pixel) => bytes.readUIntBE(pixel * depth, 3))
  return { width, height, colours }
}

/** PNG stores how each byte differs from those to its left and above it, a way for each row. */
function unfiltered(rows, length, height, depth) {
  const bytes = Buffer.alloc(length * height)
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (length + 1)]
    for (let x = 0; x < length; x++) {
      const left = x < depth ? 0 : bytes[y * length + x - depth]
      const above = y === 0 ? 0 : bytes[(y - 1) * length + x]
      const corner = x < depth || y === 0 ? 0 : bytes[(y - 1) * length + x - depth]
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter]
      bytes[y * length + x] = rows[y * (length + 1) + 1 + x] + guess
    }
  }
  return bytes
}

function paeth(left, above, corner) {
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(left + above - corner - value))
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

/** The most frequent, then again and again the one that is farthest from all of them: a coloured dot has few pixels. */
function paletteOf(colours) {
  const counts = new Map()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const byCount = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a))
  const palette = byCount.slice(0, FREQUENT_COLOURS)
  const left = new Set(byCount.slice(FREQUENT_COLOURS))
  while (palette.length < MOST_COLOURS && left.size > 0) {
    const farthest = [...left]
      .map((colour) => [nearest(palette, colour).distance, colour])
      .sort(([a], [b]) => b - a)[0][1]
    palette.push(farthest)
    left.delete(farthest)
  }
  const indexOf = new Map(palette.map((colour, index) => [colour, index]))
  for (const colour of left) indexOf.set(colour, nearest(palette, colour).index)
  return { palette, indexOf }
}

function nearest(palette, colour) {
  const distances = palette.map((other) => [16, 8, 0].reduce((sum, bits) => sum + apart(other, colour, bits) ** 2, 0))
  const distance = Math.min(...distances)
  return { distance, index: distances.indexOf(distance) }
}

function apart(a, b, bits) {
  return ((a >> bits) & 255) - ((b >> bits) & 255)
}
