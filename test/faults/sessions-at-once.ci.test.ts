// Several processes at one session, some of them killed: nothing lost, nothing doubled, and what all want is done once. Many who
// only append are in test/filesystem/sessions-writers.ci.test.ts. KEEPSAKE_SEED repeats a run that failed.

import { describe, expect, it } from 'vitest'
import { isNightly, seed } from '../tier.ts'
import { compactTogether, importTogether, talkTogether } from './session-rounds.mjs'
import { buildShim } from './tools.mjs'

const shim = buildShim()
const timeout = 300_000

describe(`several processes at one session (seed ${seed})`, () => {
  it.each([2, 4])('that are %i and all compact it make one archive', { timeout }, async (processes) => {
    await compactTogether({ processes, rounds: isNightly ? 30 : 5 })
  })

  it.skipIf('missing' in shim)('that speak, compact and are killed lose and double nothing', { timeout }, async () => {
    const kills = isNightly ? 12 : 8
    const { killed, exchanges, compactions } = await talkTogether({ lanes: 4, count: isNightly ? 20 : 8, kills, seed })
    console.log(`talk: ${killed} kills, ${exchanges} exchanges acknowledged, ${compactions} compactions, seed ${seed}`)
    expect(killed).toBeGreaterThanOrEqual(kills)
    expect(compactions).toBeGreaterThan(1)
  })

  it.skipIf('missing' in shim)(
    'that import it as it grows and are killed take each turn once',
    { timeout },
    async () => {
      const [count, step, kills] = isNightly ? [80, 5, 6] : [20, 5, 3]
      expect(await importTogether({ processes: 3, count, step, kills, seed })).toBeGreaterThan(0)
    },
  )
})
