// Meets a person's saves, started with the shim preloaded.
//   node race-worker.mjs FOLDER NAME batch   plays the games that it reads as JSON, one after the other: [{ at, manner }];
//                                            without any, it tells how many calls there are. Prints a line a game, as JSON.
//   node race-worker.mjs ROOT NAME once      the step of a scenario in a folder that is prepared; prints "ack" at its end
import { readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { raceScenarios } from './race-scenarios.mjs'
import { checkRace, oursOf, prepareRace } from './races.mjs'
import { openAs } from './workspace.mjs'

const [folder, name, mode] = process.argv.slice(2)
const scenario = raceScenarios.find((known) => known.name === name)
const NEVER = 1_000_000

async function once() {
  const opened = await openAs(2, folder)
  await scenario.step(opened)
  writeSync(1, 'ack\n')
  await opened.store.close()
}

/** Sets the shim to work in this very process. */
function begin(root, hand, { at, manner }) {
  const settings = { ROOT: root, MODE: `edit:${manner}`, READS: '1', LOG: `${root}.calls` }
  const edit = { EDIT_FILE: join(root, scenario.file), EDIT_TEXT: hand, AT: String(at) }
  for (const [key, value] of Object.entries({ ...settings, ...edit })) process.env[`FAULT_${key}`] = value
}

function end(root) {
  process.env.FAULT_AT = ''
  const calls = readFileSync(`${root}.calls`, 'utf8').split('\n').slice(0, -1)
  rmSync(`${root}.calls`)
  return calls
}

/** The step, with the save; then the check, as a promise: it may wait for the editor while the next step is played. */
async function play(game, ours) {
  const root = join(folder, `${game.manner}-${game.at}`)
  const { before, hand } = await prepareRace(scenario, root)
  const opened = await openAs(2, root)
  begin(root, hand, game)
  let failure
  try {
    await scenario.step(opened)
  } catch (error) {
    failure = error
  }
  const calls = end(root)
  return { checked: check(root, game, { opened, failure, calls, before, hand, ours }) }
}

async function check(root, game, { opened, failure, calls, before, hand, ours }) {
  try {
    await opened.store.close()
    if (failure) throw failure
    await checkRace(root, scenario, { before, hand, ours, acknowledged: true, exact: game.manner !== 'slow' })
    rmSync(root, { recursive: true })
    return { calls: calls.length }
  } catch (error) {
    const call = calls[game.at]?.replaceAll(`${root}/`, '') ?? 'the end'
    return {
      calls: calls.length,
      problem: `${name}: saved (${game.manner}) before ${call}: ${error.stack}\nleft in ${root}`,
    }
  }
}

async function batch() {
  const games = JSON.parse(await text(process.stdin))
  const ours = await oursOf(scenario, join(folder, 'ours'))
  const played = []
  for (const game of games.length > 0 ? games : [{ at: NEVER, manner: 'in-place' }]) played.push(await play(game, ours))
  for (const { checked } of played) writeSync(1, `${JSON.stringify(await checked)}\n`)
}

void { batch, once }[mode]()
