// A person's editor saves a file at any step of our write of it: before each system call, reads included, and after the last;
// in place, by a rename, with a file that was opened long before, and with a pause between emptying and writing. Afterwards
// one of the two texts counts, both are kept, and undo brings the other back. The same when we are killed right after the
// save. And a reader never finds an entry missing or torn, whichever call a writer is stopped at. CI plays every fifth save and a
// few kills of each scenario; the nightly run plays every save, and a kill at every third.

import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { isNightly } from '../tier.ts'
import { type Game, playAllGames, playKilled, playStopped, stepsOf } from './race-runs.mjs'
import { type RaceScenario, raceScenarios } from './race-scenarios.mjs'
import { buildShim, type Manner } from './tools.mjs'
import { scratchFolder } from './workspace.mjs'

const shim = buildShim()
if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)

const MANNERS: readonly Manner[] = ['in-place', 'rename', 'held', 'slow']
const EVERY_SAVE = isNightly ? 1 : 5
const EVERY_KILL = isNightly ? 3 : 97
const KILL_LANES = 4
const played = { games: 0, kills: 0, looks: 0 }

describe.skipIf('missing' in shim)('a save at any step of our write leaves both texts:', () => {
  afterAll(() =>
    console.log(`races: ${played.games} saves, ${played.kills} with a kill (the nightly run plays all saves)`),
  )

  for (const [number, scenario] of raceScenarios.entries()) {
    it(scenario.name, { timeout: 600_000 }, async () => {
      const folder = scratchFolder('races')
      const games = gamesOf(await stepsOf(scenario, folder), scenario)
      const chosen = games.filter((_, index) => (index + number) % EVERY_SAVE === 0)
      const results = await playAllGames(scenario, folder, chosen)
      expect(results).toHaveLength(chosen.length)
      const problems = results.flatMap(({ problem }) => problem ?? [])
      expect(problems, problems.join('\n\n')).toEqual([])
      played.games += chosen.length

      const killed = await playKills(scenario, folder, killsOf(games, number))
      expect(killed, killed.join('\n\n')).toEqual([])
      rmSync(folder, { recursive: true })
    })
  }
})

describe.skipIf('missing' in shim)('readers never find an entry missing or torn while a writer stands still in', () => {
  const replacing = raceScenarios.filter(({ name }) => !/removal|new|rename/.test(name))
  afterAll(() => console.log(`races: readers looked ${played.looks} times`))

  for (const scenario of replacing) {
    it(scenario.name, { timeout: 300_000 }, async () => {
      const folder = scratchFolder('stopped')
      const { problems, looks } = await playStopped(scenario, folder)
      expect(problems, problems.join('\n\n')).toEqual([])
      expect(looks).toBeGreaterThan(5)
      played.looks += looks
      rmSync(folder, { recursive: true })
    })
  }
})

function gamesOf(steps: number, { name }: RaceScenario): Game[] {
  // What is not there yet can't have been opened long before.
  const manners = MANNERS.filter((manner) => manner !== 'held' || !name.startsWith('a new'))
  return manners.flatMap((manner) => Array.from({ length: steps + 1 }, (_, at) => ({ at, manner })))
}

/** Each scenario begins at another step, so that few kills are still at steps of every sort. */
function killsOf(games: readonly Game[], number: number): Game[] {
  return games.filter((_, index) => (index + number * 53) % EVERY_KILL === 0)
}

async function playKills(scenario: RaceScenario, folder: string, games: readonly Game[]): Promise<string[]> {
  const rest = [...games]
  played.kills += rest.length
  const problems: string[] = []
  const lane = async (): Promise<void> => {
    for (let game = rest.shift(); game; game = rest.shift()) {
      const problem = await playKilled(scenario, folder, game)
      if (problem !== undefined) problems.push(problem)
    }
  }
  await Promise.all(Array.from({ length: KILL_LANES }, lane))
  return problems
}
