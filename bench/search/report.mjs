// All that was measured of all engines, as a table with a column for each.
import { printCells } from '../table.mjs'

export const LABELS = {
  keepsake: 'Keepsake',
  fts5: 'SQLite FTS5',
  minisearch: 'MiniSearch',
  flexsearch: 'FlexSearch',
  orama: 'Orama',
}

export function printMeasured({ count, packages, runtime, versions, engines }) {
  const all = Object.values(engines)
  const line = (what, cell) => [what, ...all.map(cell)]
  const times = (what, of) => line(what, (engine) => `${number(of(engine).p50)} (${number(of(engine).p95)})`)
  const peers = Object.entries({ sqlite: runtime.sqlite, ...versions }).map(([name, version]) => `${name} ${version}`)
  console.log(`\n${count.toLocaleString('en')} passages of about 60 words from ${packages.join(', ')}`)
  console.log(`node ${runtime.node}, ${peers.join(', ')}; median (95th percentile)`)
  printCells(
    ['', ...Object.keys(engines).map((name) => LABELS[name])],
    [
      line('build, ms CPU', ({ build }) => number(build)),
      ...[1, 3, 8].map((terms) => times(`query of ${terms}, ms CPU`, ({ query }) => query[terms])),
      times('add one, ms CPU', ({ add }) => add),
      times('replace one, ms CPU', ({ replace }) => replace),
      times('remove one, ms CPU', ({ remove }) => remove),
      line('snapshot, MB', ({ snapshotBytes }) => number(snapshotBytes / 1e6)),
      times('load to first answer, ms CPU', ({ load }) => load),
      line('memory by loading, MB', ({ grownBytes }) => number(grownBytes / 1e6)),
    ],
  )
  console.log(
    'FlexSearch does not rank by BM25, Orama takes each word as a prefix too; these two and MiniSearch do not stem.\n',
  )
}

/** Three digits that count. */
function number(value) {
  if (value >= 100) return value.toFixed(0)
  return value.toPrecision(value >= 1 ? 3 : 2)
}
