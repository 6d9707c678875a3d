// Many processes on one workspace, or on one file, some of them killed: nothing is lost, doubled or torn. CI plays fewer rounds
// than the nightly run. KEEPSAKE_SEED repeats a run that failed.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isNightly, seed } from '../tier.ts'
import { commandLines, firstUse, lockStress, randomKills, readMeanwhile, together } from './rounds.mjs'
import { buildShim } from './tools.mjs'

const shim = buildShim()
const KILLS = isNightly ? 300 : 60
const WRITES = isNightly ? 200 : 30
const COMMANDS = isNightly ? 10 : 2
const timeout = 600_000
const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

describe(`many writers on one workspace (seed ${seed})`, () => {
  it('all find the same workspace when they are the first', { timeout }, async () => {
    await firstUse({ processes: 2, rounds: isNightly ? 6 : 2 })
    await firstUse({ processes: 6, rounds: isNightly ? 2 : 1 })
  })

  it('never have the lock at once, however they are stopped while they take it', { timeout }, async () => {
    await lockStress({ processes: 8, count: isNightly ? 150 : 40 })
  })

  it('let a reader see whole entries only, at every moment', { timeout }, async () => {
    expect(await readMeanwhile({ writers: 2, count: isNightly ? 120 : 40 })).toBeGreaterThan(4)
  })

  it(`lose nothing: 8 processes, ${WRITES} writes each, 3 of them killed`, { timeout }, async () => {
    const acknowledged = await together({ writers: 8, count: WRITES, kills: 3, seed, onDisk: true })
    expect(acknowledged).toBeGreaterThan(5 * WRITES)
  })

  it.skipIf('missing' in shim)(`lose nothing: 4 processes, killed ${KILLS} times`, { timeout }, async () => {
    const { killed, acknowledged } = await randomKills({ kills: KILLS, lanes: 4, seed, checkEvery: 100 })
    console.log(`kills: ${killed}, ${acknowledged} writes acknowledged, seed ${seed}`)
    expect(killed).toBeGreaterThanOrEqual(KILLS)
  })

  it.skipIf(!existsSync(cli))(`lose nothing: 8 command lines, ${COMMANDS} writes each`, { timeout }, async () => {
    expect(await commandLines({ processes: 8, count: COMMANDS })).toBe(8 * COMMANDS)
  })
})

/** As above, while each of them replaces the file now and then. CI plays only a small sample. */
describe(`many writers on one file (seed ${seed})`, () => {
  const store = 'file'

  it('let a reader see whole entries only, at every moment', { timeout }, async () => {
    expect(await readMeanwhile({ writers: 2, count: isNightly ? 120 : 12, store })).toBeGreaterThan(0)
  })

  const kills = isNightly ? 100 : 3
  it.skipIf('missing' in shim)(`lose nothing: 3 processes, killed ${kills} times`, { timeout }, async () => {
    const { killed, acknowledged } = await randomKills({ kills, lanes: 3, seed, checkEvery: 50, store })
    console.log(`kills on one file: ${killed}, ${acknowledged} writes acknowledged, seed ${seed}`)
    expect(killed).toBeGreaterThanOrEqual(kills)
  })
})
