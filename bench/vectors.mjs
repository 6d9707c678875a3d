// Nearest vectors: our exact scan against a C loop over the same rows, against sqlite-vec, and beside hnswlib and Chroma, which are
// approximate and so are told with how many of the true ten they find. All take turns on the same queries.

import { chromaServer } from './chroma-server.mjs'
import { ensurePackages, nodeForAll } from './search/own-packages.mjs'
import { median, percentile, row } from './table.mjs'
import { compileHnsw, compileScan } from './vectors/compile.mjs'
import { DIMENSIONS, MOST, vectorData } from './vectors/data.mjs'
import { startProgram } from './vectors/program.mjs'
import { printMeasured } from './vectors/report.mjs'

const WORKER = new URL('./vectors/worker.mjs', import.meta.url).pathname
const HELD_AT = 100_000

/**
 * `name`: of the program that is asked; `setting`: its file says what that means. `exact`: anything but the true ten is an error.
 * `by`: the time that says something; a server's CPU time is not known to who asks it.
 */
const ASKED = {
  ours: { name: 'keepsake', setting: 1, label: 'Keepsake', by: 'cpu', exact: true },
  filtered: { name: 'keepsake', setting: 10, label: 'Keepsake, a tenth let through', by: 'cpu', sees: 'a part' },
  scan: { name: 'scan', setting: 0, label: 'C loop', by: 'cpu', exact: true },
  sqliteVec: { name: 'sqlite-vec', setting: 0, label: 'sqlite-vec', by: 'cpu', exact: true },
  hnsw: { name: 'hnsw', setting: 10, label: 'hnswlib, ef 10 (its default)', by: 'cpu' },
  hnswRaised: { name: 'hnsw', setting: 200, label: 'hnswlib, ef 200', by: 'cpu' },
  chroma: { name: 'chroma', setting: 100, label: 'Chroma, ef_search 100 (its default)', by: 'wall' },
  chromaRaised: { name: 'chroma', setting: 1000, label: 'Chroma, ef_search 1000', by: 'wall' },
}

export async function benchVectors({ rounds, perRound, ...sizes }, { vectors, chroma } = {}) {
  const versions = ensurePackages()
  const data = vectorData({ rows: sizes.rows, queries: rounds * perRound, given: vectors })
  const { node, hasSqlite } = nodeForAll()
  const server = await chromaServer({ address: chroma, node })
  const programs = {}
  try {
    for (const [name, command] of Object.entries(commandsOf({ data, node, hasSqlite, server }))) {
      try {
        programs[name] = await started(name, command, data.rows)
      } catch (error) {
        if (name === 'keepsake') throw error
        console.error(`bench: ${name} is LEFT OUT: ${error.message}`)
      }
    }
    const asked = Object.entries(ASKED).filter(([, { name }]) => programs[name])
    const measured = await inTurns(asked, programs, { rounds, perRound, data })
    printMeasured({ data, measured, programs, versions })
    return rowsOf(data.rows, measured)
  } finally {
    for (const program of Object.values(programs)) await program.stop()
    await server.stop?.()
  }
}

function started(name, command, rows) {
  if (command.problem) throw new Error(command.problem)
  console.error(`bench: ${name} takes in ${rows} vectors`)
  return startProgram(...command)
}

function commandsOf({ data, node, hasSqlite, server }) {
  const about = [data.file, data.rows, DIMENSIONS].map(String)
  const compiled = ({ program, problem }) => (problem ? { problem } : [program, about])
  const worker = (name, ...more) => [node, [WORKER, name, ...about, ...more]]
  return {
    keepsake: worker('keepsake'),
    scan: compiled(compileScan()),
    'sqlite-vec': hasSqlite ? worker('sqlite-vec') : { problem: 'this Node has no node:sqlite' },
    hnsw: compiled(compileHnsw()),
    chroma: server.problem ? server : worker('chroma', server.address),
  }
}

/** The first round warms up: it is asked twice, and only the second time counts. */
async function inTurns(asked, programs, { rounds, perRound, data }) {
  const answers = Object.fromEntries(asked.map(([key]) => [key, []]))
  for (let round = -1; round < rounds; round++) {
    for (const [key, { name, setting }] of asked) {
      const given = await programs[name].ask(setting, Math.max(round, 0) * perRound, perRound)
      if (round >= 0) answers[key].push(...given)
    }
  }
  return Object.fromEntries(asked.map(([key]) => [key, summary(ASKED[key], answers[key], data.nearest)]))
}

function summary({ name, label, by, exact, sees }, answers, nearest) {
  const found = answers.map(({ rows }, query) => nearest[query].filter(({ row }) => rows.includes(row)).length)
  const recall = sees
    ? undefined
    : found.reduce((sum, count) => sum + Math.min(count, MOST), 0) / (MOST * answers.length)
  if (exact && recall < 1) throw new Error(`${label} finds ${recall} of the nearest, and should find all`)
  const of = (times) => ({ p50: median(times), p95: percentile(times, 0.95) })
  const [cpu, wall] = [of(answers.map(({ cpuMs }) => cpuMs)), of(answers.map(({ wallMs }) => wallMs))]
  return { name, label, by, recall, cpu, wall }
}

function rowsOf(rows, { ours, filtered, ...others }) {
  const what = `nearest ${MOST}, ${rows.toLocaleString('en')} x ${DIMENSIONS}`
  const unit = { cpu: 'ms CPU', wall: 'ms wall' }
  const bars = rows >= HELD_AT ? { scan: 1.3, sqliteVec: 1 } : {}
  const against = ([key, { label, by, recall }]) =>
    row(
      what,
      unit[by],
      ours[by].p50,
      recall < 1 ? `${label}: ${recall.toFixed(3)} found` : label,
      others[key][by].p50,
      bars[key],
    )
  return [
    ...Object.entries(others).map(against),
    row(`${what}, a tenth let through`, 'ms CPU', filtered.cpu.p50, 'all let through', ours.cpu.p50),
  ]
}
