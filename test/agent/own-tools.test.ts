/** E8 in the loop: what the memory's own tools show to the model is not taken for something that was said. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAgent } from '../../src/agent/agent.ts'
import type { Memory } from '../../src/memory.ts'
import type { Preset } from '../../src/model/preset.ts'
import type { Complete, Completion } from '../../src/ports/complete.ts'
import { Workspace } from '../session/workspace.ts'
import { calls, saying, turnsOf } from './talk.ts'

const NOTE =
  'The staging server heron lives in rack seventeen of the Bergen basement and is rebooted on Sundays at noon.'
const NEWS = 'By the way, the basement floods each spring, so we move the rack upstairs before the end of March.'

let workspace: Workspace
beforeEach(() => {
  workspace = new Workspace()
})
afterEach(() => workspace.remove())

/** What the model that condenses is shown of a conversation, and what becomes `conversation` entries of it. */
async function takenFrom(memory: Memory, ...answers: readonly Partial<Completion>[]): Promise<[string, string[]]> {
  const prompts: string[] = []
  const condenseWith: Complete = async (message) => {
    prompts.push(message)
    return { content: JSON.stringify({ history_entry: 'They spoke about a server.', memory_update: '' }) }
  }
  const die = { name: 'die', description: 'Rolls.', inputSchema: { type: 'object' }, run: () => 'A four was rolled.' }
  const agent = createAgent({ memory, model: saying(...answers).complete, condenseWith, tools: [die] })
  await agent.process('Where was it, please?')
  await agent.process('/new')
  agent.close()
  const kept = await memory.list({ kinds: ['conversation'] })
  expect(prompts).toHaveLength(1)
  const [prompt = ''] = prompts
  return [prompt.slice(prompt.lastIndexOf('Where was it, please?')), kept.map(({ content }) => content)]
}

describe("a result of the memory's own tools", () => {
  it('is neither condensed nor kept again where the model repeats it; what the model adds is', async () => {
    const memory = workspace.open()
    await memory.remember(NOTE, { name: 'heron' })
    const asked = [...(calls('recall', { query: 'heron' }).toolCalls ?? []), ...(calls('die').toolCalls ?? [])]
    const [prompt, kept] = await takenFrom(memory, { toolCalls: asked }, { content: `${NOTE} ${NEWS}` })
    expect(prompt).not.toContain('rack seventeen')
    expect(prompt).toContain(NEWS)
    // Of ours the name, of others what they gave.
    expect(prompt).toContain('recall')
    expect(prompt).toContain('A four was rolled.')
    expect(kept.sort()).toEqual([NEWS, 'Where was it, please?'].sort())
  })

  it('does not hold back what the model said when it called', async () => {
    const memory = workspace.open()
    const call = calls('remember', { content: NOTE, name: 'heron' })
    const [prompt, kept] = await takenFrom(memory, { ...call, content: NOTE }, calls('recall', { query: 'heron' }), {
      content: NOTE,
    })
    expect(prompt.split('rack seventeen')).toHaveLength(2)
    expect(kept.filter((text) => text === NOTE)).toHaveLength(1)
  })

  it.each<[Preset, string, Record<string, string>]>([
    ['default', 'recall', {}],
    ['default', 'reflect', {}],
    ['default', 'learn_fact', { topic: 'heron' }],
    ['agnx', 'recall', {}],
    ['reachy', 'search_memories', { query: 'staging server heron' }],
    ['crabtalk', 'recall', { query: 'staging server heron' }],
  ])('is known with %s: %s %j', async (tools, name, args) => {
    // Auto-recall would give it, too.
    const memory = workspace.open({ tools, autoRecall: false, injectMemory: false })
    if (name === 'reflect') await memory.reflect(NOTE)
    else if (name === 'learn_fact') await memory.learnFact('heron', NOTE)
    else await memory.remember(NOTE, tools === 'reachy' ? { kind: 'fact', name: 'heron' } : { name: 'heron' })
    if (tools === 'agnx' || (tools === 'default' && name === 'recall')) await memory.reflect(NOTE)
    const [prompt, kept] = await takenFrom(memory, calls(name, args), { content: NOTE })
    expect((await turnsOf(memory))[2]?.content).toContain('rack seventeen')
    expect(prompt).not.toContain('rack seventeen')
    expect(kept).toEqual(['Where was it, please?'])
    // Another process knows it as well.
    expect(await workspace.open().session('chat-1').fresh(NOTE)).toBeUndefined()
  })
})

describe('calls that no provider would send', () => {
  const ran: unknown[] = []
  const note = {
    name: 'note',
    description: 'Notes.',
    inputSchema: { type: 'object' },
    run: (args: unknown) => {
      ran.push(args)
      return 'noted'
    },
  }
  const cycle: Record<string, unknown> = {}
  cycle['self'] = [cycle, cycle]

  it.each<[string, unknown, RegExp]>([
    ['NaN', { big: Number.NaN }, /arguments\.big: NaN/],
    ['a function', { run: () => 1 }, /arguments\.run: a function/],
    ['a bigint', { many: 10n }, /arguments\.many: a bigint/],
    ['undefined in a list', [undefined], /arguments\[0\]: a undefined/],
    ['a symbol', Symbol('x'), /arguments: a symbol/],
    ['a cycle', cycle, /hold themselves/],
  ])('are told to the model, and what ran is kept: %s', async (_, args, told) => {
    ran.length = 0
    const memory = workspace.open()
    const sent = [{ id: '1', name: 'note', arguments: { a: 1 } }, { id: '2', name: 'note', arguments: args }, null, 'x']
    const { complete, asked } = saying({ toolCalls: sent as never }, { content: 'Sorry.' })
    const reply = await createAgent({ memory, model: complete, tools: [note] }).process('Note it.')
    expect(reply).toMatchObject({ text: 'Sorry.', toolCalls: 4 })
    expect(ran).toEqual([{ a: 1 }])
    const results = asked[1]?.messages?.filter(({ role }) => role === 'tool')
    expect(results).toMatchObject([
      { content: 'noted' },
      { isError: true, content: expect.stringMatching(told) },
      { isError: true, content: expect.stringContaining('There is no tool "?"') },
      { isError: true, content: expect.stringContaining('There is no tool "?"') },
    ])
    expect((await turnsOf(memory)).map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'tool', 'tool', 'tool', 'assistant'],
    ])
  })

  it('lack what is undefined, as in JSON', async () => {
    ran.length = 0
    const memory = workspace.open()
    const sent = [
      { id: '1', name: 'note', arguments: { a: 1, b: undefined } },
      { id: '2', name: 'note' },
    ]
    const { complete } = saying({ toolCalls: sent as never }, { content: 'Done.' })
    await createAgent({ memory, model: complete, tools: [note] }).process('Note it.')
    expect(ran).toEqual([{ a: 1 }, {}])
    const none = saying({ content: 'Fine.', toolCalls: { length: 1 } as never })
    expect((await createAgent({ memory, model: none.complete }).process('Well?')).text).toBe('Fine.')
  })
})
