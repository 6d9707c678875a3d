// A memory in one file: every scenario with a kill, half a write or a failing disk at its file-system calls. CI runs a fixed sample of
// faults in a few scenarios. The nightly run covers all faults in the scenarios that only this store has, and a sample in the other writes,
// which make the same calls.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fileStore } from '../../src/stores/file/store.ts'
import { isNightly } from '../tier.ts'
import { fileScenarios } from './file-scenarios.mjs'
import { callsOf, type Play, playAll, statesOf } from './play.mjs'
import { type Scenario, writeScenarios } from './scenarios.mjs'
import { buildShim, type Call, type FaultMode, type FaultyResult, type FaultyRun, runFaulty } from './tools.mjs'
import { scratchFolder } from './workspace.mjs'

const shim = buildShim()
if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)

const MODES: readonly FaultMode[] = ['kill', 'kill-half', 'errno:EIO', 'errno:ENOSPC']
const ALWAYS = ['a first entry', 'a note overwritten', 'eight writes at once', 'a first session']
const store = 'file'
/** Faults per scenario in CI. */
const GAMES = 8
/** For the other writes, in the nightly run. */
const EVERY_OTHER = 14

const played = { runs: 0, all: 0 }

describe.skipIf('missing' in shim)('a fault at any call leaves a memory in one file whole:', () => {
  afterAll(() => console.log(`one file, faults: played ${played.runs} of ${played.all} (the nightly run plays more)`))

  it('a change is written and synced before it is acknowledged', async () => {
    const scenario = fileScenarios.find(({ name }) => name === 'a note overwritten') as Scenario
    const folder = scratchFolder('one-file')
    const calls = await callsOf(scenario, folder, { store })
    rmSync(folder, { recursive: true })
    const onWal = calls.filter(({ path }) => path.endsWith('-wal')).map(({ name }) => name)
    const lastSync = onWal.findLastIndex((name) => name === 'fsync' || name === 'fdatasync')
    expect(onWal).toContain('pwrite')
    expect(lastSync).toBeGreaterThan(onWal.lastIndexOf('pwrite'))
  })

  it.each([
    ['is overwritten, and does not count after a crash', false, /two: IO: Nothing was saved/, ['one']],
    ['is reported as uncertain if it can not be overwritten', true, /two: IO: It may have been saved/, undefined],
  ] as const)('a commit whose sync failed %s', async (_, sticky, printed, names) => {
    const folder = scratchFolder('failed-commit')
    const run = (name: string, fault: Partial<FaultyRun> = {}): Promise<FaultyResult> =>
      runFaulty({ args: [join(import.meta.dirname, 'failed-commit.mjs'), join(folder, name)], root: folder, ...fault })
    const syncs = (await run('counted')).calls.filter(({ name, path }) => /sync/.test(name) && path.endsWith('-wal'))
    const { stdout } = await run('faulty', { at: syncs.at(-1)?.index ?? 0, mode: 'errno:EIO', sticky })
    expect(stdout).toMatch(printed)
    const memory = fileStore({ path: join(folder, 'faulty') })
    const found = (await memory.heads()).map(({ name }) => name)
    await memory.close()
    if (names) expect(found).toEqual(names)
    rmSync(folder, { recursive: true })
  })

  const isShared = (scenario: Scenario): boolean => writeScenarios.includes(scenario) && !ALWAYS.includes(scenario.name)
  const chosen = fileScenarios.filter((scenario) => isNightly || !isShared(scenario))
  for (const [number, scenario] of chosen.entries()) {
    it(scenario.name, { timeout: 300_000 }, async () => {
      const folder = scratchFolder('one-file')
      const states = await statesOf(scenario, folder, store)
      const once = await callsOf(scenario, folder, { store })
      // If a call fails, the process tries again and writes once more.
      const again = await callsOf(scenario, folder, { store, once: true })
      const faults = MODES.flatMap((mode) => {
        const calls = (mode.startsWith('kill') ? once : again).filter((call) => concerns(mode, call))
        return calls.map(({ index }) => ({ mode, at: index }))
      })
      const every = isNightly ? (isShared(scenario) ? EVERY_OTHER : 1) : Math.ceil(faults.length / GAMES)
      const games = faults
        .filter((_, index) => (index + 5 * number) % every === 0)
        .map(({ mode, at }): Play => ({ scenario, states, folder, store, at, mode, once: mode.startsWith('errno') }))
      expect(games).not.toEqual([])
      played.runs += games.length
      played.all += faults.length
      const problems = await playAll(games)
      expect(problems, problems.join('\n\n')).toEqual([])
      rmSync(folder, { recursive: true })
    })
  }
})

/** Half a write is only of writes, and so is most of what a full disk refuses. */
function concerns(mode: FaultMode, { name }: Call): boolean {
  return (mode !== 'kill-half' && mode !== 'errno:ENOSPC') || name === 'pwrite'
}
