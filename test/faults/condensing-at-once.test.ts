// Processes that condense the same sessions at once and are killed at it, and one that is killed while its model thinks.
import { describe, expect, it } from 'vitest'
import { condenseTogether, killWhileThinking } from './condense-rounds.mjs'
import { buildShim } from './tools.mjs'

const shim = buildShim()
const seed = Number(process.env['KEEPSAKE_SEED'] ?? Date.now() % 1_000_000)
const rounds = process.env['KEEPSAKE_FAULTS'] === 'full' ? 20 : 1
const timeout = 300_000

describe(`several processes that condense (seed ${seed})`, () => {
  it.skipIf('missing' in shim)('and are killed condense each of 8 sessions once', { timeout }, async () => {
    let killed = 0
    for (let round = 0; round < rounds; round++)
      killed += await condenseTogether({ processes: 2, sessions: 8, kills: 2, seed: seed + round })
    console.log(`condensing at once: ${killed} kills, seed ${seed}`)
    expect(killed).toBeGreaterThan(0)
  })

  it('find nothing written, and no lock, where one was killed while its model thought', { timeout }, async () => {
    await killWhileThinking()
  })
})
