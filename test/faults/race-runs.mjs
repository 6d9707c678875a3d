// Starts the programs that a person's saves meet: many games in one process, one that is killed right after a save, and one
// that is stopped before each of its calls while others read.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from './bundled.mjs'
import { checkRace, prepareRace } from './races.mjs'
import { buildShim, cleanEnvironment, runFaulty, waitUntilStopped } from './tools.mjs'
import { entriesOf, openAs } from './workspace.mjs'

const worker = bundled('race-worker')

/** How many calls a write makes: a save may come before each, and after the last. */
export async function stepsOf(scenario, folder) {
  const [{ calls, problem }] = await playGames(scenario, folder, [])
  if (problem !== undefined) throw new Error(problem)
  return calls
}

/** Plays games in several processes, each one after the other; what came of them. */
export async function playAllGames(scenario, folder, games, lanes = 2) {
  const shares = Array.from({ length: lanes }, (_, lane) => games.filter((_, index) => index % lanes === lane))
  const played = await Promise.all(
    shares.filter((share) => share.length > 0).map((share) => playGames(scenario, folder, share)),
  )
  return played.flat()
}

async function playGames(scenario, folder, games) {
  const lane = join(folder, `lane-${games[0]?.manner ?? 'none'}-${games[0]?.at ?? 'none'}`)
  const child = start([worker, lane, scenario.name, 'batch'], {})
  child.stdin.end(JSON.stringify(games))
  const { status, signal, stdout, stderr } = await ended(child)
  if (status !== 0) throw new Error(`${scenario.name}: ended with ${status ?? signal}\n${stderr}`)
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Killed right after the save; then another process goes on. What was wrong, or nothing. */
export async function playKilled(scenario, folder, { at, manner }) {
  const root = join(folder, `killed-${manner}-${at}`)
  const { before, hand } = await prepareRace(scenario, root)
  const ran = await runFaulty({
    args: [worker, root, scenario.name, 'once'],
    root,
    at,
    mode: `edit:${manner}`,
    env: { FAULT_READS: '1', FAULT_EDIT_KILL: '1', FAULT_EDIT_FILE: join(root, scenario.file), FAULT_EDIT_TEXT: hand },
  })
  try {
    if (ran.signal !== 'SIGKILL') throw new Error(`was to be killed, but ended with ${ran.status}\n${ran.stderr}`)
    const acknowledged = ran.stdout.includes('ack')
    await checkRace(root, scenario, { before, hand, ours: undefined, acknowledged, exact: false })
    rmSync(root, { recursive: true })
    return undefined
  } catch (error) {
    const call = ran.calls[at]
    const where = call ? `${call.name} ${call.path.slice(root.length + 1)}` : 'the end'
    return `${scenario.name}: saved (${manner}) and killed before ${at} ${where}: ${error.stack}\nleft in ${root}`
  }
}

/** Readers look while a write stands still, before each of its calls in turn. What was wrong, and how many looks. */
export async function playStopped(scenario, folder) {
  const root = join(folder, 'stopped')
  await prepareRace(scenario, root)
  const old = await openAs(5, root)
  const before = await entriesOf(old.store)
  const child = start([worker, root, scenario.name, 'once'], { ROOT: root, MODE: 'stop', AT: '0', STICKY: '1' })
  const end = ended(child)
  const problems = []
  let looks = 0
  for (; await waitUntilStopped(child); child.kill('SIGCONT'), looks++) {
    const fresh = await openAs(6, root)
    for (const { store } of [old, fresh]) {
      const problem = await seenWrong(store, before, scenario)
      if (problem !== undefined) problems.push(`${scenario.name}: stopped before call ${looks}: ${problem}`)
    }
    await fresh.store.close()
  }
  const { status, stderr } = await end
  if (status !== 0) problems.push(`${scenario.name}: ended with ${status}\n${stderr}`)
  await old.store.close()
  return { problems, looks }
}

async function seenWrong(store, before, { weSay }) {
  const seen = await entriesOf(store)
  for (const { id, content } of before) {
    const found = seen.filter((entry) => entry.id === id)
    if (found.length !== 1) return `${found.length} entries, not one: ${JSON.stringify(seen)}`
    if (found[0].content !== content && found[0].content !== weSay) return `torn: ${found[0].content}`
  }
  const problems = await store.problems()
  return problems.length === 0 ? undefined : JSON.stringify(problems)
}

function start(args, settings) {
  const faults = Object.entries(settings).map(([key, value]) => [`FAULT_${key}`, value])
  const env = { ...cleanEnvironment(), ...Object.fromEntries(faults), LD_PRELOAD: buildShim().path }
  return spawn(process.execPath, args, { env, stdio: 'pipe' })
}

function ended(child) {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) => resolve({ status, signal, ...output }))
  })
}
