import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAgent } from '../../src/agent/agent.ts'
import type { AgentEvent } from '../../src/agent/events.ts'
import type { Memory } from '../../src/memory.ts'
import type { Complete } from '../../src/ports/complete.ts'
import { longExchanges, sayAll } from '../consolidate/models.ts'
import { Workspace } from '../session/workspace.ts'
import { calls, said, saying } from './talk.ts'

let workspace: Workspace

beforeEach(() => {
  workspace = new Workspace()
})
afterEach(() => workspace.remove())

const GOOD = JSON.stringify({ history_entry: 'They spoke about trees.', memory_update: '- Likes oaks.' })

/** A model for condensing, and the prompts that it was given. */
function condenser(...replies: readonly string[]): { readonly complete: Complete; readonly prompts: string[] } {
  const prompts: string[] = []
  const complete: Complete = async (message) => {
    prompts.push(message)
    return { content: replies[prompts.length - 1] ?? GOOD }
  }
  return { complete, prompts }
}

async function live(memory: Memory): Promise<number> {
  return (await memory.session('chat-1').view()).turns.length
}

describe('overflow', () => {
  it('condenses down to half the window before the turn, never parts a call from its result, and is there after a restart', async () => {
    const settings = { memoryWindow: 8, contextWindowSize: 3 }
    const memory = workspace.open(settings)
    const { complete } = saying({}, {}, calls('reflect'), {}, {})
    const { complete: condense, prompts } = condenser()
    const agent = createAgent({ memory, model: complete, condenseWith: condense })
    const events: AgentEvent[] = []
    const on = (event: AgentEvent): void => void (event.type !== 'text' && events.push(event))
    for (const tree of ['oak', 'elm', 'fir', 'ash']) await agent.process(`Tell me about the ${tree}.`, { on })
    expect(await live(memory)).toBe(10)
    expect(prompts).toHaveLength(0)
    events.length = 0
    const reply = await agent.process('Tell me about the yew.', { on })
    expect(reply.condensed).toMatchObject({ outcome: 'condensed', memory: 'updated' })
    expect(events.map(({ type }) => type)).toEqual(['condensing', 'condensed'])
    expect(prompts).toHaveLength(1)
    // Of ten messages at most four may stay: the exchange with the tool has four, and goes whole.
    expect(prompts[0]).toContain('Tell me about the fir.')
    expect(prompts[0]).not.toContain('Tell me about the ash.')
    expect(await live(memory)).toBe(4)
    expect((await memory.get('MEMORY'))?.content).toBe('- Likes oaks.')
    expect((await said(memory)).filter((line) => line.startsWith('user'))).toHaveLength(5)
    await memory.close()

    const after = workspace.open(settings)
    const later = saying()
    await createAgent({ memory: after, model: later.complete, condenseWith: condense }).process('And now?')
    expect(later.asked[0]?.system).toMatch(/<recap>[\s\S]*They spoke about trees\./)
    expect(later.asked[0]?.system).toContain('Likes oaks.')
    expect(later.asked[0]?.messages?.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
    expect(prompts).toHaveLength(1)
  })

  it('gives the model that condenses all that was said, also what was shown again since', async () => {
    const memory = workspace.open({ memoryWindow: 12, contextWindowSize: 1 })
    const { complete, asked } = saying()
    const { complete: condense, prompts } = condenser()
    const agent = createAgent({ memory, model: complete, condenseWith: condense })
    // Longer than a line of the recap, so that it is recalled besides.
    const office = 'The harbour office in Bergen opens at seven on Saturdays and closes at noon.'
    await agent.process(`${office} ${'It rains there. '.repeat(30)}`)
    for (const ship of ['barge', 'ferry', 'tug', 'yacht', 'sloop']) {
      await agent.process(`When does the harbour office open for a ${ship}?`)
    }
    // It stood in the recap, and was found for what was asked.
    expect(asked.at(-1)?.system).toContain('opens at seven on Saturdays')
    expect(asked.slice(1).some(({ message }) => message.includes(office))).toBe(true)
    await agent.process('Thanks.')
    await agent.process('Bye.')
    expect(prompts).toHaveLength(1)
    expect(prompts[0]).toContain(office)
    expect(prompts[0]).toContain('When does the harbour office open for a ferry?')
  })

  it('leaves what another program says meanwhile where it is', async () => {
    const memory = workspace.open({ memoryWindow: 2 })
    const other = workspace.open()
    const { complete, asked } = saying()
    let times = 0
    const condense: Complete = async () => {
      if (++times === 1) await other.session('chat-1').append({ role: 'user', content: 'By the way.' })
      return { content: GOOD }
    }
    const agent = createAgent({ memory, model: complete, condenseWith: condense })
    for (const input of ['One.', 'Two.', 'Three.', 'Four.']) await agent.process(input)
    const sent = asked.map(({ messages = [] }) => messages.map(({ content }) => content))
    expect(sent[2]).toEqual(['Two.', 'ok', 'Three.'])
    expect(sent[3]).toEqual(['By the way.', 'ok', 'Four.'])
  })

  it('that the user stops keeps what they said, and the next call goes on with it, also after a restart', async () => {
    const settings = { memoryWindow: 4 }
    const memory = workspace.open(settings)
    const stop = new AbortController()
    const condense: Complete = () => {
      stop.abort(new Error('enough'))
      return new Promise(() => undefined)
    }
    const agent = createAgent({ memory, model: saying().complete, condenseWith: condense })
    for (const input of ['One.', 'Two.', 'Three.']) await agent.process(input)
    await expect(agent.process('A long question.', { signal: stop.signal })).rejects.toThrow('enough')
    expect((await said(memory)).slice(6)).toEqual(['user: A long question.'])
    expect(await live(memory)).toBe(7)
    await memory.close()

    const later = saying()
    const { complete, prompts } = condenser()
    const after = createAgent({ memory: workspace.open(settings), model: later.complete, condenseWith: complete })
    expect((await after.process('Well?')).condensed?.outcome).toBe('condensed')
    expect(prompts[0]).toContain('Three.')
    expect(prompts[0]).not.toContain('A long question.')
    expect(later.asked[0]?.messages?.map(({ content }) => content)).toEqual(['A long question.\n\nWell?'])
  })

  it('that fails at a later piece says what is condensed and what stays', async () => {
    const memory = workspace.open({ memoryWindow: 4 })
    await sayAll(memory.session('chat-1'), longExchanges(1, 8))
    const { complete: condense } = condenser(GOOD, 'no')
    const agent = createAgent({ memory, model: saying().complete, condenseWith: condense })
    const { warnings } = await agent.process('And now?')
    expect(warnings[0]).toMatch(/^only the first part of the conversation is condensed so far, .*; the rest stays/)
  })

  it('that fails keeps everything, warns, and is tried again after ten more messages', async () => {
    const memory = workspace.open({ memoryWindow: 4 })
    const { complete, asked } = saying()
    const { complete: condense, prompts } = condenser('no', 'no', GOOD)
    const agent = createAgent({ memory, model: complete, condenseWith: condense })
    const outcomes: (string | undefined)[] = []
    for (let number = 1; number <= 15; number++) {
      const { condensed, warnings } = await agent.process(`Number ${number}`)
      if (condensed?.outcome === 'fell back')
        expect(warnings[0]).toMatch(/not condensed yet[\s\S]* stays in the session/)
      outcomes.push(condensed?.outcome)
    }
    const at = (outcome: string): number[] => outcomes.flatMap((one, index) => (one === outcome ? [index + 1] : []))
    // Before the fourth turn six messages are there; before the ninth, sixteen; before the fourteenth, twenty-six.
    expect(at('fell back')).toEqual([4, 9])
    expect(at('condensed')).toEqual([14])
    expect(prompts).toHaveLength(3)
    expect(asked).toHaveLength(15)
    expect(await said(memory)).toHaveLength(30)
  })

  it('that finds nothing to cut is no failure, and is tried again with the next message', async () => {
    const memory = workspace.open({ memoryWindow: 4 })
    const steps = Array.from({ length: 3 }, () => calls('reflect'))
    const { complete } = saying(...steps, {}, {})
    const { complete: condense, prompts } = condenser()
    const agent = createAgent({ memory, model: complete, condenseWith: condense })
    const events: string[] = []
    const on = (event: AgentEvent): void => void (event.type !== 'text' && events.push(event.type))
    await agent.process('One long exchange.')
    expect(await live(memory)).toBe(8)
    expect((await agent.process('Another.', { on })).condensed).toBeUndefined()
    expect(events).toEqual([])
    expect((await agent.process('A third.')).condensed?.outcome).toBe('condensed')
    expect(prompts).toHaveLength(1)
  })
})

describe('/new', () => {
  it('condenses, clears and says so; a second one at once, and one of nothing, ask no model', async () => {
    const memory = workspace.open()
    const { complete, asked } = saying()
    const { complete: condense, prompts } = condenser()
    const agent = createAgent({ memory, model: complete, condenseWith: condense })
    expect((await agent.process('/new')).text).toBe('Session cleared.')
    expect(prompts).toHaveLength(0)
    await agent.process('I like oaks.')
    const texts: string[] = []
    const on = (event: AgentEvent): void => void (event.type === 'text' && texts.push(event.text))
    const [first, second] = await Promise.all([agent.process(' /new\n', { on }), agent.process('/New')])
    expect([first.text, second.text, ...texts]).toEqual(Array(3).fill('Session cleared.'))
    expect([first.condensed?.outcome, second.condensed?.outcome]).toEqual(['condensed', 'nothing'])
    expect(prompts).toHaveLength(1)
    expect(await live(memory)).toBe(0)
    await agent.process('Which trees do I like?')
    expect(asked[1]?.messages).toHaveLength(1)
    expect(asked[1]?.system).toContain('- Likes oaks.')
    expect(asked[1]?.system).not.toContain('<recap>')
  })

  it('is said to the model by answer, and done without a word by beginAnew', async () => {
    const memory = workspace.open()
    const { complete, asked } = saying()
    const { complete: condense, prompts } = condenser()
    const agent = createAgent({ memory, model: complete, condenseWith: condense })
    await agent.answer('/new')
    expect([asked[0]?.messages, prompts.length]).toEqual([[{ role: 'user', content: '/new' }], 0])
    await expect(agent.answer(' ')).rejects.toMatchObject({ code: 'INVALID' })
    expect(await agent.beginAnew()).toMatchObject({ text: 'Session cleared.', condensed: { outcome: 'condensed' } })
    expect([asked.length, prompts.length, await live(memory)]).toEqual([1, 1, 0])
  })

  it('that fails keeps all that was said, and says where and what to do', async () => {
    const memory = workspace.open()
    const agent = createAgent({ memory, model: saying().complete, condenseWith: condenser('no').complete })
    await agent.process('The code of the door is 4711.')
    const { text, condensed } = await agent.process('/new')
    expect(text).toMatch(/^Session cleared\. It is not condensed, [\s\S]*keepsake consolidate --retry$/)
    const name = condensed?.archives[0]?.name ?? ''
    expect(text).toContain(`"${name}"`)
    expect((await memory.get(name))?.content).toContain('The code of the door is 4711.')
    expect(await live(memory)).toBe(0)
  })

  it('that fails at a later piece names the archive of the rest alone', async () => {
    const memory = workspace.open()
    await sayAll(memory.session('chat-1'), longExchanges(1, 5))
    const agent = createAgent({ memory, model: saying().complete, condenseWith: condenser(GOOD, 'no').complete })
    const { text, condensed } = await agent.process('/new')
    expect(condensed?.archives.map(({ name }) => name)).toEqual(['chat-1-1', 'chat-1-2'])
    expect(text).toMatch(/^Session cleared\. Only its first part is condensed, .*; the rest is kept in "chat-1-2"\. /)
  })
})
