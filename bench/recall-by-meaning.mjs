// Recalling by words and meaning. In one process, against words alone, with and without the model's part; and as a command that asks a
// running server, against a command that searches by words itself.
import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { openMemory } from '../dist/index.js'
import { drawnEmbed } from './drawn-embed.mjs'
import { whileServing } from './mcp/first-answer.mjs'
import { processCpuMs } from './process-cpu.mjs'
import { median, row } from './table.mjs'

const CLI = new URL('../dist/cli/main.js', import.meta.url).pathname
const SERVER_READY_MS = 60_000

export async function recallByMeaningRows({ workspace, queries, entries }) {
  const asked = queries.map((words) => words.join(' '))
  const at = `at ${entries.toLocaleString('en')} entries`
  const rows = await inOneProcess({ workspace, asked, entries, at })
  const problem = await modelProblem(workspace, asked[0])
  if (problem) {
    console.error(`bench: recall by meaning with a model is LEFT OUT: ${problem}`)
    return rows
  }
  return [...rows, ...(await withModel({ workspace, asked, at })), ...(await throughServer({ workspace, asked, at }))]
}

async function inOneProcess({ workspace, asked, entries, at }) {
  const memory = await openMemory({ workspace, embed: drawnEmbed(2 * entries) })
  try {
    const { pending } = await memory.embed()
    if (pending > 0) throw new Error(`${pending} entries have no vectors`)
    const taken = await inModes(memory, asked, cpuMs)
    return [
      row(`hybrid recall in a process ${at}, without the model`, 'ms CPU', taken.hybrid, 'by words', taken.lexical),
    ]
  } finally {
    await memory.close()
  }
}

/** The model runs beside this process, so it is the wall time that tells. */
async function withModel({ workspace, asked, at }) {
  const memory = await openMemory({ workspace })
  try {
    const taken = await inModes(memory, asked, wallMs)
    return [
      row(`hybrid recall in a process ${at}, the model at work`, 'ms wall', taken.hybrid, 'by words', taken.lexical),
    ]
  } finally {
    await memory.close()
  }
}

/** Medians by mode. All is asked once before, to warm up; each question then is new to what remembers the last ones. */
async function inModes(memory, asked, measure) {
  const taken = { lexical: [], hybrid: [] }
  for (const isWarm of [false, true]) {
    for (const query of asked) {
      for (const mode of Object.keys(taken)) {
        const ms = await measure(() => memory.search(isWarm ? `${query} again` : query, { mode }))
        if (isWarm) taken[mode].push(ms)
      }
    }
  }
  return { lexical: median(taken.lexical), hybrid: median(taken.hybrid) }
}

function throughServer({ workspace, asked, at }) {
  const recall = (query) => [CLI, 'recall', query, '--workspace', workspace]
  return whileServing([CLI, 'mcp', '--workspace', workspace], 'legacy', asked[0], async () => {
    await untilServed(recall(asked[0]))
    const taken = { served: [], floor: [], servedWall: [], wordsWall: [] }
    for (const query of asked) {
      taken.servedWall.push(await wallMs(() => taken.served.push(processCpuMs(recall(query)))))
      taken.wordsWall.push(await wallMs(() => processCpuMs([...recall(query), '--mode', 'lexical'])))
      taken.floor.push(processCpuMs(['-e', '0']))
    }
    const [what, of] = [`keepsake recall ${at}, by a server`, (name) => median(taken[name])]
    return [
      row(what, 'ms CPU', of('served'), 'node -e 0', of('floor'), 5),
      row(what, 'ms wall', of('servedWall'), 'by words, without it', of('wordsWall')),
    ]
  })
}

/** It answers others only when its model is loaded. */
async function untilServed(recall) {
  for (const until = Date.now() + SERVER_READY_MS; ; await delay(500)) {
    const { stdout, stderr } = spawnSync(process.execPath, [...recall, '--json'], { encoding: 'utf8' })
    if (JSON.parse(stdout).searched.mode === 'hybrid') return
    if (Date.now() > until) throw new Error(`no server answers by meaning: ${stdout}${stderr}`)
  }
}

async function modelProblem(workspace, query) {
  const memory = await openMemory({ workspace })
  try {
    await memory.search(query, { mode: 'hybrid' })
  } catch (error) {
    if (error.code !== 'NO_EMBEDDINGS') throw error
    return error.message
  } finally {
    await memory.close()
  }
}

async function cpuMs(run) {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function wallMs(run) {
  const before = performance.now()
  await run()
  return performance.now() - before
}
