import { describe, expect, it } from 'vitest'
import { openMemory } from '../memory.ts'
import { memoryStore } from '../stores/memory.ts'
import { givenSettings, knownSettings } from './settings.ts'

describe('settings', () => {
  it('have a value each when nothing is said', () => {
    expect(knownSettings({})).toEqual({
      language: 'en',
      recallLimit: 5,
      tools: 'default',
      autoRecall: true,
      injectMemory: true,
      recallWords: 8,
      soulEditable: false,
      contextWindowSize: 5,
      cleanupInterval: 3600,
      maxMemorySize: 8192,
      consolidationTimeout: 30_000,
      memoryWindow: 50,
      embeddingModel: 'all-MiniLM-L6-v2',
      searchBy: 'meaning too',
    })
  })

  it('follow the preset, and what is said wins over it', () => {
    expect(knownSettings({ tools: 'agnx' })).toMatchObject({ autoRecall: false, injectMemory: false })
    expect(knownSettings({ tools: 'agnx', autoRecall: true })).toMatchObject({ autoRecall: true, injectMemory: false })
    expect(knownSettings({ tools: 'crabtalk' })).toMatchObject({ autoRecall: true, injectMemory: true })
  })

  it.each([
    [{ tools: 'all' as never }, /^tools: "all" is not a preset$/],
    [{ recallLimit: 0 }, /^recallLimit: 0 is not allowed$/],
    [{ recallLimit: 101 }, /^recallLimit/],
    [{ recallWords: 0 }, /^recallWords/],
    [{ contextWindowSize: -1 }, /^contextWindowSize/],
    [{ cleanupInterval: 2_147_484 }, /^cleanupInterval/],
    [{ maxMemorySize: 0 }, /^maxMemorySize/],
    [{ consolidationTimeout: 0 }, /^consolidationTimeout/],
    [{ memoryWindow: 1 }, /^memoryWindow/],
  ])('refuse %j', (given, message) => {
    expect(() => knownSettings(given)).toThrow(message)
  })

  it('are picked out of other options', () => {
    const options = { workspace: 'x', agent: 'y', tools: 'reachy', language: undefined } as const
    expect(givenSettings(options)).toEqual({ tools: 'reachy' })
  })

  it('are those of the memory, also as another agent has it and in the past', async () => {
    const memory = await openMemory({ store: memoryStore(), tools: 'crabtalk', soulEditable: true })
    await memory.remember('I am', { kind: 'identity' })
    const past = await memory.asOf(new Date().toISOString())
    expect([memory.as('other').settings, past.settings]).toEqual([memory.settings, memory.settings])
    expect(memory.settings).toMatchObject({ tools: 'crabtalk', soulEditable: true })
  })
})

describe('another agent of the same memory', () => {
  it('sees the world and its own, and nothing of the first', async () => {
    const memory = await openMemory({ store: memoryStore() })
    const other = memory.as('Other')
    await memory.remember('mine', { name: 'N' })
    await memory.learnFact('T', 'shared')
    expect(other.agent).toBe('other')
    expect(await other.get('N')).toBeUndefined()
    expect((await other.get('T'))?.content).toBe('shared')
    expect(memory.as('main')).toBe(memory)
  })
})
