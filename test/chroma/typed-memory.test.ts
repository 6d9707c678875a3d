/** The facade of the seed on a Chroma server, with the seed's own names. */
import { expect, it } from 'vitest'
import { MemoryType, typedMemory } from '../../src/facades/index.ts'
import { openMemory } from '../../src/memory.ts'
import { chromaStore } from '../../src/stores/chroma/store.ts'
import { SeedProgram } from './seed-program.ts'
import { describeOnServer } from './server.ts'

describeOnServer('typed memories on a Chroma server', (server) => {
  it('store, search, forget and clean up, with a window in the process', async () => {
    const place = await server.place()
    let now = Date.parse('2026-03-14T09:26:53.589Z')
    const store = chromaStore({ place, timezone: 'UTC', clock: () => now })
    const memory = await openMemory({ store, clock: () => now, contextWindowSize: 1 })
    const typed = typedMemory(memory)
    const { id } = await typed.rememberFact('Ann likes tea', { who: 'Ann' })
    await typed.setContext('city', 'Berlin')
    await typed.setContext('city', 'Rome')
    expect(await typed.getContext('city')).toBe('Rome')
    expect(await typed.rememberFact('Ann likes tea', { who: 'Ann' })).toMatchObject({ id })
    expect((await typed.search('tea', { memoryType: MemoryType.FACT })).map(({ memory }) => memory.id)).toEqual([id])
    await typed.addToContextWindow('user', 'how are you?')
    await typed.addToContextWindow('assistant', 'fine')
    await typed.addToContextWindow('user', 'and now?')
    expect((await typed.getContextWindow()).map(({ content }) => content)).toEqual(['and now?'])
    const seed = new SeedProgram(place)
    expect((await seed.get({ type: 'conversation' })).documents.sort()).toEqual(['fine', 'how are you?'])
    expect((await seed.get({ type: 'context' })).documents).toEqual(['Rome'])
    now += 24 * 60 * 60 * 1000
    expect(await typed.cleanupExpired()).toBe(1)
    expect(await typed.forget(id)).toBe(true)
    expect(await typed.forget(id)).toBe(false)
    expect((await seed.get()).documents.sort()).toEqual(['fine', 'how are you?'])
    await memory.close()
  })
})
