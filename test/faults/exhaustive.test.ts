// Every scenario, with a kill and with a failing disk at every file-system call it makes. `npm test` plays a sample that is
// the same each time: of one scenario every seventh call, and of every third of the others some of the calls that not all writes
// begin and end with, each scenario beginning at another. Of two that differ in what they write and not in their calls it plays one.
// KEEPSAKE_FAULTS=full plays them all.
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { callsOf, type Play, playAll, statesOf } from './play.mjs'
import { scenarios } from './scenarios.mjs'
import { buildShim, type Call, type FaultMode } from './tools.mjs'
import { scratchFolder } from './workspace.mjs'

const shim = buildShim()
if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)

const full = process.env['KEEPSAKE_FAULTS'] === 'full'
const MODES: readonly FaultMode[] = ['kill', 'kill-half', 'errno:EIO']
const CLOSELY = 'a line in the log'
const EVERY_CLOSELY = 7
const VARIATIONS = [
  ...['a new topic', 'a topic overwritten', 'a topic renamed', 'a reflection', 'a context of yesterday replaced'],
  ...['a first line of history', 'a line of history forgotten', 'a turn of a session', 'several turns of a session'],
]
/** Of every scenario at least one, and of the long ones many. */
const EVERY = 41

interface Fault {
  readonly mode: FaultMode
  readonly call: Call
}

const played = { runs: 0, all: 0 }

describe.skipIf('missing' in shim)('a fault at any call leaves the memory whole:', () => {
  afterAll(() => console.log(`faults: played ${played.runs} of ${played.all} (KEEPSAKE_FAULTS=full plays all)`))

  for (const [number, scenario] of scenarios.entries()) {
    if (!full && !isPlayed(scenario.name, number)) continue
    it(scenario.name, { timeout: 300_000 }, async () => {
      const folder = scratchFolder('exhaustive')
      const states = await statesOf(scenario, folder)
      const calls = await callsOf(scenario, folder)
      const faults = MODES.flatMap((mode) =>
        calls.filter((call) => concerns(mode, call)).map((call) => ({ mode, call })),
      )
      const chosen = full ? faults : sampleOf(faults, scenario.name, number)
      expect(chosen).not.toEqual([])
      const games = chosen.map(({ mode, call }): Play => {
        return { scenario, states, folder, at: call.index, mode, once: mode === 'errno:EIO' }
      })
      played.runs += games.length
      played.all += faults.length
      const problems = await playAll(games)
      expect(problems, problems.join('\n\n')).toEqual([])
      rmSync(folder, { recursive: true })
    })
  }
})

function isPlayed(name: string, number: number): boolean {
  return name === CLOSELY || (number % 3 === 0 && !VARIATIONS.includes(name))
}

function concerns(mode: FaultMode, { name }: Call): boolean {
  return mode !== 'kill-half' || name === 'write'
}

function sampleOf(faults: readonly Fault[], name: string, number: number): Fault[] {
  if (name === CLOSELY) return faults.filter((_, index) => index % EVERY_CLOSELY === 0)
  const own = faults.filter(({ call }) => !isOfEveryWrite(call))
  return own.filter((_, index) => (index + number) % Math.min(EVERY, own.length) === 0)
}

function isOfEveryWrite({ path, name }: Call): boolean {
  if (/\/\.state\/lock(\/|$)/.test(path) || path.endsWith('/.state/tmp')) return true
  return name === 'open' && path.includes('/.state/journal/')
}
