import { describe, expect, it } from 'vitest'
import { openMemory } from '../memory.ts'
import { memoryStore } from '../stores/memory.ts'

describe('heads', () => {
  it('are those of the world and of its own, none expired, without their texts', async () => {
    let now = Date.parse('2026-11-15T14:00:00.000Z')
    const clock = (): number => now
    const memory = await openMemory({ store: memoryStore({ clock }), clock })
    await memory.remember('mine', { name: 'Mine' })
    await memory.remember('short', { name: 'Short', ttl: '1h' })
    await memory.learnFact('Shared', 'all')
    await memory.as('other').remember('not mine', { name: 'Other' })
    const names = async (filter = {}): Promise<(string | null)[]> =>
      (await memory.heads(filter)).map(({ name }) => name)
    expect(await names()).toEqual(['Mine', 'Short', 'Shared'])
    now += 3_600_000
    expect(await names()).toEqual(['Mine', 'Shared'])
    expect(await names({ kinds: ['topic'] })).toEqual(['Shared'])
    expect(await names({ scopes: ['other', 'main'] })).toEqual(['Mine'])
    expect(await names({ scopes: ['other'] })).toEqual([])
    for (const head of await memory.heads()) expect(head).not.toHaveProperty('content')
  })
})
