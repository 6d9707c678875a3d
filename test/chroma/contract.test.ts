import { it } from 'vitest'
import { chromaStore } from '../../src/stores/chroma/store.ts'
import { storeContract } from '../../src/testing/index.ts'
import { isNightly } from '../tier.ts'
import { contractHarness } from './contract-harness.ts'
import { describeOnServer } from './server.ts'

const SAMPLE = 12

describeOnServer('the store on a real server keeps the contract: it', (server) => {
  const harness = contractHarness('the store on a real server', async ({ clock, newId }) => {
    const place = await server.place()
    return () => chromaStore({ place, clock, newId, timezone: 'UTC' })
  })
  const cases = storeContract(harness, isNightly ? {} : { seeds: [1], batches: 10 })
  // The same store keeps all of it on records in RAM (store.test.ts): here it is about the server, and a sample tells that.
  for (const [n, { name, run }] of cases.entries()) if (isNightly || n % SAMPLE === 0) it.concurrent(name, run)
})
