// Plays one scenario of a session with one fault, on a folder or on one file, and checks all that must hold afterwards. Used by sessions.test.ts,
// condensing.test.ts and torture.mjs.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from './bundled.mjs'
import { checkWorkspace, fingerprint } from './invariants.mjs'
import * as sessionAccount from './session-account.mjs'
import { KEY, LATER, must, WINDOW } from './session-account.mjs'
import { runFaulty } from './tools.mjs'
import { folderOf, openAs, rootIn } from './workspace.mjs'

const worker = bundled('session-worker')

const accountOf = ({ account = sessionAccount }) => account

/** Opens, runs, closes. */
async function as(n, root, run) {
  const opened = await openAs(n, root, {}, WINDOW)
  try {
    return await run(opened)
  } finally {
    await opened.store.close()
  }
}

async function prepare(scenario, root) {
  mkdirSync(folderOf(root), { mode: 0o700 })
  await as(1, root, (opened) => scenario.prepare(opened))
}

/** The calls that a scenario makes when nothing fails; that it does what it says is checked with it. */
export async function callsOf(scenario, folder, { mode, store } = {}) {
  const root = rootIn(join(folder, 'counted'), store)
  await prepare(scenario, root)
  const args = [worker, root, 'scenario', scenario.name]
  const { calls, status, stderr } = await runFaulty({ args, root: folderOf(root), mode })
  if (status !== 0) throw new Error(`${scenario.name}: does not even work unharmed\n${stderr}`)
  await as(4, root, ({ memory }) => memory.session(KEY).append(LATER))
  await checkEnd(root, scenario)
  rmSync(folderOf(root), { recursive: true })
  return calls
}

/** One fault. Resolves to what was wrong, or to nothing. `once`: the same process tries again and goes on. */
export async function play({ scenario, folder, store, at, mode, sticky = false, once = false }) {
  const root = rootIn(join(folder, `${mode.replace(':', '-')}-${at}${sticky ? '-sticky' : ''}`), store)
  await prepare(scenario, root)
  const args = [worker, root, 'scenario', scenario.name, ...(once ? ['retry'] : [])]
  const ended = await runFaulty({ args, root: folderOf(root), at, mode, sticky })
  try {
    // Under load it may take fewer calls than were counted, and the kill never comes.
    const isKilled = mode.startsWith('kill') && ended.calls.length > at
    must(isKilled ? ended.signal === 'SIGKILL' : ended.status === 0, `ended with ${ended.status ?? ended.signal}`)
    must(ended.syncedTwice.length === 0, `synced again after a failed sync: ${ended.syncedTwice}`)
    if (!once) await checkLeft(root, scenario, /^ack /m.test(ended.stdout))
    await checkEnd(root, scenario)
    rmSync(folderOf(root), { recursive: true })
    return undefined
  } catch (error) {
    const call = ended.calls[at]
    const fault = `${mode}${sticky ? ' (sticky)' : ''} at call ${at} (${call?.name} ${call?.path.slice(folderOf(root).length + 1)})`
    return `${scenario.name}: ${fault}: ${error.stack}\nleft in ${root}\n${ended.stdout.slice(0, 2000)}${ended.stderr}`
  }
}

/** As it is found, which writes nothing; then another process calls again and goes on. */
async function checkLeft(root, scenario, isPromised) {
  const before = fingerprint(folderOf(root))
  await as(3, root, async ({ memory }) => {
    await accountOf(scenario).checkFound(memory, scenario, isPromised)
    must(fingerprint(folderOf(root)) === before, 'reading wrote something')
  })
  await as(4, root, async (opened) => {
    await (scenario.again ?? scenario.step)(opened, scenario)
    await opened.memory.session(KEY).append(LATER)
  })
}

async function checkEnd(root, scenario) {
  await as(5, root, ({ memory }) => accountOf(scenario).checkAfter(memory, scenario))
  await checkWorkspace(root, { n: 6 })
}

/** Plays several at once; what was wrong. A workspace that failed is left to be looked at. */
export async function playAll(games, lanes = 4) {
  const rest = [...games]
  const problems = []
  const lane = async () => {
    for (let game = rest.shift(); game; game = rest.shift()) {
      const problem = await play(game)
      if (problem !== undefined) problems.push(problem)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return problems
}
