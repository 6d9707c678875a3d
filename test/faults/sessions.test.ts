// Every way to change a session, with a kill and with a failing disk at every file-system call it makes, as exhaustive.test.ts has
// it for entries. `npm test` plays of each the kill between its two writes, and some of the rest, the same each time.
// KEEPSAKE_FAULTS=full plays them all.
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { callsOf, playAll, type SessionPlay } from './session-play.mjs'
import { sessionScenarios } from './session-scenarios.mjs'
import { buildShim, type Call, type FaultMode } from './tools.mjs'
import { scratchFolder } from './workspace.mjs'

const shim = buildShim()
if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)

const full = process.env['KEEPSAKE_FAULTS'] === 'full'
const MODES: readonly FaultMode[] = ['kill', 'kill-half', 'errno:EIO', 'short:EIO']
const EVERY = 100

interface Fault {
  readonly mode: FaultMode
  readonly call: Call
}

const played = { runs: 0, all: 0 }

describe.skipIf('missing' in shim)('a fault at any call leaves the session whole:', () => {
  afterAll(() => console.log(`session faults: played ${played.runs} of ${played.all} (KEEPSAKE_FAULTS=full plays all)`))

  for (const [number, scenario] of sessionScenarios.entries()) {
    it(scenario.name, { timeout: 300_000 }, async () => {
      const folder = scratchFolder('session')
      const calls = await callsOf(scenario, folder)
      const faults = MODES.flatMap((mode) =>
        calls.filter(({ name }) => name === 'write' || !isOfWrites(mode)).map((call) => ({ mode, call })),
      )
      const chosen = full ? faults : sampleOf(faults, number)
      expect(chosen).not.toEqual([])
      const games = chosen.map(({ mode, call }): SessionPlay => {
        return { scenario, folder, at: call.index, mode, once: !mode.startsWith('kill') }
      })
      played.runs += games.length
      played.all += faults.length
      const problems = await playAll(games)
      expect(problems, problems.join('\n\n')).toEqual([])
      rmSync(folder, { recursive: true })
    })
  }

  it('a disk that can only be read', { timeout: 300_000 }, async () => {
    const folder = scratchFolder('session')
    const games = (full ? sessionScenarios : sessionScenarios.slice(1, 3)).map((scenario): SessionPlay => {
      return { scenario, folder, at: 0, mode: 'errno:EROFS', sticky: true }
    })
    const problems = await playAll(games, 1)
    expect(problems, problems.join('\n\n')).toEqual([])
    rmSync(folder, { recursive: true })
  })
})

function isOfWrites(mode: FaultMode): boolean {
  return mode === 'kill-half' || mode.startsWith('short')
}

/** The memory is written, the transcript is not, each time that this may be; and some others, each scenario beginning at another. */
function sampleOf(faults: readonly Fault[], number: number): Fault[] {
  const between = faults.filter(({ mode, call }) => mode === 'kill' && isOfTranscript(call))
  const some = faults.filter((_, index) => (index + 7 * number) % EVERY === 0)
  return [...new Set([...between, ...some])]
}

function isOfTranscript({ name, path }: Call): boolean {
  return name === 'write' && path.includes('/sessions/')
}
