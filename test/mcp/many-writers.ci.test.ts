/**
 * Several MCP servers on one workspace, each a process of its own as every client starts one: nothing that was acknowledged is
 * lost or doubled, each sees the other's writes at once, and who writes with `expect` overwrites nothing unseen.
 */

import { join } from 'node:path'
import { type CallToolResult, Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { freshFolder, MAIN } from '../cli/keepsake.ts'
import { isNightly } from '../tier.ts'

const WRITES = isNightly ? 100 : 40
const IN_FLIGHT = 8
const KILLS = isNightly ? 20 : 2
/** Else each of the servers would load a model. */
const WORDS_ONLY = { KEEPSAKE_EMBEDDING_MODEL: 'none' }

/** One connected client and the server that it started. */
interface Served {
  readonly pid: number
  /** The whole answer; a failed call throws with its text. */
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<Answer>
  readonly close: () => Promise<void>
}

interface Answer {
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly data: any
}

const open: Served[] = []

afterEach(async () => {
  for (const served of open.splice(0)) await served.close()
})

async function serve(workspace: string, agent = 'main', era: 'legacy' | 'modern' = 'legacy'): Promise<Served> {
  const client = new Client(
    { name: 'many-writers', version: '1' },
    era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  const args = [MAIN, 'mcp', '--workspace', workspace, '--agent', agent]
  const transport = new StdioClientTransport({ command: process.execPath, args, env: WORDS_ONLY, stderr: 'ignore' })
  await client.connect(transport)
  const served: Served = {
    pid: transport.pid ?? 0,
    call: async (name, given) => {
      const answer = (await client.callTool({ name, arguments: { ...given } })) as CallToolResult
      const text = answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      if (answer.isError) throw new Error(text)
      return { text, data: answer.structuredContent }
    },
    close: () => client.close(),
  }
  open.push(served)
  return served
}

/** Runs `count` calls with so many at once; gives their answers in the order of their numbers. */
async function inFlight<T>(count: number, most: number, call: (number: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) answers[number] = await call(number)
  }
  await Promise.all(Array.from({ length: most }, lane))
  return answers
}

/** Every text that is remembered, as another process reads it from the files. */
async function textsOf(workspace: string, agents: readonly string[]): Promise<string[]> {
  const memory = await openMemory({ workspace })
  const lists = await Promise.all(agents.map((agent) => memory.as(agent).list({ kinds: ['note', 'experience'] })))
  await memory.close()
  return lists.flat().map((entry) => entry.content)
}

function numbered(label: string, count: number): string[] {
  return Array.from({ length: count }, (_, number) => `${label} number ${number}`)
}

describe('two MCP servers on one workspace', () => {
  it.each([
    { who: 'one agent', agents: ['main', 'main'] as const },
    { who: 'two agents', agents: ['heron', 'otter'] as const },
  ])(`lose none of ${WRITES} writes each at once: $who`, { timeout: 60_000 }, async ({ agents }) => {
    const workspace = join(freshFolder(), 'ws')
    const servers = await Promise.all([serve(workspace, agents[0]), serve(workspace, agents[1], 'modern')])
    const answers = await Promise.all(
      servers.map((server, which) =>
        inFlight(WRITES, IN_FLIGHT, (number) => {
          const content = `server${which} number ${number}`
          // Every second one is a note with a file of its own.
          return server.call('remember', number % 2 ? { content } : { content, name: `note ${which} ${number}` })
        }),
      ),
    )
    const ids = answers.flat().map(({ data }) => data.entry.id)
    expect(new Set(ids).size).toBe(2 * WRITES)
    const kept = await textsOf(workspace, [...new Set(agents)])
    expect(kept.sort()).toEqual([...numbered('server0', WRITES), ...numbered('server1', WRITES)].sort())
  })

  it('see what the other wrote at once, and do not overwrite what they have not seen', {
    timeout: 60_000,
  }, async () => {
    const workspace = join(freshFolder(), 'ws')
    const [one, other] = [await serve(workspace), await serve(workspace, 'main', 'modern')]
    for (let round = 0; round < 5; round++) {
      await one.call('remember', { content: `The password of the lake is heron${round}` })
      expect((await other.call('recall', { query: `heron${round}` })).text).toContain(`heron${round}`)
      await other.call('remember', { content: `The bridge opens at otter${round}`, name: `Bridge ${round}` })
      expect((await one.call('recall', { query: `otter${round}` })).text).toContain(`otter${round}`)
    }
    for (const [tool, page] of [
      ['reflect', {}],
      ['learn_fact', { topic: 'Lake' }],
    ] as const) {
      const { data: first } = await one.call(tool, { ...page, content: 'first', expect: 'new' })
      await other.call(tool, { ...page, content: 'second', expect: first.entry.revision })
      await expect(one.call(tool, { ...page, content: 'third', expect: first.entry.revision })).rejects.toThrow()
      await expect(one.call(tool, { ...page, content: 'fourth', expect: 'new' })).rejects.toThrow()
      const { data: read } = await one.call(tool, page)
      expect(read.content).toBe('second')
      await one.call(tool, { ...page, content: 'fifth', expect: read.revision })
      expect((await other.call(tool, page)).data.content).toBe('fifth')
    }
  })

  it('let one of two win who rewrite the same at the same moment', { timeout: 60_000 }, async () => {
    const workspace = join(freshFolder(), 'ws')
    const servers = await Promise.all([serve(workspace), serve(workspace)])
    let { data: seen } = await servers[0].call('reflect', { content: 'start', expect: 'new' })
    for (let round = 0; round < 10; round++) {
      const tries = await Promise.allSettled(
        servers.map((server, which) =>
          server.call('reflect', { content: `round ${round} of ${which}`, expect: seen.entry.revision }),
        ),
      )
      const won = tries.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))
      expect(won).toHaveLength(1)
      seen = won[0]?.data
      expect((await servers[0].call('reflect', {})).data.revision).toBe(seen.entry.revision)
    }
  })

  it(`keep what one acknowledged that is killed in the middle of writing (${KILLS} times)`, {
    timeout: 120_000,
  }, async () => {
    const workspace = join(freshFolder(), 'ws')
    const survivor = await serve(workspace)
    const acknowledged: string[] = []
    const write = async (server: Served, content: string): Promise<void> => {
      await server.call('remember', { content })
      acknowledged.push(content)
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = await serve(workspace)
      let written = 0
      const victims = inFlight(WRITES, IN_FLIGHT, async (number) => {
        await write(victim, `victim ${kill} number ${number}`)
        if (++written === 10 + 3 * kill) process.kill(victim.pid, 'SIGKILL')
      })
      const survivors = inFlight(20, 2, (number) => write(survivor, `survivor ${kill} number ${number}`))
      await expect(victims).rejects.toThrow()
      await survivors
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * (20 + 10))
    const kept = await textsOf(workspace, ['main'])
    expect(acknowledged.filter((text) => !kept.includes(text))).toEqual([])
    expect(new Set(kept).size).toBe(kept.length)
    await survivor.call('remember', { content: 'life goes on' })
  })
})

describe('one MCP server', () => {
  it('with 8 calls in flight loses nothing, and answers each call with its own', { timeout: 60_000 }, async () => {
    const workspace = join(freshFolder(), 'ws')
    const server = await serve(workspace)
    const answers = await inFlight(WRITES, IN_FLIGHT, async (number) => {
      const { data } = await server.call('remember', { content: `single number ${number}`, name: `Name ${number}` })
      const found = await server.call('recall', { query: `"Name ${number}"`, limit: 1 })
      return { number, name: data.entry.name, text: found.text }
    })
    for (const { number, name, text } of answers) {
      expect(name).toBe(`Name ${number}`)
      expect(text).toContain(`single number ${number}`)
    }
    expect((await textsOf(workspace, ['main'])).sort()).toEqual(numbered('single', WRITES).sort())
  })
})
