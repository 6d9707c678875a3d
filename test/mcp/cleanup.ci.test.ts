/** Cleanup by a server that runs: at its start and by interval, off the way to any answer, and never in the way of its end. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { Desk, ended } from '../cli/keepsake.ts'
import { connect, eventually } from './harness.ts'

async function deskWith(interval: number): Promise<Desk> {
  const desk = new Desk()
  writeFileSync(join(desk.folder, 'agent.yaml'), `spec:\n  memory:\n    cleanup_interval: ${interval}\n`)
  const dayBefore = Date.now() - 86_400_000
  const memory = await openMemory({ workspace: desk.workspace, clock: () => dayBefore })
  await memory.remember('zebra old', { name: 'zebra old', ttl: '1h' })
  await memory.remember('zebra stays', { name: 'zebra stays' })
  await memory.close()
  return desk
}

function isThere(desk: Desk, slug: string): boolean {
  return existsSync(join(desk.workspace, `agents/main/entries/${slug}.md`))
}

/** How many lines the server has written to standard error so far. */
function countReports(server: ChildProcessWithoutNullStreams): () => number {
  let text = ''
  server.stderr.on('data', (part) => {
    text += String(part)
  })
  return () => text.split('\n').length - 1
}

describe.concurrent('a server', () => {
  it('cleans up soon after its start and by interval, says so on standard error, and ends with its input', async () => {
    const desk = await deskWith(1)
    const server = desk.start(['mcp'])
    const reports = countReports(server)
    const end = ended(server)
    await eventually(reports, (count) => count === 1)
    expect([isThere(desk, 'zebra-old'), isThere(desk, 'zebra-stays')]).toEqual([false, true])
    await desk.make(['remember', 'brief', '--name', 'brief', '--ttl', '1s'])
    await eventually(reports, (count) => count === 2)
    expect(isThere(desk, 'brief')).toBe(false)
    server.stdin.end()
    const { status, stdout, stderr } = await end
    expect([status, stdout]).toEqual([0, ''])
    expect(stderr).toBe('keepsake: removed 1 entry that has expired\n'.repeat(2))
  })

  it('over HTTP does the same', async () => {
    const desk = await deskWith(3600)
    const server = desk.start(['mcp', '--http', '--port', '0'])
    const reports = countReports(server)
    const end = ended(server)
    await eventually(reports, (count) => count === 1)
    expect(isThere(desk, 'zebra-old')).toBe(false)
    server.kill('SIGTERM')
    const { status, stderr } = await end
    expect([status, stderr]).toEqual([0, 'keepsake: removed 1 entry that has expired\n'])
  })

  it('without an interval removes nothing, and shows nothing expired all the same', async () => {
    const desk = await deskWith(0)
    const { client } = await connect(desk, 'modern')
    const stored = await client.callTool({
      name: 'remember',
      arguments: { content: 'zebra brief', name: 'zebra brief', ttl: '1s' },
    })
    expect([stored.isError, JSON.stringify(stored)]).toEqual([undefined, expect.stringContaining('zebra brief')])
    const recalled = async (): Promise<string> =>
      JSON.stringify(await client.callTool({ name: 'recall', arguments: { query: 'zebra' } }))
    await eventually(recalled, (text) => !text.includes('zebra brief'))
    const template = { type: 'ref/resource' as const, uri: 'keepsake://entries/{name}' }
    const { resourceTemplates } = await client.listResourceTemplates()
    const [uri = template.uri] = resourceTemplates
      .map(({ uriTemplate }) => uriTemplate)
      .filter((one) => one.includes('name'))
    const shown = JSON.stringify([
      await client.listResources(),
      await client.complete({ ref: { ...template, uri }, argument: { name: 'name', value: 'zebra' } }),
      await client.callTool({ name: 'recall', arguments: { query: 'zebra' } }),
      await client.callTool({ name: 'recall', arguments: {} }),
      await client.callTool({ name: 'forget', arguments: { ref: 'zebra bref' } }),
    ])
    expect(shown).toContain('zebra stays')
    expect(shown).not.toMatch(/zebra (old|brief)/)
    const address = uri.replace('{name}', 'zebra%20brief')
    await expect(client.readResource({ uri: address })).rejects.toThrow()
    expect(await client.readResource({ uri: uri.replace('{name}', 'zebra%20stays') })).toBeDefined()
    expect([isThere(desk, 'zebra-old'), isThere(desk, 'zebra-brief')]).toEqual([true, true])
  })
})
