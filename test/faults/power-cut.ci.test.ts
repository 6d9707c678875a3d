// The power fails while a program writes. What was acknowledged is there after the restart. Of what is only about a
// memory in one file, CI plays a small sample.

import { describe, expect, it } from 'vitest'
import { isNightly, seed } from '../tier.ts'
import { powerCuts } from './cuts.mjs'
import { lostTail } from './lost-tail.mjs'
import { lostWrites } from './lost-writes.mjs'
import { loopDisk } from './tools.mjs'
import { STORES } from './workspace.mjs'

const CUTS = isNightly ? 5 : 2
const FILE_CUTS = isNightly ? 5 : 1
const ROUNDS = isNightly ? 150 : 40
const TAILS = isNightly ? 60 : 3

describe(`a power cut (seed ${seed})`, () => {
  it.for(STORES)('loses nothing that was acknowledged (%s)', { timeout: 120_000 }, async (store, { skip }) => {
    const disk = loopDisk(32)
    if ('missing' in disk) {
      console.warn(`SKIPPED: ${disk.missing}`)
      return skip(disk.missing)
    }
    try {
      expect(await powerCuts({ disk, cuts: store === 'file' ? FILE_CUTS : CUTS, seed, store })).toBeGreaterThan(0)
    } finally {
      disk.free()
    }
  })

  it(`leaves files in any state since the last checkpoint, and all is told by the journal: ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) await lostWrites({ seed: seed + round, steps: 4 + (round % 20) })
  })

  it(`leaves one file in any state since its last sync, and what was acknowledged is there: ${TAILS} times`, async () => {
    for (let round = 0; round < TAILS; round++) await lostTail({ seed: seed + round, steps: 4 + (round % 20), cuts: 5 })
  })
})
