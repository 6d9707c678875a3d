// Vectors that behave as those of a sentence model do, from a seed: rows share what their topic, their subject and their
// twin have in common, the directions weigh as unequally as MiniLM's do, and no coordinate stands out. The numbers
// were fitted to 22,875 real vectors of all-MiniLM-L6-v2; docs/bench.md has both beside each other.
import { seeded } from '../seeded.mjs'

/** How many rows have one such ancestor in common, and the share of their squared length that comes from it. */
const LEVELS = [
  { rowsEach: Number.POSITIVE_INFINITY, share: 0.03 },
  { rowsEach: 2000, share: 0.19 },
  { rowsEach: 200, share: 0.2 },
  { rowsEach: 20, share: 0.14 },
  { rowsEach: 4, share: 0.12 },
]
const OWN_SHARE = 1 - LEVELS.reduce((sum, { share }) => sum + share, 0)

/** Some rows are nearly what their kin is, others quite their own: by how much the length of their own part differs. */
const LEAST_OWN = 0.6
const MOST_OWN = 1.5

/** @returns `rows` vectors of length one, and behind them `queries` more of the same mixture */
export function drawMixture({ rows, queries, dimensions, seed }) {
  const random = seeded(seed)
  const weights = directionWeights(dimensions)
  const families = drawFamilies(rows, weights, random)
  const turn = rotation(dimensions, random)
  const out = new Float32Array((rows + queries) * dimensions)
  for (let start = 0; start < out.length; start += dimensions) {
    const vector = drawOne(weights, random)
    scale(vector, Math.sqrt(OWN_SHARE) * (LEAST_OWN + random() * (MOST_OWN - LEAST_OWN)))
    add(vector, pick(families, random))
    turn(vector)
    scale(vector, 1 / lengthOf(vector))
    out.set(vector, start)
  }
  return out
}

/** The last level's: each is what its parent is, and something of its own. */
function drawFamilies(rows, weights, random) {
  let level = [new Float64Array(weights.length)]
  for (const { rowsEach, share } of LEVELS) {
    const parents = level
    level = Array.from({ length: Math.max(1, Math.round(rows / rowsEach)) }, () => {
      const vector = drawOne(weights, random)
      scale(vector, Math.sqrt(share))
      add(vector, pick(parents, random))
      return vector
    })
  }
  return level
}

/** What each direction adds to a vector's length: MiniLM's spectrum falls like this. */
function directionWeights(dimensions) {
  const variances = Array.from({ length: dimensions }, (_, index) => (index + 2) ** -0.55 * Math.exp(-index / 250))
  const sum = variances.reduce((total, variance) => total + variance, 0)
  return variances.map((variance) => Math.sqrt(variance / sum))
}

function drawOne(weights, random) {
  return Float64Array.from(weights, (weight) => weight * gaussian(random))
}

/**
 * An orthogonal map that spreads every direction over all coordinates: random signs, then butterflies over the largest
 * power of two that divides the dimensions, then a reflection across what is left. Twice, for once leaves a pattern.
 */
function rotation(dimensions, random) {
  const span = dimensions & -dimensions
  const parts = dimensions / span
  const signs = [0, 1].map(() => Float64Array.from({ length: dimensions }, () => (random() < 0.5 ? -1 : 1)))
  return (vector) => {
    for (const flips of signs) {
      for (let index = 0; index < dimensions; index++) vector[index] *= flips[index]
      butterflies(vector, span)
      reflectParts(vector, span, parts)
    }
  }
}

function butterflies(vector, span) {
  for (let half = 1; half < span; half *= 2) {
    for (let index = 0; index < vector.length; index++) {
      if (index & half) continue
      const [a, b] = [vector[index], vector[index + half]]
      vector[index] = (a + b) * Math.SQRT1_2
      vector[index + half] = (a - b) * Math.SQRT1_2
    }
  }
}

function reflectParts(vector, span, parts) {
  for (let index = 0; index < span; index++) {
    let sum = 0
    for (let part = 0; part < parts; part++) sum += vector[part * span + index]
    for (let part = 0; part < parts; part++) vector[part * span + index] -= (2 / parts) * sum
  }
}

function lengthOf(vector) {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
}

function scale(vector, factor) {
  for (let index = 0; index < vector.length; index++) vector[index] *= factor
}

function add(vector, other) {
  for (let index = 0; index < vector.length; index++) vector[index] += other[index]
}

function pick(values, random) {
  return values[Math.floor(random() * values.length)]
}

function gaussian(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
