import { describe, expect, it } from 'vitest'
import { openMemory } from '../memory.ts'
import { memoryStore } from '../stores/memory.ts'
import { RecallTally, savedRecalls } from './recalls.ts'

const NOON = Date.parse('2026-11-17T12:00:00Z')

describe('the tally of recalls', () => {
  it('says of a memory that nobody counted in that it has no beginning', async () => {
    expect(await savedRecalls(memoryStore())).toEqual({ counts: new Map() })
  })

  it('adds up what two servers counted, from the first on', async () => {
    const store = memoryStore()
    await store.apply({
      operations: [{ op: 'add', scope: 'main', kind: 'note', content: 'x' }],
      origin: { by: 'hand' },
    })
    const [one, other] = [new RecallTally(store, () => NOON), new RecallTally(store, () => NOON + 5000)]
    one.count(['a', 'b'])
    other.count(['b'])
    await one.save()
    await other.save()
    one.count(['a'])
    await one.save()
    await one.save()
    const counts = new Map(Object.entries({ a: 2, b: 2 }))
    expect(await savedRecalls(store)).toEqual({ since: '2026-11-17T12:00:00.000Z', counts })
  })

  it('keeps what could not be saved for the next time', async () => {
    const store = memoryStore()
    const tally = new RecallTally(store, () => NOON)
    tally.count(['a'])
    const held = await store.lease('recalls')
    await tally.save()
    expect((await savedRecalls(store)).counts.size).toBe(0)
    await held?.release()
    await tally.save()
    expect((await savedRecalls(store)).counts.get('a')).toBe(1)
  })

  it('begins anew behind what is not readable', async () => {
    const store = memoryStore()
    await store.derived.write('recalls', new TextEncoder().encode('{"version":7'))
    expect(await savedRecalls(store)).toEqual({ counts: new Map() })
  })

  it.each([
    ['another version', { version: 2, since: '2026-01-01T00:00:00.000Z', counts: { a: { times: 3 } } }],
    ['no version', { since: '2026-01-01T00:00:00.000Z', counts: { a: 3 } }],
    ['no beginning', { version: 1, counts: { a: 3 } }],
  ])('starts over after a tally with %s', async (_, saved) => {
    const store = memoryStore()
    await store.derived.write('recalls', new TextEncoder().encode(JSON.stringify(saved)))
    expect(await savedRecalls(store)).toEqual({ counts: new Map() })
    const tally = new RecallTally(store, () => NOON)
    tally.count(['a'])
    await tally.save()
    expect(await savedRecalls(store)).toEqual({ since: '2026-11-17T12:00:00.000Z', counts: new Map([['a', 1]]) })
  })

  it("hears of what an agent's recall gave, and not of a person's search", async () => {
    const recalled: string[][] = []
    const memory = await openMemory({ store: memoryStore(), recalled: (ids) => recalled.push([...ids]) })
    const { entry } = await memory.remember('The staging server is called heron', { name: 'Staging' })
    await memory.search('heron')
    expect(recalled).toEqual([])
    await memory.recall({ query: 'heron' })
    await memory.context({ message: 'what is heron?' })
    await memory.as('other').recall({ query: 'heron' })
    expect(recalled).toEqual([[entry.id], [entry.id]])
    await memory.recall({ query: 'nothing that is there' })
    expect(recalled).toHaveLength(2)
  })
})
