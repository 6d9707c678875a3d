// Scenarios with a kill and with a failing disk at every file-system call they make, as tests. `npm test` plays of each the kill
// before a line of its transcript, where its two writes are parted, and some of the rest, the same each time.
// KEEPSAKE_FAULTS=full plays them all, or as many as `step` leaves.
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { callsOf, playAll, type SessionPlay } from './session-play.mjs'
import type { SessionScenario } from './session-scenarios.mjs'
import { buildShim, type Call, type FaultMode } from './tools.mjs'
import { isOneFile, type StoreName, scratchFolder } from './workspace.mjs'

interface Fault {
  readonly mode: FaultMode
  readonly call: Call
}

export interface Sweep {
  /** What the scenarios are of. */
  readonly of: string
  readonly store?: StoreName
  readonly scenarios: readonly SessionScenario[]
  readonly modes: readonly FaultMode[]
  /** How far apart the faults of a mode are, where not at every call; each scenario and each mode begins at another call. */
  readonly step?: (mode: FaultMode) => number
  /** Of the rest, `npm test` plays one of so many. */
  readonly every: number
  /** Which kills it always plays, of those at a line of a transcript, or of the journal where there is none. */
  readonly always: 'all' | 'last'
  /** Scenarios that meet a disk which can only be read, in `npm test`. */
  readonly readOnly: readonly SessionScenario[]
}

const full = process.env['KEEPSAKE_FAULTS'] === 'full'
const timeout = 900_000

export function sweep(
  title: string,
  { of, store = 'folder', scenarios, modes, step, every, always, readOnly }: Sweep,
): void {
  const shim = buildShim()
  if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)
  const played = { runs: 0, all: 0 }

  describe.skipIf('missing' in shim)(title, () => {
    afterAll(() => console.log(`${of} faults: played ${played.runs} of ${played.all} (KEEPSAKE_FAULTS=full plays all)`))

    for (const [number, scenario] of scenarios.entries()) {
      it(scenario.name, { timeout }, async () => {
        const folder = scratchFolder(of)
        const calls = await callsOf(scenario, folder, { store })
        const faults = modes.flatMap((mode, nth) => {
          const apart = step?.(mode) ?? 1
          const met = callsMet(mode, calls).filter((_, index) => (index + number + nth) % apart === 0)
          return met.map((call): Fault => ({ mode, call }))
        })
        const chosen = full ? faults : sampleOf(faults, number, every, always)
        expect(chosen).not.toEqual([])
        const games = chosen.map(({ mode, call }): SessionPlay => {
          return { scenario, folder, store, at: call.index, mode, once: !mode.startsWith('kill') }
        })
        played.runs += games.length
        played.all += faults.length
        const problems = await playAll(games)
        expect(problems, problems.join('\n\n')).toEqual([])
        rmSync(folder, { recursive: true })
      })
    }

    it('a disk that can only be read', { timeout }, async () => {
      const folder = scratchFolder(of)
      const games = (full ? scenarios : readOnly).map((scenario): SessionPlay => {
        return { scenario, folder, store, at: 0, mode: 'errno:EROFS', sticky: true }
      })
      const problems = await playAll(games, 1)
      expect(problems, problems.join('\n\n')).toEqual([])
      rmSync(folder, { recursive: true })
    })
  })
}

/**
 * Half a write is only of writes. Whoever is refused says more before it closes: what closing one file does is met by kills, and
 * with entries (one-file.test.ts).
 */
function callsMet(mode: FaultMode, calls: readonly Call[]): readonly Call[] {
  const isOfWrites = mode === 'kill-half' || mode.startsWith('short')
  if (isOfWrites) return calls.filter(({ name }) => name === 'write' || name === 'pwrite')
  const last = calls.findLastIndex(({ path }) => isOneFile(path))
  return last === -1 || mode === 'kill' ? calls : calls.slice(0, last + 1)
}

/** The memory is written, the transcript is not; and some others, each scenario beginning at another. */
function sampleOf(faults: readonly Fault[], number: number, every: number, always: Sweep['always']): Fault[] {
  const between = killsAt('/sessions/', faults)
  const kills = between.length > 0 ? between : killsAt('/journal/', faults)
  const some = faults.filter((_, index) => (index + 37 * number) % every === 0)
  return [...new Set([...(always === 'all' ? kills : kills.slice(-1)), ...some])]
}

function killsAt(folder: string, faults: readonly Fault[]): Fault[] {
  return faults.filter(({ mode, call }) => mode === 'kill' && call.name === 'write' && call.path.includes(folder))
}
