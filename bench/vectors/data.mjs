// The rows and the queries that all engines get, in one file, and which rows are nearest to each query by a plain scan in double
// precision. Both are kept in bench/.cache.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { drawMixture } from './mixture.mjs'

const CACHE = new URL('../.cache/', import.meta.url).pathname
const SEED = 20_261_116

export const DIMENSIONS = 384
export const MOST = 10

/** Cosines nearer to each other than this differ only by the order of additions in single precision. */
const SAME = 1e-6

/** `given`: a file of vectors to take in place of drawn ones; so many of them, evenly, become the queries. */
export function vectorData({ rows, queries, given }) {
  fs.mkdirSync(CACHE, { recursive: true })
  const { file, rows: count, label } = given ? fromGiven(given, queries) : drawn(rows, queries)
  return { file, rows: count, queries, label, nearest: nearestOf(file, count, queries) }
}

function drawn(rows, queries) {
  const version = createHash('sha256').update(fs.readFileSync(new URL('./mixture.mjs', import.meta.url)))
  const file = path.join(CACHE, `vectors-${rows}-${queries}-${version.digest('hex').slice(0, 8)}.f32`)
  if (!fs.existsSync(file)) {
    console.error(`bench: drawing ${rows} vectors`)
    write(file, drawMixture({ rows, queries, dimensions: DIMENSIONS, seed: SEED }))
  }
  return { file, rows, label: 'drawn from a seed so that they behave as those of MiniLM' }
}

function fromGiven(given, queries) {
  const vectors = floatsOf(given)
  const all = vectors.length / DIMENSIONS
  const asked = new Set(Array.from({ length: queries }, (_, index) => Math.floor((index * all) / queries)))
  const order = [...Array(all).keys()].sort((a, b) => asked.has(a) - asked.has(b) || a - b)
  const sorted = new Float32Array(vectors.length)
  for (const [to, from] of order.entries()) sorted.set(at(vectors, from), to * DIMENSIONS)
  const hash = createHash('sha256').update(new Uint8Array(sorted.buffer)).digest('hex').slice(0, 8)
  const file = path.join(CACHE, `vectors-given-${queries}-${hash}.f32`)
  write(file, sorted)
  return { file, rows: all - queries, label: `given in ${path.basename(given)}` }
}

/** Of each query: the rows from the nearest on and their cosines; more than `MOST` where the last of these has equals. */
function nearestOf(file, rows, queries) {
  const known = file.replace(/f32$/, 'json')
  if (!fs.existsSync(known)) {
    console.error('bench: which rows are nearest, by a plain scan')
    const vectors = floatsOf(file)
    const found = Array.from({ length: queries }, (_, query) => scan(vectors, rows, at(vectors, rows + query)))
    fs.writeFileSync(`${known}.new`, JSON.stringify(found))
    fs.renameSync(`${known}.new`, known)
  }
  return JSON.parse(fs.readFileSync(known, 'utf8'))
}

function scan(vectors, rows, query) {
  const cosines = new Float64Array(rows)
  for (let row = 0; row < rows; row++) cosines[row] = dot(vectors, row * DIMENSIONS, query)
  const floor = Float64Array.from(cosines).sort()[Math.max(0, rows - MOST)]
  const best = [...cosines.keys()].filter((row) => cosines[row] >= floor - SAME)
  return best.sort((a, b) => cosines[b] - cosines[a] || a - b).map((row) => ({ row, cosine: cosines[row] }))
}

function dot(vectors, start, query) {
  let sum = 0
  for (let index = 0; index < DIMENSIONS; index++) sum += vectors[start + index] * query[index]
  return sum
}

function at(vectors, index) {
  return vectors.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS)
}

function floatsOf(file) {
  const bytes = fs.readFileSync(file)
  if (bytes.length === 0 || bytes.length % (4 * DIMENSIONS) !== 0) {
    throw new Error(`${file} is not a list of vectors of ${DIMENSIONS} 32-bit floats`)
  }
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

function write(file, vectors) {
  fs.writeFileSync(`${file}.new`, new Uint8Array(vectors.buffer))
  fs.renameSync(`${file}.new`, file)
}
