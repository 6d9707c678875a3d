// Every way to change a workspace, with a kill at every file-system call it makes and in the middle of every write, and with a
// failing disk at some of the calls: CI plays one in ten of these, the same each time, and the nightly run plays all.

import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { isNightly } from '../tier.ts'
import { type Play, playAll, playKills, statesOf } from './play.mjs'
import { scenarios } from './scenarios.mjs'
import { newKillCounts } from './snapshots.mjs'
import { buildShim } from './tools.mjs'
import { scratchFolder } from './workspace.mjs'

const shim = buildShim()
if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)

/** Each disk failure takes a process, so CI plays every tenth. */
const FAILURE_STEP = isNightly ? 1 : 10
const kills = newKillCounts()
const failures = { played: 0, all: 0 }

describe.skipIf('missing' in shim)('a fault at any call leaves the memory whole:', () => {
  afterAll(() => {
    console.log(`kills: ${kills.states}, with ${kills.checked} distinct states; ${kills.real} real kills`)
    console.log(`failing disks: ${failures.played} of ${failures.all} (the nightly run plays all)`)
  })

  for (const scenario of scenarios) {
    it(scenario.name, { timeout: 300_000 }, async () => {
      const folder = scratchFolder('exhaustive')
      const states = await statesOf(scenario, folder)
      const { problems, calls } = await playKills({ scenario, states, folder, counts: kills })
      expect(problems, problems.join('\n\n')).toEqual([])

      const chosen = calls.filter(({ index }) => (failures.all + index) % FAILURE_STEP === 0)
      failures.played += chosen.length
      failures.all += calls.length
      const failed = await playAll(
        chosen.map(({ index }): Play => ({ scenario, states, folder, at: index, mode: 'errno:EIO', once: true })),
      )
      expect(failed, failed.join('\n\n')).toEqual([])
      rmSync(folder, { recursive: true })
    })
  }
})
