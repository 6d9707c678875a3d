// Many processes on one workspace, or on one file, some of them killed: nothing lost, nothing doubled, nothing torn. A seed that fails is
// played again with KEEPSAKE_SEED.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { commandLines, firstUse, lockStress, randomKills, readMeanwhile, together } from './rounds.mjs'
import { buildShim } from './tools.mjs'

const shim = buildShim()
const seed = Number(process.env['KEEPSAKE_SEED'] ?? Date.now() % 1_000_000)
/** In full they take minutes: KEEPSAKE_FAULTS=full, as .ci/run sets it. */
const full = process.env['KEEPSAKE_FAULTS'] === 'full'
const KILLS = full ? 300 : 5
const WRITES = full ? 200 : 10
const COMMANDS = full ? 10 : 2
const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

describe(`many writers on one workspace (seed ${seed})`, () => {
  it('all find the same workspace when they are the first', { timeout: 60_000 }, async () => {
    await firstUse({ processes: 2, rounds: full ? 6 : 1 })
    await firstUse({ processes: 6, rounds: full ? 2 : 1 })
  })

  it('never have the lock at once, however they are stopped while they take it', { timeout: 60_000 }, async () => {
    await lockStress({ processes: 8, count: full ? 150 : 20 })
  })

  it('let a reader see whole entries only, at every moment', { timeout: 60_000 }, async () => {
    expect(await readMeanwhile({ writers: 2, count: full ? 120 : 30 })).toBeGreaterThan(10)
  })

  it(`lose nothing: 8 processes, ${WRITES} writes each, 3 of them killed`, { timeout: 120_000 }, async () => {
    const acknowledged = await together({ writers: 8, count: WRITES, kills: 3, seed, onDisk: true })
    expect(acknowledged).toBeGreaterThan(5 * WRITES)
  })

  it.skipIf('missing' in shim)(`lose nothing: 4 processes, killed ${KILLS} times`, { timeout: 300_000 }, async () => {
    const { killed, acknowledged } = await randomKills({ kills: KILLS, lanes: 4, seed, checkEvery: 100 })
    console.log(`kills: ${killed}, ${acknowledged} writes acknowledged, seed ${seed}`)
    expect(killed).toBeGreaterThanOrEqual(KILLS)
  })

  it.skipIf(!existsSync(cli))(
    `lose nothing: 8 command lines, ${COMMANDS} writes each`,
    { timeout: 120_000 },
    async () => {
      expect(await commandLines({ processes: 8, count: COMMANDS })).toBe(8 * COMMANDS)
    },
  )
})

/** As above, while every one of them makes a new file of it now and then: readers go on, and nobody writes to the old one. */
describe(`many writers on one file (seed ${seed})`, () => {
  const store = 'file'

  it.runIf(full)('all find the same memory when they are the first', { timeout: 60_000 }, async () => {
    await firstUse({ processes: 6, rounds: 3, store })
  })

  it('let a reader see whole entries only, at every moment', { timeout: 60_000 }, async () => {
    expect(await readMeanwhile({ writers: 2, count: full ? 120 : 12, store })).toBeGreaterThan(10)
  })

  it.runIf(full)('lose nothing: 8 processes, 100 writes each, 3 of them killed', { timeout: 120_000 }, async () => {
    expect(await together({ writers: 8, count: 100, kills: 3, seed, store })).toBeGreaterThan(500)
  })

  const kills = full ? 100 : 3
  it.skipIf('missing' in shim)(`lose nothing: 3 processes, killed ${kills} times`, { timeout: 300_000 }, async () => {
    const { killed, acknowledged } = await randomKills({ kills, lanes: 3, seed, checkEvery: 50, store })
    console.log(`kills on one file: ${killed}, ${acknowledged} writes acknowledged, seed ${seed}`)
    expect(killed).toBeGreaterThanOrEqual(kills)
  })

  it.runIf(full && existsSync(cli))('lose nothing: 4 command lines, 6 writes each', { timeout: 120_000 }, async () => {
    expect(await commandLines({ processes: 4, count: 6, store })).toBe(24)
  })
})
