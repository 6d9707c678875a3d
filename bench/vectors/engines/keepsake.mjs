// Ours. The setting is one in how many owners a filter lets through: 1 is all, and then there is no filter.
import { VectorIndex } from '../../../dist/search/vectors/vector-index.js'

const MOST = 10

export function open({ rows, dimensions, vectors }) {
  const index = new VectorIndex(dimensions)
  index.addAll(
    vectors,
    Uint32Array.from({ length: rows }, (_, row) => row),
  )
  return {
    top(query, oneIn) {
      const found = oneIn === 1 ? index.top(query, MOST) : index.top(query, MOST, (owner) => owner % oneIn === 0)
      return found.map(({ row }) => row)
    },
  }
}
