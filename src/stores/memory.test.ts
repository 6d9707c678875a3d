import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/tier.ts'
import type { StoreHarness } from '../testing/index.ts'
import { storeContract } from '../testing/index.ts'
import { memoryStore } from './memory.ts'

const harness: StoreHarness = {
  name: 'memory',
  capabilities: memoryStore().capabilities,
  movable: true,
  open: async (options) => memoryStore(options),
  dispose: (store) => store.close(),
}

const cases = storeContract(harness, { seeds: isNightly ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 2, 3], batches: 400 })

describe('the store in RAM keeps the contract: it', () => {
  for (const { name, run } of cases.filter(({ skip }) => skip === undefined)) it(name, run)

  it('says why where it lacks something', () => {
    const reasons = new Set(cases.flatMap(({ skip }) => skip ?? []))
    expect([...reasons]).toEqual([harness.capabilities.durable])
  })
})

describe('the store in RAM', () => {
  it('finds the documents it was given, and no inherited ones', async () => {
    const store = memoryStore({ documents: { 'directives/memory.md': 'be kind' } })
    expect(await store.document('directives/memory.md')).toBe('be kind')
    expect(await store.document('constructor')).toBeUndefined()
  })

  it('takes single settings and keeps its defaults for the rest', async () => {
    const settings = await memoryStore({ settings: { timezone: 'Asia/Kolkata' } }).settings()
    expect(settings).toMatchObject({ timezone: 'Asia/Kolkata', layout: 'agents', identityFile: 'IDENTITY.md' })
  })

  it('ends the day of a context in its own time zone', async () => {
    const clock = () => Date.parse('2026-03-14T20:00:00.000Z')
    const store = memoryStore({ clock, settings: { timezone: 'Asia/Kolkata' } })
    const { entries } = await store.apply({
      operations: [{ op: 'add', scope: 'main', kind: 'context', key: 'k', content: 'v' }],
      origin: { by: 'hand' },
    })
    expect(entries[0]?.expiresAt).toBe('2026-03-15T18:30:00.000Z')
  })

  it('reads a session from the index of a record on', async () => {
    const { sessions } = memoryStore()
    await sessions.append('main', 's', [{ n: 0 }, { n: 1 }, { n: 2 }])
    const page = await sessions.read('main', 's', 1)
    expect([page?.records, page?.next]).toEqual([[{ n: 1 }, { n: 2 }], 3])
  })

  it('works without any option, with ids and times of its own', async () => {
    const store = memoryStore()
    const add = { op: 'add', scope: 'main', kind: 'fact', content: 'tea' } as const
    const { change, entries } = await store.apply({ operations: [add, add], origin: { by: 'hand' } })
    expect(change?.number).toBe(1)
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2])
    expect(Math.abs(Date.parse(change?.at ?? '') - Date.now())).toBeLessThan(60_000)
  })
})
