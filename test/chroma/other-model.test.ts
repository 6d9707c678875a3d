/** What doctor says of vectors that are another model's: they are there, and of no use. */
import { expect, it } from 'vitest'
import type { Context } from '../../src/cli/command.ts'
import { withPending } from '../../src/cli/with-pending.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { storeOn } from '../../src/stores/chroma/store.ts'
import { Letters } from '../faults/letters.mjs'
import { ramConnection } from './ram-connection.ts'
import { RamShelf } from './ram-shelf.ts'
import { RamVectors } from './ram-vectors.ts'

function told(memory: Memory, model: string): Promise<unknown> {
  const context: Pick<Context, 'open'> = { open: async () => ({ memory, root: 'chroma://ram' }) }
  return withPending({ model, state: model }, context)
}

it('names both models, and the command that tells what to do', async () => {
  const [log, vectors] = [new RamShelf(), new RamVectors()]
  const open = (embed: Letters): Promise<Memory> =>
    openMemory({ store: storeOn(ramConnection(log.another(), vectors.another())), embed })
  const first = await open(new Letters())
  await first.remember('aaaa bbbb', { name: 'Ab' })
  expect(await told(first, 'letters')).toMatchObject({ pending: 1, state: expect.stringContaining('no vector yet') })
  await first.embed()
  expect(await told(first, 'letters')).toEqual({ model: 'letters', pending: 0, state: 'letters' })
  const problem = 'the vectors of this memory are of letters, not of numbers'
  const state = `numbers; ${problem}: keepsake embed`
  expect(await told(await open(new Letters('numbers', 9)), 'numbers')).toEqual({ model: 'numbers', problem, state })
})
