// All engines on one set of passages. They take turns, so that the machine's noise meets all alike: each is built, then
// they are asked and written to in rounds, and at last each is loaded in fresh processes.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { median, percentile } from '../table.mjs'
import { startEngine } from './engine-process.mjs'
import { drawQueries } from './queries.mjs'

/** @returns what ran them, and by engine: build, query (by number of terms), add, replace, remove, load and sizes */
export async function measure({ names, node, corpus, ...size }) {
  const { passages } = JSON.parse(fs.readFileSync(corpus, 'utf8'))
  const queries = drawQueries(passages, { measured: size.rounds * size.queriesPerRound, warmup: 40 })
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-'))
  const engines = []
  try {
    const out = Object.fromEntries(names.map((name) => [name, {}]))
    for (const name of names) engines.push(await startEngine({ name, node, corpus }))
    for (const engine of engines) out[engine.name].build = await build(engine)
    await measureQueries(engines, queries, size, out)
    await measureWrites(engines, passages.length, size, out)
    for (const engine of engines) {
      out[engine.name].snapshotBytes = await engine.run('save', { file: path.join(folder, engine.name) })
      engine.stop()
    }
    await measureLoads(names, node, folder, queries.measured[3][0], size.loads, out)
    return { runtime: engines[0].runtime, engines: out }
  } finally {
    for (const engine of engines) engine.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function build(engine) {
  console.error(`bench: building the index of ${engine.name}`)
  return engine.run('build')
}

async function measureQueries(engines, { measured, warmup }, { rounds, queriesPerRound, warmMs }, out) {
  for (const { name } of engines) out[name].query = {}
  for (const [terms, queries] of Object.entries(measured)) {
    console.error(`bench: queries of ${terms}`)
    for (const engine of engines) await engine.run('warm', { queries: warmup[terms], forMs: warmMs })
    const times = await inTurns(engines, rounds, (engine, round) =>
      engine.run('query', { queries: queries.slice(round * queriesPerRound, (round + 1) * queriesPerRound) }),
    )
    for (const { name } of engines) out[name].query[terms] = summary(times[name].flat())
  }
}

async function measureWrites(engines, firstId, { rounds, writesPerRound }, out) {
  console.error('bench: writes')
  const times = await inTurns(engines, rounds + 1, (engine, round) =>
    engine.run('write', { first: firstId + round * writesPerRound, count: writesPerRound }),
  )
  for (const { name } of engines) {
    const [, ...warm] = times[name]
    for (const kind of ['add', 'replace', 'remove']) out[name][kind] = summary(warm.flatMap((round) => round[kind]))
  }
}

/** Adds `load` and `grownBytes` to each name of `out`; the file of each is called as it is. */
async function measureLoads(names, node, folder, words, rounds, out) {
  console.error('bench: loads')
  const loaders = names.map((name) => ({ name }))
  const times = await inTurns(loaders, rounds, async ({ name }) => {
    const engine = await startEngine({ name, node })
    return engine.run('load', { file: path.join(folder, name), words }).finally(engine.stop)
  })
  for (const name of names) {
    out[name].load = summary(times[name].map(({ ms }) => ms))
    out[name].grownBytes = median(times[name].map(({ grownBytes }) => grownBytes))
  }
}

/** @returns by engine, what each round gave */
async function inTurns(engines, rounds, run) {
  const out = Object.fromEntries(engines.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const engine of engines) out[engine.name].push(await run(engine, round))
  }
  return out
}

function summary(times) {
  return { p50: median(times), p95: percentile(times, 0.95) }
}
