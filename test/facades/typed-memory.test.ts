/** The example code of the design of typed memories, line by line, and what else its names stand for. */
import { describe, expect, it } from 'vitest'
import { MemoryType, type TypedMemory, typedMemory } from '../../src/facades/index.ts'
import { openMemory } from '../../src/memory.ts'
import { itOn } from '../one-row.ts'
import { Bench, newFolder, STORES } from '../tools/bench.ts'

interface Prompt {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** `ReachyAgentLoop`, ported line by line; the model is handed in. */
class AgentLoop {
  readonly #memory: TypedMemory
  readonly #systemPrompt = 'You are a robot.'
  readonly #create: (messages: readonly Prompt[]) => Promise<string>

  constructor(memory: TypedMemory, create: (messages: readonly Prompt[]) => Promise<string>) {
    this.#memory = memory
    this.#create = create
  }

  async process(userInput: string): Promise<string> {
    await this.#memory.addToContextWindow('user', userInput)
    const context = await this.#memory.getContextWindow()
    const messages: Prompt[] = [
      { role: 'system', content: this.#systemPrompt },
      ...context.slice(0, -1).map(({ role, content }) => ({ role, content })),
      { role: 'user', content: userInput },
    ]
    const assistantContent = await this.#create(messages)
    await this.#memory.addToContextWindow('assistant', assistantContent)
    return assistantContent
  }
}

describe.each(STORES)('typedMemory on the %s store', (store) => {
  const it = itOn(store, 'stores and searches a profile as the example does')
  it('stores and searches a profile as the example does', async () => {
    const bench = await Bench.open(store)
    const memory = typedMemory(bench.memory)
    const stored = await memory.store('User prefers to be called Alex', MemoryType.FACT, {
      category: 'user_profile',
      field: 'name',
    })
    expect(stored).toEqual({
      id: expect.any(String),
      content: 'User prefers to be called Alex',
      memoryType: 'fact',
      createdAt: '2026-11-15T14:03:00.000Z',
      expiresAt: null,
      metadata: { category: 'user_profile', field: 'name' },
    })
    await memory.store('User is interested in robotics and AI', MemoryType.FACT, {
      category: 'user_profile',
      field: 'interests',
    })
    const results = await memory.search('user preferences', { memoryType: MemoryType.FACT })
    expect(results.map(({ memory: { content } }) => content).toSorted()).toEqual([
      'User is interested in robotics and AI',
      'User prefers to be called Alex',
    ])
    for (const { score } of results) expect(score > 0 && score <= 1).toBe(true)
    const where = [{ key: 'field', op: '=', value: 'name' }] as const
    expect((await memory.search('user', { where, limit: 1, minScore: 0.01 })).map((hit) => hit.memory)).toEqual([
      stored,
    ])
    expect(await memory.search('user', { memoryType: MemoryType.CONTEXT })).toEqual([])
    expect([await memory.forget(stored.id), await memory.forget(stored.id), await memory.forget('Alex')]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('has the shorthands, and forgets nothing but typed memories', async () => {
    const bench = await Bench.open(store)
    const memory = typedMemory(bench.memory)
    const fact = await memory.rememberFact('Likes tea.', { sure: true })
    const talk = await memory.rememberConversation('We spoke of tea.', { type: 'mine' })
    const task = await memory.setContext('task', 'Make tea.')
    const again = await memory.store('Drink tea.', MemoryType.TASK, { context_key: 'task' })
    expect([fact.expiresAt, talk.expiresAt, task.expiresAt]).toEqual([
      null,
      '2026-12-15T14:03:00.000Z',
      '2026-11-15T23:00:00.000Z',
    ])
    expect([again.id, again.metadata, talk.metadata]).toEqual([task.id, { context_key: 'task' }, { type: 'mine' }])
    expect([await memory.getContext('task'), await memory.getContext('none')]).toEqual(['Drink tea.', null])
    const { entry } = await bench.memory.remember('Tea is a note.', { name: 'tea' })
    expect(await memory.forget(entry.id)).toBe(false)
    expect((await memory.search('tea')).map((hit) => hit.memory.memoryType).toSorted()).toEqual([
      'context',
      'conversation',
      'fact',
    ])
    // as a caller in JavaScript may
    const note = 'note' as MemoryType
    await expect(memory.search('tea', { memoryType: note })).rejects.toMatchObject({ code: 'INVALID' })
    expect(await memory.cleanupExpired()).toBe(0)
    bench.at('2026-12-20T00:00:00.000Z')
    expect((await memory.search('tea')).map((hit) => hit.memory.id)).toEqual([fact.id])
    expect([await memory.cleanupExpired(), await memory.cleanupExpired()]).toEqual([2, 0])
  })

  it('maps the types of the first version as its table says', () => {
    const { OBSERVATION, PREFERENCE, EVENT, TASK, CONVERSATION, FACT, CONTEXT } = MemoryType
    expect([CONVERSATION, OBSERVATION]).toEqual(['conversation', 'conversation'])
    expect([FACT, PREFERENCE]).toEqual(['fact', 'fact'])
    expect([CONTEXT, EVENT, TASK]).toEqual(['context', 'context', 'context'])
  })

  it('gives the loop its last exchanges, oldest first, and what slid out by search', async () => {
    const bench = await Bench.open(store, { contextWindowSize: 2 })
    const memory = typedMemory(bench.memory)
    const given: (readonly Prompt[])[] = []
    const loop = new AgentLoop(memory, async (messages) => {
      given.push(messages)
      return `answer ${given.length}`
    })
    for (const question of ['where are the apples?', 'where are the pears?', 'where are the plums?']) {
      await loop.process(question)
    }
    expect(given[0]?.map(({ content }) => content)).toEqual(['You are a robot.', 'where are the apples?'])
    expect(given[2]?.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'system: You are a robot.',
      'user: where are the pears?',
      'assistant: answer 2',
      'user: where are the plums?',
    ])
    const found = await memory.search('apples', { memoryType: MemoryType.CONVERSATION })
    expect(found.map((hit) => hit.memory.content)).toContain('where are the apples?')
    await memory.clearContextWindow()
    expect(await memory.getContextWindow()).toEqual([])
    await memory.addToContextWindow('user', 'again')
    expect(await memory.getContextWindow()).toEqual([
      { role: 'user', content: 'again', timestamp: '2026-11-15T14:03:00.000Z' },
    ])
    expect(await typedMemory(bench.memory, { session: 'another' }).getContextWindow()).toEqual([])
    await expect(memory.addToContextWindow('tool' as never, 'x')).rejects.toMatchObject({ code: 'INVALID' })
  })
})

describe('typedMemory', () => {
  it('has its window after a restart', async () => {
    const workspace = newFolder()
    const first = await openMemory({ workspace, embeddingModel: 'none' })
    await typedMemory(first).addToContextWindow('user', 'still there?')
    await first.close()
    const second = await openMemory({ workspace, embeddingModel: 'none' })
    expect((await typedMemory(second).getContextWindow()).map(({ content }) => content)).toEqual(['still there?'])
    await second.close()
  })
})
