// Plays one scenario with one fault, on a folder or on one file, and checks all that must hold afterwards. Used by
// exhaustive.ci.test.ts, one-file.ci.test.ts and torture.mjs.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from './bundled.mjs'
import { describeFailure, gameFolder, playInLanes } from './games.mjs'
import { checkWorkspace } from './invariants.mjs'
import { killAtEveryCall } from './snapshots.mjs'
import { runFaulty } from './tools.mjs'
import { folderOf, isOneFile, openAs, rootIn, stateOf } from './workspace.mjs'

const worker = bundled('worker')

async function prepare(scenario, root) {
  mkdirSync(folderOf(root), { mode: 0o700 })
  const opened = await openAs(1, root)
  await scenario.prepare?.(opened)
  await opened.store.close()
}

/** The memory before the first step and after each: what a reader may find, and nothing in between. */
export async function statesOf(scenario, folder, store) {
  const root = rootIn(join(folder, 'reference'), store)
  await prepare(scenario, root)
  const opened = await openAs(2, root)
  const states = [await stateOf(opened.store)]
  for (const step of scenario.steps) {
    await step(opened)
    states.push(await stateOf(opened.store))
  }
  await opened.memory.remember('After the fault.', { name: 'After' })
  states.push(await stateOf(opened.store))
  await opened.store.close()
  rmSync(folderOf(root), { recursive: true })
  return states
}

/** The calls that a scenario makes when nothing fails; `once` as in play. */
export async function callsOf(scenario, folder, { mode, store, once = false } = {}) {
  const root = rootIn(join(folder, 'counted'), store)
  await prepare(scenario, root)
  const args = [worker, root, 'scenario', scenario.name, ...(once ? ['retry'] : [])]
  const { calls, status, stderr } = await runFaulty({ args, root: folderOf(root), mode })
  if (status !== 0) throw new Error(`${scenario.name}: does not even work unharmed\n${stderr}`)
  rmSync(folderOf(root), { recursive: true })
  return calls
}

/**
 * One fault, in a process of its own. Resolves to the problem, if any. `once`: the fault passes, so that the same
 * process must succeed when it tries again, and with a further write.
 */
export async function play(game) {
  const { scenario, folder, store, at, mode, sticky = false, once = false } = game
  const root = rootIn(join(folder, gameFolder(game)), store)
  let ended
  try {
    await prepare(scenario, root)
    const args = [worker, root, 'scenario', scenario.name, ...(once ? ['retry'] : [])]
    ended = await runFaulty({ args, root: folderOf(root), at, mode, sticky })
    await checkLeft(root, ended, game)
    rmSync(folderOf(root), { recursive: true })
    return undefined
  } catch (error) {
    return describeFailure(game, { root, ended, error })
  }
}

/** A kill at every call of a scenario in a folder, and in the middle of every write; see snapshots.mjs. */
export function playKills({ scenario, states, folder, counts }) {
  return killAtEveryCall({
    folder,
    counts,
    prepare: (root) => prepare(scenario, root),
    args: (root) => [worker, root, 'scenario', scenario.name],
    killForReal: (fault) => play({ scenario, states, folder, ...fault }),
    async check(root, ended, fault) {
      const game = { scenario, states, ...fault }
      try {
        await checkLeft(root, ended, game)
        rmSync(root, { recursive: true })
        return undefined
      } catch (error) {
        return describeFailure(game, { root, ended, error })
      }
    },
  })
}

/** Checks what a run left; no `mode` means no fault. */
async function checkLeft(root, ended, { scenario, states, mode, once = false }) {
  const isKilled = mode?.startsWith('kill') ?? false
  // After a failed sync, SQLite writes the same data again, so a second sync is right.
  const syncedTwice = isOneFile(root) ? [] : ended.syncedTwice
  checkRun({ ...ended, syncedTwice }, { states, isKilled, once, scenario })
  const events = eventsOf(ended.stdout)
  const acknowledged = new Set(events.flatMap(({ event, step }) => (event === 'ack' ? [step] : []))).size
  const attempted =
    isKilled && !scenario.together ? Math.min(acknowledged + 1, scenario.steps.length) : states.length - 2
  const [least, most] = once ? [states.length - 1, states.length - 1] : [acknowledged, attempted]
  await checkWorkspace(root, {
    async look(store) {
      const state = await stateOf(store)
      const found = states.slice(least, most + 1).includes(state)
      if (!found)
        throw new Error(`${describe(states, state)}; acknowledged ${acknowledged}, allowed ${least} to ${most}`)
    },
  })
}

/** Plays several at once; what was wrong. A workspace that failed is left to be looked at. */
export function playAll(games, lanes) {
  return playInLanes(games, play, lanes)
}

function checkRun({ status, signal, stdout, stderr, syncedTwice }, { states, isKilled, once, scenario }) {
  if (isKilled && signal !== 'SIGKILL') throw new Error(`was to be killed, but ended with ${status}`)
  if (!isKilled && status !== 0) throw new Error(`ended with ${status ?? signal}`)
  if (!isKilled && stderr !== '') throw new Error('printed to stderr')
  if (syncedTwice.length > 0) throw new Error(`synced again after a failed sync: ${syncedTwice}`)
  const events = eventsOf(stdout)
  for (const { event, name, code, hint, message } of events) {
    const ours = event !== 'fail' || (name?.endsWith('Error') && /^[A-Z_]+$/.test(code ?? '') && hint)
    if (!ours) throw new Error(`failed without code or hint: ${name} ${code}: ${message}`)
  }
  // A fault that stays may keep a record from being taken back: then it is whole, and was promised to nobody.
  const isBefore = (index) => events.findIndex(({ event }) => event === 'fail') > index
  const done = scenario.together ? 0 : events.filter(({ event }, index) => event === 'ack' && isBefore(index)).length
  const allowed = once && !scenario.mayBeDone ? states.slice(done, done + 1) : states
  for (const { view } of events)
    if (view !== undefined && !allowed.includes(view)) throw new Error(`after the failure, ${describe(states, view)}`)
  if (once && !events.some(({ event, step }) => event === 'ack' && step === 'last'))
    throw new Error('did not work again')
}

function eventsOf(stdout) {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const event = line.slice(0, line.indexOf(' '))
      const facts = JSON.parse(line.slice(event.length + 1))
      return event === 'view' ? { event, view: facts } : { event, ...facts }
    })
}

function describe(states, state) {
  const index = states.indexOf(state)
  if (index !== -1) return `the memory is as after step ${index}`
  const differences = states.map((known, step) => `\n  after step ${step}: ${firstDifference(state, known)}`)
  return `the memory is as after no step:${differences.join('')}`
}

function firstDifference(actual, expected) {
  const [ours, theirs] = [actual.split('\n'), expected.split('\n')]
  const at = ours.findIndex((line, index) => line !== theirs[index])
  const before = ours.slice(Math.max(0, at - 4), at).join('')
  return `line ${at} of ${ours.length} is ${ours[at]}, not ${theirs[at]} of ${theirs.length}, after ${before}`
}
