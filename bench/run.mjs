// `npm run bench`: every number as a ratio to a peer or to the physical floor, measured in the same run.
//   NAME …            just these; `--only NAME` is the same
//   --quick           fewer rounds and smaller memories, for CI
//   --vectors FILE    vectors: take these rows of 384 32-bit floats in place of drawn ones
//   --chroma URL      vectors: ask this server in place of one that is started
import { parseArgs } from 'node:util'
import { benchCheck } from './check.mjs'
import { benchFile } from './file.mjs'
import { benchMcp } from './mcp.mjs'
import { benchPostgres } from './postgres.mjs'
import { benchRecall } from './recall.mjs'
import { benchRemember } from './remember.mjs'
import { benchSearch } from './search.mjs'
import { benchServe } from './serve.mjs'
import { benchStart } from './start.mjs'
import { printTable } from './table.mjs'
import { benchVectors } from './vectors.mjs'

const BENCHES = {
  remember: {
    run: benchRemember,
    quick: { rounds: 5, perRound: 20, large: 10_000 },
    full: { rounds: 20, perRound: 40, large: 100_000 },
  },
  file: {
    run: benchFile,
    quick: { entries: 10_000, rounds: 10, perRound: 20, opens: 3, purges: 2 },
    full: { entries: 100_000, rounds: 30, perRound: 20, opens: 5, purges: 3 },
  },
  check: { run: benchCheck, quick: { rounds: 5, files: 10_000 }, full: { rounds: 15, files: 10_000 } },
  start: { run: benchStart, quick: { rounds: 5 }, full: { rounds: 20 } },
  recall: { run: benchRecall, quick: { rounds: 5, entries: 10_000 }, full: { rounds: 20, entries: 10_000 } },
  mcp: { run: benchMcp, quick: { rounds: 5, entries: 10_000 }, full: { rounds: 20, entries: 10_000 } },
  serve: { run: benchServe, quick: { rounds: 10, entries: 10_000 }, full: { rounds: 30, entries: 10_000 } },
  search: {
    run: benchSearch,
    quick: { counts: [10_000], rounds: 3, queriesPerRound: 20, writesPerRound: 10, warmMs: 300, loads: 3 },
    full: { counts: [10_000, 100_000], rounds: 10, queriesPerRound: 12, writesPerRound: 20, warmMs: 1000, loads: 3 },
  },
  vectors: {
    run: benchVectors,
    quick: { rows: 10_000, rounds: 5, perRound: 10 },
    full: { rows: 100_000, rounds: 20, perRound: 10 },
  },
  postgres: {
    run: benchPostgres,
    quick: { rounds: 10, perRound: 20, concurrent: 60, changes: 10_000, agents: 100, perAgent: 200, opens: 3 },
    full: { rounds: 30, perRound: 40, concurrent: 200, changes: 100_000, agents: 1000, perAgent: 1000, opens: 5 },
  },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    only: { type: 'string', multiple: true, default: [] },
    vectors: { type: 'string' },
    chroma: { type: 'string' },
  },
})
const size = values.quick ? 'quick' : 'full'
const named = [...positionals, ...values.only]
const unknown = named.find((name) => !(name in BENCHES))
if (unknown !== undefined)
  throw new Error(`no bench is called ${unknown}; there are ${Object.keys(BENCHES).join(', ')}`)

const rows = []
for (const name of named.length > 0 ? named : Object.keys(BENCHES)) {
  rows.push(...(await BENCHES[name].run(BENCHES[name][size], values)))
}
console.log(`node ${process.version}, ${size}`)
printTable(rows)
