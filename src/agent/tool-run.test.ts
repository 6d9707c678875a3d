import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../model/entry.ts'
import { callsOf } from './tool-calls.ts'
import { type AgentTool, runTool, type ToolOutcome, toolbox } from './tool-run.ts'

function tool(name: string, run: AgentTool['run']): AgentTool {
  return { name, description: name, inputSchema: { type: 'object' }, run }
}

const box = toolbox([
  tool('echo', (args) => JSON.stringify(args)),
  tool('long', () => 'x'.repeat(40_000)),
  tool('broken', () => {
    throw new Error('no disk')
  }),
  tool('odd', () => 3 as unknown as string),
  tool('half', () => ({ text: 'a\0b\ud800', isError: true })),
])

function run(name: string, args: JsonValue = {}): Promise<ToolOutcome> {
  return runTool(box, { id: '1', name, arguments: args }, {})
}

describe('a call of a tool', () => {
  it.each<[JsonValue, string]>([
    [{ a: 1 }, '{"a":1}'],
    ['{"a":1}', '{"a":1}'],
    ['', '{}'],
    [' \n', '{}'],
  ])('gives the arguments %j', async (args, text) => {
    expect(await run('echo', args)).toEqual({ text, isError: false })
  })

  it.each<[string, JsonValue, RegExp]>([
    ['echo', '{"a":', /arguments of echo are no JSON object: "\{/],
    ['echo', [1], /no JSON object/],
    ['echo', null, /no JSON object/],
    ['ecko', {}, /no tool "ecko"\. There are: echo, long/],
    ['broken', {}, /broken failed: no disk/],
    ['odd', {}, /odd gave no text/],
  ])('tells the model what is wrong with %s %j', async (name, args, text) => {
    const outcome = await run(name, args)
    expect(outcome.isError).toBe(true)
    expect(outcome.text).toMatch(text)
  })

  it('bounds what comes back, and says so; gives only what a transcript keeps', async () => {
    const { text } = await run('long')
    expect(text.length).toBeLessThan(32_100)
    expect(text).toMatch(/\(Cut: the first 32000 of 40000 characters\.\)$/)
    expect(await run('half')).toEqual({ text: 'a\ufffdb\ufffd', isError: true })
  })

  it('ends at once when it is stopped, though the tool does not', async () => {
    const controller = new AbortController()
    const never = toolbox([tool('never', () => new Promise(() => undefined))])
    const running = runTool(never, { id: '1', name: 'never', arguments: {} }, { signal: controller.signal })
    controller.abort(new Error('stop'))
    await expect(running).rejects.toThrow('stop')
  })

  it.each([['a', 'a'], ['a b'], [''], ['x'.repeat(65)]])('refuses tools called %j', (...names) => {
    expect(() => toolbox(names.map((name) => tool(name, () => '')))).toThrow(/tools: /)
  })
})

describe('calls as a model sends them', () => {
  it('get ids of their own, names, and arguments that can be kept', () => {
    let deep: JsonValue = 'end'
    for (let depth = 0; depth < 60; depth++) deep = { deep }
    const sent = [
      { id: '', name: 'a', arguments: { text: '\ud800' } },
      { id: 'x', name: ' ', arguments: deep },
      { id: 'x', name: 'c', arguments: null },
    ]
    const calls = callsOf({ content: '', toolCalls: sent })
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
    expect(calls.map(({ name }) => name)).toEqual(['a', '?', 'c'])
    expect(calls[0]?.arguments).toEqual({ text: '\ufffd' })
    expect(JSON.stringify(calls[1]?.arguments)).toContain('end')
    expect(calls[2]?.arguments).toEqual({})
  })
})
