// All that was measured of all that were asked, with how many of the true nearest each finds, and what the data is.
import { median, printCells } from '../table.mjs'
import { DIMENSIONS, MOST } from './data.mjs'

export function printMeasured({ data, measured, programs, versions }) {
  const cosine = (rank) => median(data.nearest.map((found) => found[rank - 1].cosine)).toFixed(2)
  const peers = ['sqlite-vec', 'hnswlib-node', 'chromadb'].map((name) => `${name} ${versions[name]}`)
  console.log(`\n${data.rows.toLocaleString('en')} vectors of ${DIMENSIONS}, ${data.label}; ${data.queries} queries,`)
  console.log(`whose nearest has a cosine of ${cosine(1)} and whose tenth ${cosine(MOST)}, in the median`)
  console.log(`node ${programs.keepsake.node}, ${peers.join(', ')}; median (95th percentile)`)
  printCells(
    ['', `of the true ${MOST}`, 'query, ms CPU', 'query, ms wall', 'build, s CPU'],
    Object.values(measured).map(({ name, label, by, recall, cpu, wall }) => [
      label,
      recall === undefined ? '' : recall.toFixed(3),
      by === 'cpu' ? times(cpu) : '',
      times(wall),
      by === 'cpu' ? (programs[name].buildMs / 1000).toFixed(2) : '',
    ]),
  )
  console.log(measured.chroma ? 'Chroma is asked over HTTP.\n' : '')
}

function times({ p50, p95 }) {
  return `${p50.toFixed(3)} (${p95.toFixed(3)})`
}
