// Vectors that are drawn, not made: they take as long to search, and making them would take the model minutes. Each text has one of
// its own, by the order in which the texts come.
import { DIMENSIONS } from './vectors/data.mjs'
import { drawMixture } from './vectors/mixture.mjs'

const SEED = 20_261_116

/** Under the model's name, so that who loads the model finds vectors and makes none. */
export function drawnEmbed(most) {
  const vectors = drawMixture({ rows: most, queries: 0, dimensions: DIMENSIONS, seed: SEED })
  const places = new Map()
  const vectorOf = (text) => {
    const place = places.get(text) ?? places.size % most
    places.set(text, place)
    return vectors.slice(place * DIMENSIONS, (place + 1) * DIMENSIONS)
  }
  return { model: 'all-MiniLM-L6-v2', embed: async (texts) => texts.map(vectorOf), close: async () => undefined }
}
