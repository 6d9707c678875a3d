/** The same loop with a model behind a socket, in both protocols. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Script, type ScriptedModel, startScriptedModel } from '../../examples/scripted-model.mjs'
import { createAgent } from '../../src/agent/agent.ts'
import type { AgentEvent } from '../../src/agent/events.ts'
import { anthropicModel } from '../../src/complete/anthropic.ts'
import { openaiModel } from '../../src/complete/openai.ts'
import type { Memory } from '../../src/memory.ts'
import { Workspace } from '../session/workspace.ts'
import { said } from './talk.ts'

const PROVIDERS = { openai: openaiModel, anthropic: anthropicModel }

describe.each(['openai', 'anthropic'] as const)('an agent on %s', (provider) => {
  let workspace: Workspace
  let memory: Memory
  let server: ScriptedModel
  let reply: Script

  beforeEach(async () => {
    workspace = new Workspace()
    memory = workspace.open()
    reply = () => undefined
    server = await startScriptedModel({ reply: (request) => reply(request) })
  })
  afterEach(async () => {
    await server.close()
    await workspace.remove()
  })

  function agentOf(): ReturnType<typeof createAgent> {
    const model = PROVIDERS[provider]({ model: 'any', baseUrl: server.url, retries: 0 })
    return createAgent({ memory, model })
  }

  it('remembers, is asked, begins anew', async () => {
    const agent = agentOf()
    const streamed: string[] = []
    const on = (event: AgentEvent): void => void (event.type === 'text' && streamed.push(event.text))
    const first = await agent.process('Please remember that we use Postgres 17.', { on })
    expect(first.toolCalls).toBe(1)
    expect(streamed.join('')).toBe(first.text)
    expect(first.usage?.outputTokens).toBeGreaterThan(0)
    expect((await memory.search('Postgres')).hits[0]?.entry.content).toMatch(/we use Postgres 17/i)
    await agent.process('Which database do we use?')
    const sent = server.requests.at(-1)?.messages ?? []
    expect(sent.filter(({ role }) => role === 'tool')).toHaveLength(2)
    const cleared = await agent.process('/new')
    expect(cleared).toMatchObject({ text: 'Session cleared.', condensed: { outcome: 'condensed' } })
    expect((await memory.list({ kinds: ['history'] })).length).toBe(1)
  })

  it('has an answer after the most steps, which the server does not refuse', async () => {
    const model = PROVIDERS[provider]({ model: 'any', baseUrl: server.url, retries: 0 })
    reply = ({ mayCall }) =>
      mayCall ? { toolCalls: [{ name: 'recall', arguments: { query: 'x' } }] } : { text: 'Enough.' }
    const agent = createAgent({ memory, model, maxSteps: 1 })
    expect(await agent.process('Look for ever.')).toMatchObject({ text: 'Enough.', toolCalls: 1 })
    expect(server.requests.at(-1)?.tools).toContain('recall')
  })

  it('is stopped in the middle of a word, and keeps what came', async () => {
    reply = () => ({ pieces: ['One ', 'two ', ...Array(50).fill('more ')], pieceDelayMs: 20 })
    const controller = new AbortController()
    let heard = ''
    const on = (event: AgentEvent): void => {
      if (event.type === 'text') heard += event.text
      if (heard.includes('two')) controller.abort(new Error('enough'))
    }
    await expect(agentOf().process('Count', { signal: controller.signal, on })).rejects.toThrow('enough')
    expect(await said(memory)).toEqual(['user: Count', `assistant: ${heard}`])
  })

  it('goes on after a failure, with both questions', async () => {
    reply = ({ number }) =>
      number === 1 ? { status: 500 } : number === 2 ? { text: 'half an answer', cut: 60 } : undefined
    const agent = agentOf()
    await expect(agent.process('One.')).rejects.toMatchObject({ code: 'MODEL' })
    await expect(agent.process('Two.', { on: () => undefined })).rejects.toMatchObject({ code: 'MODEL' })
    expect((await agent.process('Three.')).text).toContain('Three.')
    expect(server.requests.at(-1)?.messages.map(({ content }) => content)).toEqual(['One.\n\nTwo.\n\nThree.'])
  })
})
