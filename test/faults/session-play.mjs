// Plays one scenario of a session with one fault, and checks all that must hold afterwards. Used by session-sweep.ts and
// torture.mjs.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from './bundled.mjs'
import { describeFailure, gameFolder, playInLanes } from './games.mjs'
import { checkWorkspace, fingerprint } from './invariants.mjs'
import * as sessionAccount from './session-account.mjs'
import { KEY, LATER, must, WINDOW } from './session-account.mjs'
import { killAtEveryCall } from './snapshots.mjs'
import { runFaulty } from './tools.mjs'
import { openAs } from './workspace.mjs'

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
  mkdirSync(root, { mode: 0o700 })
  await as(1, root, (opened) => scenario.prepare(opened))
}

/** The calls that a scenario makes when nothing fails. */
export async function callsOf(scenario, folder, { mode } = {}) {
  const root = join(folder, 'counted')
  await prepare(scenario, root)
  const args = [worker, root, 'scenario', scenario.name]
  const { calls, status, stderr } = await runFaulty({ args, root, mode })
  if (status !== 0) throw new Error(`${scenario.name}: does not even work unharmed\n${stderr}`)
  rmSync(root, { recursive: true })
  return calls
}

/** One fault, in a process of its own. Resolves to the problem, if any. `once`: the process tries again and goes on. */
export async function play(game) {
  const { scenario, folder, at, mode, sticky = false, once = false } = game
  const root = join(folder, gameFolder(game))
  let ended
  try {
    await prepare(scenario, root)
    const args = [worker, root, 'scenario', scenario.name, ...(once ? ['retry'] : [])]
    ended = await runFaulty({ args, root, at, mode, sticky })
    await checkRun(root, ended, game)
    rmSync(root, { recursive: true })
    return undefined
  } catch (error) {
    return describeFailure(game, { root, ended, error })
  }
}

/** A kill at every call of a scenario in a folder, and in the middle of every write; see snapshots.mjs. */
export function playKills({ scenario, folder, counts }) {
  return killAtEveryCall({
    folder,
    counts,
    prepare: (root) => prepare(scenario, root),
    args: (root) => [worker, root, 'scenario', scenario.name],
    killForReal: (fault) => play({ scenario, folder, ...fault }),
    async check(root, ended, fault) {
      const game = { scenario, ...fault }
      try {
        await checkRun(root, ended, game)
        rmSync(root, { recursive: true })
        return undefined
      } catch (error) {
        return describeFailure(game, { root, ended, error })
      }
    },
  })
}

/** Checks what a run left; no `mode` means no fault. */
async function checkRun(root, ended, { scenario, mode, at, once = false }) {
  // Under load it may take fewer calls than were counted, and the kill never comes.
  const isKilled = mode?.startsWith('kill') && ended.calls.length > at
  must(isKilled ? ended.signal === 'SIGKILL' : ended.status === 0, `ended with ${ended.status ?? ended.signal}`)
  must(ended.syncedTwice.length === 0, `synced again after a failed sync: ${ended.syncedTwice}`)
  if (mode === undefined) await as(4, root, ({ memory }) => memory.session(KEY).append(LATER))
  else if (!once) await checkLeft(root, scenario, /^ack /m.test(ended.stdout))
  await checkEnd(root, scenario)
}

/** As it is found, which writes nothing; then another process calls again and goes on. */
async function checkLeft(root, scenario, isPromised) {
  const before = fingerprint(root)
  await as(3, root, async ({ memory }) => {
    await accountOf(scenario).checkFound(memory, scenario, isPromised)
    must(fingerprint(root) === before, 'reading wrote something')
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
export function playAll(games, lanes) {
  return playInLanes(games, play, lanes)
}
