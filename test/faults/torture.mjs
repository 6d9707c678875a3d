// Every fault test at full size, each fault in a process of its own; takes hours. Prints each failure, a
// hung child included, with the command that repeats it, and goes on.
//   node test/faults/torture.mjs [--only NAME] [--seed N] [--kills N] [--cuts N]
// Names: scenarios, sessions, condensing, kills, cuts, lost, writers, lock, cli, file (all of it on a memory in one file).
// Exit 0 when all passed, 1 when something failed, 2 for a wrong option.
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { condenseTogether, killWhileThinking } from './condense-rounds.mjs'
import { condenseScenarios } from './condense-scenarios.mjs'
import { powerCuts } from './cuts.mjs'
import { fileScenarios } from './file-scenarios.mjs'
import { lostWrites } from './lost-writes.mjs'
import { callsOf, playAll, statesOf } from './play.mjs'
import { commandLines, firstUse, lockStress, randomKills, readMeanwhile, together } from './rounds.mjs'
import { scenarios } from './scenarios.mjs'
import { callsOf as callsOfSession, playAll as playAllSessions } from './session-play.mjs'
import { compactTogether, importTogether, talkTogether } from './session-rounds.mjs'
import { sessionScenarios } from './session-scenarios.mjs'
import { buildShim, loopDisk } from './tools.mjs'
import { scratchFolder } from './workspace.mjs'

const LANES = 4
/** A workspace grows with its kills, and its check with it: after so many a new one is begun. */
const KILLS_A_WORKSPACE = 500
const CUTS_A_DISK = 25

const KILLS = ['kill', 'kill-half', 'kill-after']
const ERRORS = ['ENOSPC', 'EROFS', 'EMFILE', 'EDQUOT', 'EIO', 'EACCES'].map((name) => `errno:${name}`)
const SHORTS = ['short', 'short:ENOSPC', 'short:EDQUOT', 'short:EIO']

const options = readOptions()
const results = { passed: 0, failed: 0 }
let part
const parts = { scenarios: playScenarios, sessions, condensing, kills, cuts, lost, writers, lock, cli, file }

if (options.only !== undefined && !Object.hasOwn(parts, options.only)) {
  console.error(`--only ${options.only} is none of ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}
console.log(`torture: seed ${options.seed}`)
for (const [name, run] of Object.entries(parts)) {
  if (options.only !== undefined && options.only !== name) continue
  const started = performance.now()
  part = name
  await run()
  console.log(`${name}: ${Math.round((performance.now() - started) / 1000)} s`)
}
console.log(`${results.passed} passed, ${results.failed} failed`)
process.exitCode = results.failed === 0 ? 0 : 1

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        kills: { type: 'string', default: '10000' },
        cuts: { type: 'string', default: '100' },
      },
    })
    const number = (text) => {
      if (!/^\d+$/.test(text)) throw new Error(`"${text}" is not a number`)
      return Number(text)
    }
    return {
      only: values.only,
      seed: number(values.seed),
      kills: number(values.kills),
      cuts: number(values.cuts),
    }
  } catch (error) {
    console.error(error.message)
    process.exit(2)
  }
}

/** Runs one piece of work; a failure is printed and counted. */
async function attempt(name, run) {
  try {
    const told = await run()
    results.passed++
    if (told !== undefined) console.log(`  ${name}: ${told}`)
  } catch (error) {
    fail(`${name}: ${error.stack}`)
  }
}

function fail(problem) {
  results.failed++
  console.log(`  FAILED ${problem}`)
  console.log(`  repeat with: node test/faults/torture.mjs --only ${part} --seed ${options.seed}`)
}

async function playScenarios(all = scenarios, store = 'folder') {
  const shim = buildShim()
  if ('missing' in shim) return console.log(`  SKIPPED: ${shim.missing}`)
  for (const scenario of all) {
    await playGames(scenario, playAll, async (folder) => {
      const states = await statesOf(scenario, folder, store)
      return gamesOf({ scenario, states, folder, store }, (options) => callsOf(scenario, folder, { store, ...options }))
    })
  }
}

async function sessions() {
  const shim = buildShim()
  if ('missing' in shim) return console.log(`  SKIPPED: ${shim.missing}`)
  await playSessions(sessionScenarios)
  for (let round = 0; round < 20; round++) {
    const seed = options.seed + round
    await attempt('compactions at once', () => compactTogether({ processes: 2 + (round % 7), rounds: 20 }))
    await attempt(`talk, seed ${seed}`, async () => {
      const { killed, exchanges, compactions } = await talkTogether({ lanes: LANES, count: 20, kills: 12, seed })
      return `${killed} kills, ${exchanges} exchanges acknowledged, ${compactions} compactions`
    })
    await attempt(`imports, seed ${seed}`, async () => {
      return `${await importTogether({ processes: 3, count: 80, step: 5, kills: 6, seed })} kills`
    })
  }
}

async function condensing() {
  const shim = buildShim()
  if ('missing' in shim) return console.log(`  SKIPPED: ${shim.missing}`)
  await playSessions(condenseScenarios)
  await attempt('killed while the model thinks', () => killWhileThinking())
  for (let round = 0; round < 40; round++) {
    const seed = options.seed + round
    await attempt(`condensing at once, seed ${seed}`, async () => {
      return `${await condenseTogether({ processes: 2 + (round % 3), sessions: 8, kills: 2, seed })} kills`
    })
  }
}

async function playSessions(all) {
  for (const scenario of all) {
    await playGames(scenario, playAllSessions, (folder) => {
      return gamesOf({ scenario, folder }, ({ mode }) => callsOfSession(scenario, folder, { mode }))
    })
  }
}

/** All games of a scenario. Where they can't even be listed, that counts as one failure. */
async function playGames(scenario, playAllOf, list) {
  const folder = scratchFolder('torture')
  try {
    const games = await list(folder)
    const problems = await playAllOf(games, LANES)
    for (const problem of problems) fail(problem)
    results.passed += games.length - problems.length
    if (problems.length === 0) rmSync(folder, { recursive: true, force: true })
    console.log(`  ${scenario.name}: ${games.length} faults, ${problems.length} failed`)
  } catch (error) {
    fail(`the games of "${scenario.name}", left in ${folder}: ${error.stack}`)
  }
}

/** A process that is refused tries again and goes on, and so makes more calls that can fail. */
async function gamesOf(game, callsIn) {
  const all = await callsIn({})
  const more = await callsIn({ once: true })
  const opens = await callsIn({ mode: 'errno:EMFILE' })
  const games = []
  for (const mode of [...KILLS, ...ERRORS, ...SHORTS]) {
    const calls = mode === 'errno:EMFILE' ? opens : KILLS.includes(mode) ? all : more
    const onlyWrites = mode === 'kill-half' || mode.startsWith('short')
    const met = onlyWrites ? calls.filter(({ name }) => name === 'write' || name === 'pwrite') : calls
    for (const { index } of met) {
      const one = { ...game, at: index, mode }
      if (mode.startsWith('kill')) games.push(one)
      else games.push({ ...one, once: true }, { ...one, sticky: true })
    }
  }
  return games
}

async function kills(store = 'folder') {
  const shim = buildShim()
  if ('missing' in shim) return console.log(`  SKIPPED: ${shim.missing}`)
  for (let done = 0; done < options.kills; done += KILLS_A_WORKSPACE) {
    const seed = options.seed + done
    const wanted = Math.min(KILLS_A_WORKSPACE, options.kills - done)
    await attempt(`kills, seed ${seed}`, async () => {
      const { killed, acknowledged } = await randomKills({ kills: wanted, lanes: LANES, seed, checkEvery: 100, store })
      return `${killed} kills, ${acknowledged} writes acknowledged`
    })
  }
}

async function cuts(store = 'folder') {
  for (let done = 0; done < options.cuts; done += CUTS_A_DISK) {
    const disk = loopDisk(64)
    if ('missing' in disk) return console.log(`  SKIPPED: ${disk.missing}`)
    const seed = options.seed + done
    const wanted = Math.min(CUTS_A_DISK, options.cuts - done)
    try {
      await attempt(`cuts, seed ${seed}`, async () => {
        return `${wanted} power cuts, ${await powerCuts({ disk, cuts: wanted, seed, store })} writes acknowledged`
      })
    } finally {
      disk.free()
    }
  }
}

async function lost() {
  for (let round = 0; round < 5000; round++) {
    const seed = options.seed + round
    await attempt(`lost writes, seed ${seed}`, () => lostWrites({ seed, steps: 4 + (round % 40) }))
  }
}

async function writers(store = 'folder') {
  await attempt('first uses', () => firstUse({ processes: 4, rounds: 50, store }))
  for (let round = 0; round < 10; round++) {
    const seed = options.seed + round
    await attempt(`writers, seed ${seed}`, async () => {
      const acknowledged = await together({ writers: 8, count: 200, kills: 3, seed, store, onDisk: true })
      return `${acknowledged} writes acknowledged`
    })
  }
}

async function lock() {
  for (let round = 0; round < 20; round++) {
    await attempt('lock', () => lockStress({ processes: 8, count: 200 }))
  }
}

async function cli(store = 'folder') {
  await attempt('command lines', async () => {
    return `${await commandLines({ processes: 8, count: 200, store })} writes acknowledged`
  })
}

async function file() {
  await playScenarios(fileScenarios, 'file')
  for (const part of [kills, cuts, writers, cli]) await part('file')
  await attempt('readers', async () => `${await readMeanwhile({ writers: 4, count: 200, store: 'file' })} reads`)
}
