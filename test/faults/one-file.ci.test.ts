// A memory in one file: every scenario with a kill, half a write and a failing disk at every file-system call it makes, and what is
// synced before what. CI plays a few faults of a few scenarios, the same each time. The nightly run plays all of what only
// this store does and one write of each kind, and some of the other writes that all stores take: they differ in what they write,
// and not in their calls.

import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { isNightly } from '../tier.ts'
import { fileScenarios } from './file-scenarios.mjs'
import { callsOf, type Play, playAll, statesOf } from './play.mjs'
import { type Scenario, writeScenarios } from './scenarios.mjs'
import { buildShim, type Call, type FaultMode } from './tools.mjs'
import { scratchFolder } from './workspace.mjs'

const shim = buildShim()
if ('missing' in shim) console.warn(`SKIPPED: ${shim.missing}`)

const MODES: readonly FaultMode[] = ['kill', 'kill-half', 'errno:EIO', 'errno:ENOSPC']
const ALWAYS = ['a first entry', 'a write that brings a fold', 'a purge', 'a move']
const store = 'file'
const ONE_WRITE = ['pwrite', 'fdatasync', 'pwrite']
/** Faults per scenario in CI. */
const GAMES = 3
const KINDS_OF_WRITES = [
  ...['the first use of a workspace', 'a first entry', 'a line in the log', 'a first session'],
  ...['eight writes at once', 'a batch over several files'],
]
/** Of the other writes that every store takes. */
const EVERY_OTHER = 14

const played = { runs: 0, all: 0 }

describe.skipIf('missing' in shim)('a fault at any call leaves a memory in one file whole:', () => {
  afterAll(() => console.log(`one file, faults: played ${played.runs} of ${played.all} (the nightly run plays more)`))

  it('syncs what it writes before its slot says so', async () => {
    expect(await callsOnFile('several turns of a session')).toEqual(['open', ...ONE_WRITE, ...ONE_WRITE])
  })

  it('makes a new file where something was written and not acknowledged, before anything else', async () => {
    const names = await callsOnFile('recovery of a change that nobody was promised')
    expect(names).toEqual(['open', 'rename', 'open', ...ONE_WRITE, ...ONE_WRITE])
  })

  const chosen = fileScenarios.filter(({ name }) => isNightly || ALWAYS.includes(name))
  for (const [number, scenario] of chosen.entries()) {
    it(scenario.name, { timeout: 300_000 }, async () => {
      const folder = scratchFolder('one-file')
      const states = await statesOf(scenario, folder, store)
      const calls = await callsOf(scenario, folder, { store, once: true })
      expect(unsafeCalls(calls)).toEqual([])
      const faults = await faultsOf(scenario, folder, calls)
      const games = sampleOf(faults, scenario, number).map(({ mode, at }): Play => {
        return { scenario, states, folder, store, at, mode, once: mode.startsWith('errno') }
      })
      expect(games).not.toEqual([])
      played.runs += games.length
      played.all += faults.length
      const problems = await playAll(games)
      expect(problems, problems.join('\n\n')).toEqual([])
      rmSync(folder, { recursive: true })
    })
  }
})

async function callsOnFile(name: string): Promise<string[]> {
  const folder = scratchFolder('one-file')
  const scenario = fileScenarios.find((known) => known.name === name)
  const calls = scenario ? await callsOf(scenario, folder, { store, once: true }) : []
  rmSync(folder, { recursive: true })
  return calls.filter(({ path }) => path.endsWith('/memory.keepsake')).map((call) => call.name)
}

interface Fault {
  readonly mode: FaultMode
  readonly at: number
}

/** Whoever is refused tries again and writes once more, so that it makes more calls. */
async function faultsOf(scenario: Scenario, folder: string, calls: readonly Call[]): Promise<Fault[]> {
  const first = isNightly ? await callsOf(scenario, folder, { store }) : calls.slice(0, calls.length / 2)
  return MODES.flatMap((mode) => {
    const met = (mode.startsWith('kill') ? first : calls).filter((call) => concerns(mode, call))
    return met.map(({ index }) => ({ mode, at: index }))
  })
}

/** Half a write is only of writes, and so is most of what a full disk refuses. */
function concerns(mode: FaultMode, { name }: Call): boolean {
  return (mode !== 'kill-half' && mode !== 'errno:ENOSPC') || name === 'pwrite'
}

function sampleOf(faults: readonly Fault[], scenario: Scenario, number: number): readonly Fault[] {
  const isOfItsKind = !writeScenarios.includes(scenario) || KINDS_OF_WRITES.includes(scenario.name)
  if (isNightly && isOfItsKind) return faults
  const every = isNightly ? EVERY_OTHER : Math.ceil(faults.length / GAMES)
  return faults.filter((_, index) => (index + 5 * number) % every === 0)
}

/** A new file is synced before it gets its name, and that name before anything is appended. */
function unsafeCalls(calls: readonly Call[]): string[] {
  const unsynced = new Set<string>()
  return calls.flatMap(({ index, name, path }) => {
    const isNewName = (name === 'rename' || name === 'link') && path.endsWith('/memory.keepsake')
    const isUnsafe = isNewName ? unsynced.size > 0 : name === 'pwrite' && unsynced.has('its name')
    if (name === 'pwrite' && path.includes('.lock/')) unsynced.add(path)
    if (name === 'fdatasync') unsynced.delete(path)
    if (name === 'fsync') unsynced.delete('its name')
    if (isNewName) unsynced.add('its name')
    return isUnsafe ? [`call ${index}: ${name} ${path}, before a sync of ${[...unsynced]}`] : []
  })
}
