// Search: our engine against those that one would take otherwise, on the same passages, in one run, under one Node.
// Prints all that was measured, keeps it in bench/results for the chart, and gives the rows that have a bar.
import fs from 'node:fs'
import { corpusFile } from './search/corpus.mjs'
import { measure } from './search/measure.mjs'
import { ensurePackages, nodeForAll } from './search/own-packages.mjs'
import { printMeasured } from './search/report.mjs'
import { row } from './table.mjs'

const RESULTS = new URL('./results/', import.meta.url).pathname
const HELD_AT = 100_000

export async function benchSearch({ counts, ...size }) {
  const versions = ensurePackages()
  const { node, hasSqlite } = nodeForAll()
  if (!hasSqlite) console.error('bench: SQLite FTS5 is left out, for this Node has no node:sqlite')
  const names = ['keepsake', ...(hasSqlite ? ['fts5'] : []), 'minisearch', 'flexsearch', 'orama']
  const rows = []
  for (const count of counts) {
    const corpus = corpusFile(count)
    if (corpus.problem) {
      console.error(`bench: search is left out: ${corpus.problem}`)
      return []
    }
    const { engines, runtime } = await measure({ names, node, corpus: corpus.file, ...size })
    const { packages } = JSON.parse(fs.readFileSync(corpus.file, 'utf8'))
    const result = { count, packages, runtime, versions, engines }
    fs.mkdirSync(RESULTS, { recursive: true })
    fs.writeFileSync(`${RESULTS}search-${count}.json`, `${JSON.stringify(result, null, 2)}\n`)
    printMeasured(result)
    rows.push(...rowsOf(result))
  }
  return rows
}

function rowsOf({ count, engines }) {
  const { keepsake: ours, fts5, minisearch } = engines
  const at = `${count.toLocaleString('en')} passages`
  const bar = (value) => (count >= HELD_AT ? value : undefined)
  const query = ours.query[3].p50
  return [
    ...(fts5 ? [row(`3 terms, ${at}`, 'ms CPU', query, 'SQLite FTS5', fts5.query[3].p50, bar(1 / 20))] : []),
    row(`3 terms, ${at}`, 'ms CPU', query, 'MiniSearch', minisearch.query[3].p50, bar(1 / 40)),
    row(`load, ${at}`, 'ms CPU', ours.load.p50, 'MiniSearch', minisearch.load.p50, bar(1 / 5)),
    ...['add', 'replace', 'remove'].map((write) =>
      row(`${write} until searchable, ${at}`, 'ms CPU', ours[write].p50, 'a millisecond', 1, 1),
    ),
    row(
      `memory by loading, ${at}`,
      'MB',
      ours.grownBytes / 1e6,
      "its snapshot's size",
      ours.snapshotBytes / 1e6,
      bar(1.5),
    ),
  ]
}
