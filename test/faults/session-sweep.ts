// Scenarios of sessions as tests: a kill at every file-system call they make and in the middle of every write, and a failing
// disk at some of the calls. CI plays one in `ciStep` of these, the same each time; the nightly run plays all of them, or as many
// as `step` leaves.

import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { isNightly } from '../tier.ts'
import { playAll, playKills, type SessionPlay } from './session-play.mjs'
import type { SessionScenario } from './session-scenarios.mjs'
import { newKillCounts } from './snapshots.mjs'
import { buildShim, type Call, type FaultMode } from './tools.mjs'
import { scratchFolder } from './workspace.mjs'

interface Sweep {
  /** What the scenarios are of. */
  readonly of: string
  readonly scenarios: readonly SessionScenario[]
  /** How the disk fails. */
  readonly failures: readonly FaultMode[]
  /** How far apart the failures are in the nightly run. */
  readonly step: number
  /** How far apart they are in CI. */
  readonly ciStep: number
  /** Scenarios that run on a read-only disk, in CI; all in the nightly run. */
  readonly readOnly: readonly SessionScenario[]
}

const timeout = 900_000

export function sweep(title: string, { of, scenarios, failures, step, ciStep, readOnly }: Sweep): void {
  const shim = buildShim()
  if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)
  const kills = newKillCounts()
  const count = { played: 0, all: 0 }
  const inNightly = step === 1 ? 'all' : `one in ${step}`

  describe.skipIf('missing' in shim)(title, () => {
    afterAll(() => {
      console.log(`${of} kills: ${kills.states}, with ${kills.checked} distinct states; ${kills.real} real kills`)
      console.log(`${of} failing disks: ${count.played} of ${count.all} (the nightly run plays ${inNightly})`)
    })

    for (const scenario of scenarios) {
      it(scenario.name, { timeout }, async () => {
        const folder = scratchFolder(of)
        const { problems, calls } = await playKills({ scenario, folder, counts: kills })
        expect(problems, problems.join('\n\n')).toEqual([])

        const all = failures.flatMap((mode) => callsThatCanFail(mode, calls).map(({ index }) => ({ mode, at: index })))
        const chosen = all.filter((_, index) => (count.all + index) % (isNightly ? step : ciStep) === 0)
        count.played += chosen.length
        count.all += all.length
        const failed = await playAll(chosen.map((fault): SessionPlay => ({ scenario, folder, once: true, ...fault })))
        expect(failed, failed.join('\n\n')).toEqual([])
        rmSync(folder, { recursive: true })
      })
    }

    it('a disk that can only be read', { timeout }, async () => {
      const folder = scratchFolder(of)
      const games = (isNightly ? scenarios : readOnly).map((scenario): SessionPlay => {
        return { scenario, folder, at: 0, mode: 'errno:EROFS', sticky: true }
      })
      const problems = await playAll(games, 1)
      expect(problems, problems.join('\n\n')).toEqual([])
      rmSync(folder, { recursive: true })
    })
  })
}

/** Only a write can be short. */
function callsThatCanFail(mode: FaultMode, calls: readonly Call[]): readonly Call[] {
  return mode.startsWith('short') ? calls.filter(({ name }) => name === 'write') : calls
}
