// The power fails while a program writes. After the restart, everything that was acknowledged is there.

import { describe, expect, it } from 'vitest'
import { isNightly, seed } from '../tier.ts'
import { powerCuts } from './cuts.mjs'
import { lostWrites } from './lost-writes.mjs'
import { loopDisk } from './tools.mjs'
import { STORES } from './workspace.mjs'

const CUTS = isNightly ? 5 : 2
const FILE_CUTS = isNightly ? 5 : 1
const ROUNDS = isNightly ? 150 : 40

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
})
