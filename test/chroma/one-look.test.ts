/** How often a memory on a server asks it: one question is one look, for each takes as long as the way to the server and back. */
import { describe, expect, it } from 'vitest'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store.ts'
import { Letters } from '../faults/letters.mjs'
import { addNotes, RamServer } from './ram-server.ts'

/** What one call sends, by a memory that has been at work. */
async function asking(): Promise<{
  readonly memory: Memory
  /** Of another machine. */
  readonly other: Store
  readonly sent: (call: () => unknown) => Promise<string[]>
}> {
  const server = new RamServer()
  const requests: string[] = []
  const store = server.store({}, ({ name, ids }) =>
    requests.push(`${name} ${ids?.[0]?.replace(/^[a-z]{12}\//, '') ?? ''}`),
  )
  const memory = await openMemory({ store, clock: () => server.nowMs, embed: new Letters() })
  await memory.reflect('What I know.')
  await addNotes(store, 1, 3)
  await memory.embed()
  await memory.search('note')
  const sent = async (call: () => unknown): Promise<string[]> => {
    requests.length = 0
    await call()
    return [...requests]
  }
  return { memory, other: server.store(), sent }
}

const LOOK = 'get c/4'
/** How far the vectors tell of the entries. */
const PROGRESS = 'get v'

describe('one look is all that is taken by', () => {
  it('a recall, with a query and without', async () => {
    const { memory, sent } = await asking()
    expect(await sent(() => memory.recall())).toEqual([LOOK])
    expect(await sent(() => memory.recall({ query: 'note 2', mode: 'lexical' }))).toEqual([LOOK])
  })

  it('a recall by meaning, beside how far the vectors have come', async () => {
    const { memory, sent } = await asking()
    expect(await sent(() => memory.recall({ query: 'note 2', mode: 'semantic' }))).toEqual([LOOK, PROGRESS])
  })

  it('a recall of thirty, all of which another machine has written since', async () => {
    const { memory, other, sent } = await asking()
    await addNotes(other, 4, 30)
    await memory.search('note')
    const heads = await other.heads({ kinds: ['note'] })
    const operations = heads.map(({ id, name }) => ({ op: 'write' as const, id, content: `Rewritten: ${name}` }))
    await other.apply({ operations, origin: { by: 'hand' } })
    const looks = await sent(async () => {
      const { hits } = await memory.search('rewritten', { limit: 100, mode: 'lexical' })
      expect(hits).toHaveLength(30)
    })
    expect(looks).toEqual(['get c/31'])
  })

  it('what a batch names by ids, before the look of the write itself', async () => {
    const { memory, sent } = await asking()
    const operations = (await memory.heads({ kinds: ['note'] })).map(({ id }) => ({ op: 'remove' as const, id }))
    expect((await sent(() => memory.apply(operations))).filter((one) => one === LOOK)).toHaveLength(2)
  })

  it('what a batch names by names, before the look of the write itself', async () => {
    const { memory, sent } = await asking()
    const operations = ['note 1', 'note 2', 'note 3'].map((ref) => ({ op: 'write' as const, ref, content: 'anew' }))
    expect((await sent(() => memory.apply(operations))).filter((one) => one === LOOK)).toHaveLength(2)
  })

  it('an entry that is asked for by its name', async () => {
    const { memory, sent } = await asking()
    expect(await sent(() => memory.get('note 2'))).toEqual([LOOK])
    expect(await sent(() => memory.get('of nobody'))).toEqual([LOOK])
    expect(await sent(() => memory.find('note 2'))).toEqual([LOOK])
  })

  it('what a model is given, beside the documents and transcripts that are read for it', async () => {
    const { memory, sent } = await asking()
    expect(
      (await sent(() => memory.context({ message: 'what of note 2?' }))).filter((one) => one === LOOK),
    ).toHaveLength(1)
    const session = memory.session('s')
    for (const call of [() => session.context({ message: 'note 2' }), () => session.autoRecall('what of note 3?')]) {
      expect((await sent(call)).filter((one) => one === LOOK)).toHaveLength(1)
    }
  })
})

describe('a memory that is opened', () => {
  it('is loaded by its root, the notes of its snapshots and its log', async () => {
    const server = new RamServer()
    await addNotes(server.store(), 1, 3)
    const requests: string[] = []
    await server.store({}, ({ name }) => requests.push(name)).heads()
    expect(requests).toEqual(['get', 'find', 'find', 'get'])
  })
})
