// Processes that consolidate the same sessions at once and are killed meanwhile, and one that is killed while it waits for its model.

import { describe, expect, it } from 'vitest'
import { isNightly, seed } from '../tier.ts'
import { condenseTogether, killWhileThinking } from './condense-rounds.mjs'
import { buildShim } from './tools.mjs'

const shim = buildShim()
const rounds = isNightly ? 20 : 3
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
