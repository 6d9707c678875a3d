/** A start must stay lean: what a command does not need is not loaded. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Desk, freshFolder } from './keepsake.ts'

/** The files that Node ran, as its coverage tells. */
async function loadedBy(desk: Desk, args: readonly string[], input = ''): Promise<string[]> {
  const folder = freshFolder()
  const { status, stderr } = await desk.run(args, { input, env: { NODE_V8_COVERAGE: folder } })
  if (status !== 0) throw new Error(`keepsake ${args.join(' ')}: ${stderr}`)
  return readdirSync(folder)
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result)
    .map((script: { readonly url: string }) => script.url)
    .filter((url) => url.startsWith('file:'))
}

/** What a client says to an MCP server that is to recall something, line by line. */
const RECALL_OVER_MCP = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'lean', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
  { id: 3, method: 'tools/call', params: { name: 'recall', arguments: { query: 'heron' } } },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('')

describe.concurrent('a command', () => {
  it.each([
    [['--help']],
    [['show', 'Deploys']],
    [['list']],
    [['recall']],
    [['recall', 'heron']],
    [['remember', 'x', '--name', 'Deploys']],
  ])('loads no YAML library and no parser of arguments: %j', async (args) => {
    const loaded = await loadedBy(await Desk.furnished(), args)
    expect(loaded.length).toBeGreaterThan(0)
    expect(loaded.filter((url) => /node_modules\/(yaml|commander|zod)\//.test(url))).toEqual([])
  })

  it.each([
    [['show', 'Deploys']],
    [['list']],
    [['recall']],
    [['recall', 'heron']],
    [['remember', 'x']],
    [['forget', 'Deploys', '--yes']],
  ])('that is an everyday one loads nothing that is rare: %j', async (args) => {
    const loaded = await loadedBy(await Desk.furnished(), args)
    expect(loaded.map((url) => url.replace(/.*\//, '')).sort()).toEqual(['chunk.js', 'main.js', 'program.js'])
  })

  it('on a memory in one file loads its store besides, and nothing else', async () => {
    const loaded = await loadedBy(new Desk(), ['remember', 'x', '--workspace', 'memory.keepsake'])
    const store = ['file-postgres-rarely.js', 'file-postgres.js', 'file-rarely.js', 'file.js']
    const files = ['chunk.js', ...store, 'main.js', 'program.js']
    const own = loaded.filter((url) => !url.includes('node_modules'))
    expect(own.map((url) => url.replace(/.*\//, '')).sort()).toEqual(files)
    // Node 20 has no built-in SQLite.
    const others = loaded.filter((url) => url.includes('node_modules'))
    expect(others.filter((url) => !/@photostructure\/sqlite|node-gyp-build/.test(url))).toEqual([])
  })

  it('that is a rare one loads what is rare', async () => {
    const loaded = await loadedBy(await Desk.furnished(), ['log'])
    expect(loaded.filter((url) => url.endsWith('/rarely.js'))).toHaveLength(1)
  })

  it('that serves MCP loads what that takes, and nothing of HTTP or of what is rare', async () => {
    const loaded = await loadedBy(await Desk.furnished(), ['mcp'], RECALL_OVER_MCP)
    const shared = ['agent-embed-http-mcp.js', 'agent-http-mcp.js', 'chunk.js', 'http-mcp.js']
    const files = [...shared, 'main.js', 'mcp.js', 'program.js']
    expect(loaded.map((url) => url.replace(/.*\//, '')).sort()).toEqual(files)
  })

  it('loads the YAML library for a file that needs it', async () => {
    const desk = await Desk.furnished()
    desk.edit('agents/main/entries/hand.md', '---\nname: >-\n  folded\n  name\ntags: &a [x]\nmore: *a\n---\n\nx\n')
    const loaded = await loadedBy(desk, ['list'])
    expect(loaded.filter((url) => url.includes('node_modules/yaml/')).length).toBeGreaterThan(0)
  })
})
