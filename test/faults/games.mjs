// Shared by play.mjs and session-play.mjs. A game is one scenario with one fault.
import { folderOf } from './workspace.mjs'

/** The folder name of a game. */
export function gameFolder({ mode, at, sticky }) {
  return `${mode.replace(':', '-')}-${at}${sticky ? '-sticky' : ''}`
}

/** Describes a failure: the fault, the error, the folder. `ended` is missing where the child did not end. */
export function describeFailure({ scenario, mode, at, sticky }, { root, ended, error }) {
  const { name, path } = ended?.calls[at] ?? {}
  const call = name === undefined ? '' : ` (${name} ${path})`
  const fault = mode === undefined ? 'no fault' : `${mode}${sticky ? ' (sticky)' : ''} at call ${at}${call}`
  const said = ended === undefined ? '' : `${ended.stdout.slice(0, 2000)}${ended.stderr}`
  return `${scenario.name}: ${fault}: ${error.stack}\nleft in ${folderOf(root)}\n${said}`
}

/** Plays games concurrently and returns the problems. */
export async function playInLanes(games, play, lanes = 4) {
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
