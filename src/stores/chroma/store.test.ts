import { describe, it } from 'vitest'
import { contractHarness } from '../../../test/chroma/contract-harness.ts'
import { ramConnection } from '../../../test/chroma/ram-connection.ts'
import { RamShelf } from '../../../test/chroma/ram-shelf.ts'
import { storeContract } from '../../testing/index.ts'
import { storeOn } from './store.ts'

const cases = storeContract(
  contractHarness('the store on a server in RAM', async ({ clock, newId }) => {
    const shelf = new RamShelf()
    return () => storeOn(ramConnection(shelf.another()), { clock, newId, timezone: 'UTC' })
  }),
)

describe('the store on a server keeps the contract: it', () => {
  for (const { name, run } of cases) it(name, run)
})
