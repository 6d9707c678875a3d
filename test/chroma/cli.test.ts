/** The built program on a memory that a real Chroma server keeps: each command as a process of its own, as its users run it. */

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addressOf } from '../../src/model/server-address.ts'
import { Desk, type Printed } from '../cli/keepsake.ts'
import { visibleTree } from '../cli/visible-tree.ts'
import { type ChromaServer, describeOnServer } from './server.ts'

/** A memory of its own on the server, and a desk to ask it from. */
async function deskOn(server: ChromaServer): Promise<{
  readonly desk: Desk
  readonly address: string
  readonly ask: (args: readonly string[]) => Promise<Printed>
}> {
  const desk = new Desk()
  const address = addressOf(await server.place())
  return { desk, address, ask: (args) => desk.json([...args, '--workspace', address]) }
}

describeOnServer('the command line on a Chroma server', (server) => {
  it.concurrent('moves a memory there and back, the same to the byte, and finds the same in it', async ({ expect }) => {
    const desk = await Desk.furnished()
    const address = addressOf(await server.place())
    const found = await desk.json(['recall', 'staging server'])
    expect(await desk.json(['move', '--to', address, '--dry-run'])).toMatchObject({ entries: 4, dryRun: true })
    expect(await desk.json(['move', '--to', address])).toMatchObject({ status: 0, to: address, entries: 4, changes: 4 })
    const there = await desk.json(['recall', 'staging server', '--workspace', address])
    expect(there.hits.length).toBeGreaterThan(0)
    expect(there.hits).toEqual(found.hits.map(withoutPath))
    expect(await desk.json(['move', '--to', address])).toMatchObject({ alreadyThere: true })
    expect(await desk.json(['doctor', '--workspace', address])).toMatchObject({ clean: true, status: 0 })
    expect(await desk.json(['move', '--to', 'back', '--workspace', address])).toMatchObject({ status: 0, entries: 4 })
    expect(visibleTree(join(desk.folder, 'back'))).toEqual(visibleTree(desk.workspace))
  })

  it.concurrent('is not made by a move from where no memory is, which would stand in the way of the real one', async ({
    expect,
  }) => {
    const { desk, address, ask } = await deskOn(server)
    const refused = await desk.json(['move', '--to', address, '--workspace', 'never-made'])
    expect([refused.status, refused.error.code]).toEqual([3, 'NOT_FOUND'])
    expect((await ask(['move', '--to', 'copy'])).error.code).toBe('NOT_FOUND')
    await desk.json(['remember', 'Alex likes tea.', '--workspace', 'later'])
    expect(await desk.json(['move', '--to', address, '--workspace', 'later'])).toMatchObject({ status: 0, entries: 1 })
  })

  it.concurrent('writes, reads, looks back, forgets and exports', async ({ expect }) => {
    const { desk, address, ask } = await deskOn(server)
    expect(await ask(['init', '--timezone', 'Europe/Berlin'])).toMatchObject({ created: true, workspace: address })
    expect(await ask(['init'])).toMatchObject({ created: false, settings: { timezone: 'Europe/Berlin' } })
    await ask(['remember', 'Alex likes tea.', '--name', 'Alex'])
    await ask(['remember', 'Alex likes coffee.', '--name', 'Alex'])
    expect((await ask(['show', 'Alex'])).entry.content).toBe('Alex likes coffee.')
    await ask(['undo'])
    expect((await ask(['recall', 'tea'])).hits).toMatchObject([{ entry: { name: 'Alex', content: 'Alex likes tea.' } }])
    expect((await ask(['log'])).changes).toHaveLength(3)
    await ask(['session', 'append', 'chat', 'Hi.', '--role', 'user'])
    expect((await ask(['session', 'list'])).sessions).toMatchObject([{ key: 'chat' }])
    expect(await ask(['export', 'out'])).toMatchObject({ entries: 1, sessions: 1 })
    expect(await ask(['forget', 'Alex', '--purge', '--yes'])).toMatchObject({ status: 0 })
    expect(await ask(['doctor', '--fix'])).toMatchObject({
      clean: true,
      mended: [],
      checked: { entries: 0, sessions: 1 },
    })
    const { config } = await ask(['config'])
    expect(config.timezone).toEqual({ value: 'Europe/Berlin', source: 'the server' })
    expect((await desk.json(['config', 'timezone', '--workspace', address])).files.settings).toBeNull()
  })

  it.concurrent('has several processes write at once, and none of their writes is lost', async ({ expect }) => {
    const { ask } = await deskOn(server)
    const names = Array.from({ length: 4 }, (_, n) => `note-${n}`)
    await Promise.all(names.map((name) => ask(['remember', `This is ${name}.`, '--name', name])))
    expect((await ask(['list'])).entries.map(({ name }: { name: string }) => name).sort()).toEqual(names)
  })

  it.concurrent('answers hooks and MCP', async ({ expect }) => {
    const { desk, address, ask } = await deskOn(server)
    await ask(['remember', 'The heron stands by the river.', '--name', 'heron'])
    const event = { hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'where is the heron?' }
    const hook = desk.run(['hook', 'claude', '--workspace', address], { input: JSON.stringify(event) })
    const mcp = recalledOverMcp(desk, address)
    expect((await hook).stdout).toContain('stands by the river')
    expect(await mcp).toContain('stands by the river')
  })

  it.concurrent('is one of a flat memory of another agent, where nobody names one', async ({ expect }) => {
    const { desk, address, ask } = await deskOn(server)
    await ask(['init', '--layout', 'flat', '--agent', 'crab'])
    expect((await ask(['remember', 'Sideways.', '--name', 'gait'])).entry.scope).toBe('crab')
    expect((await ask(['config', 'agent'])).config.agent).toEqual({ value: 'crab', source: 'the server' })
    expect(await ask(['list', '--agent', 'main'])).toMatchObject({ status: 2, error: { code: 'INVALID' } })
    expect(await desk.json(['move', '--to', 'flat', '--workspace', address])).toMatchObject({ status: 0, entries: 1 })
    expect((await desk.json(['list', '--workspace', 'flat'])).entries).toMatchObject([{ scope: 'crab' }])
  })

  it.concurrent('refuses what the memory was not made with, and what is not there', async ({ expect }) => {
    const { desk, address, ask } = await deskOn(server)
    await ask(['init', '--timezone', 'UTC'])
    const { database } = { database: address.split('/').at(-1) }
    const lines = ['backend: chroma', `url: ${server.url}`, `database: ${database}`, 'timezone: Europe/Berlin']
    writeFileSync(
      join(desk.folder, 'agent.yaml'),
      ['spec:', '  memory:', ...lines.map((line) => `    ${line}`)].join('\n'),
    )
    const { status, error } = await desk.json(['list'])
    expect([status, error.code]).toEqual([2, 'INVALID'])
    expect(error.message).toContain(`${address} was made with "UTC"`)
    const unknown = await desk.json(['list', '--workspace', `chroma://127.0.0.1:${server.port}?tenant=nobody`])
    expect([unknown.status, unknown.error.code]).toEqual([2, 'INVALID'])
  })

  it('completes names for a shell, which waits only a moment for them', async () => {
    const { desk, address, ask } = await deskOn(server)
    await ask(['remember', 'The heron stands by the river.', '--name', 'heron'])
    const complete = async (): Promise<string> =>
      (await desk.run(['__complete', 'keepsake', 'show', '--workspace', address, 'he'])).stdout
    // On a busy machine that moment may be over before the server has answered.
    await expect.poll(complete, { timeout: 20_000 }).toBe('heron\tnote\n')
  })

  it('tells a server that is slow from one that is down, each within its time limit', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const desk = new Desk()
    const lines = ['backend: chroma', `url: http://127.0.0.1:${port}`, 'server_timeout: 1']
    writeFileSync(
      join(desk.folder, 'agent.yaml'),
      ['spec:', '  memory:', ...lines.map((line) => `    ${line}`)].join('\n'),
    )
    const slow = await Promise.all([['list'], ['remember', 'x'], ['doctor']].map((args) => desk.json(args)))
    expect(slow.map(({ status }) => status)).toEqual([1, 1, 1])
    expect(slow.map(({ error }) => error?.code)).toEqual(['TIMEOUT', 'TIMEOUT', undefined])
    expect(slow[2].problems).toMatchObject([
      { code: 'unreachable-server', problem: 'it did not answer within 1000 ms' },
    ])
    silent.close()
    const down = await desk.json(['list'])
    expect([down.status, down.error.code]).toEqual([1, 'IO'])
    const told = await desk.run(['hook', 'claude'], { input: '{"hook_event_name":"SessionStart","session_id":"s"}' })
    expect(JSON.parse(told.stdout).systemMessage).toContain("can't be reached")
  })
})

it('is not sent memories by a hook where only a found file names it', async () => {
  const desk = new Desk()
  writeFileSync(
    join(desk.folder, 'agent.yaml'),
    'spec: { memory: { backend: chroma, url: "http://10.255.0.1:8000" } }\n',
  )
  const input = '{"hook_event_name":"SessionStart","session_id":"s"}'
  const { stdout } = await desk.run(['hook', 'claude'], { input })
  expect(JSON.parse(stdout).systemMessage).toContain('agent.yaml:1 leads to chroma://10.255.0.1:8000, and a file that')
})

/** Its input stays open until it has answered: a server ends with its client, whatever was asked. */
async function recalledOverMcp(desk: Desk, address: string): Promise<string> {
  const child = desk.start(['mcp', '--workspace', address])
  child.stdin.write(RECALL_OVER_MCP)
  let answers = ''
  for await (const chunk of child.stdout) {
    answers += chunk
    if (/"id":2\b.*\n/.test(answers)) child.stdin.end()
  }
  return answers
}

/** Only a folder has files to name. */
function withoutPath({ entry: { path: _, ...entry }, ...hit }: Printed): Printed {
  return { entry, ...hit }
}

const RECALL_OVER_MCP = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cli', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'recall', arguments: { query: 'heron' } } },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('')
