// The MCP server from its start to the first answer of `recall` at 10,000 entries, against a server with one tool that does
// nothing, on the same SDK: once as its documentation has it, and once bundled as ours is. Servers take turns, each in a
// process of its own, in both eras of the protocol.
import path from 'node:path'
import { build } from 'esbuild'
import { inFilledWorkspace } from './filled-workspace.mjs'
import { ERAS, firstAnswer } from './mcp/first-answer.mjs'
import { median, row } from './table.mjs'

const CLI = new URL('../dist/cli/main.js', import.meta.url).pathname
const ONE_TOOL = new URL('mcp/one-tool-server.mjs', import.meta.url).pathname

const BARS = { cpuMs: 1.2, peakMb: 1.5 }
const UNITS = { cpuMs: 'ms CPU', wallMs: 'ms', peakMb: 'MB' }

export async function benchMcp(sizes) {
  return inFilledWorkspace('mcp', sizes, async ({ folder, workspace, queries, first }) => {
    const servers = {
      ours: [CLI, 'mcp', '--workspace', workspace],
      oneTool: [ONE_TOOL],
      bundled: [await bundledOneTool(folder)],
    }
    await requireHits(servers.ours, first)
    const rows = []
    for (const era of ERAS) rows.push(...rowsOf(era, sizes.entries, await measured(servers, era, queries)))
    return rows
  })
}

async function measured(servers, era, queries) {
  const taken = Object.fromEntries(Object.keys(servers).map((name) => [name, []]))
  for (const words of queries) {
    for (const [name, args] of Object.entries(servers)) taken[name].push(await firstAnswer(args, era, words.join(' ')))
  }
  return (name, what) => median(taken[name].map((one) => one[what]))
}

function rowsOf(era, entries, taken) {
  const what = `mcp (${era}) to the first recall at ${entries.toLocaleString('en')} entries`
  const against = (name, label, measure, bar) =>
    row(what, UNITS[measure], taken('ours', measure), label, taken(name, measure), bar)
  return [
    ...['cpuMs', 'peakMb', 'wallMs'].map((measure) => against('oneTool', 'one-tool server', measure, BARS[measure])),
    ...['cpuMs', 'peakMb'].map((measure) => against('bundled', 'one-tool server, bundled', measure)),
  ]
}

async function bundledOneTool(folder) {
  const outfile = path.join(folder, 'one-tool-server.mjs')
  const options = { bundle: true, minify: true, format: 'esm', platform: 'node', target: 'node20.19' }
  await build({ entryPoints: [ONE_TOOL], outfile, logLevel: 'warning', ...options })
  return outfile
}

/** Also the call that makes the index, which is not what is measured. */
async function requireHits(args, words) {
  const { text } = await firstAnswer(args, 'legacy', words.join(' '))
  if (!text.includes('## ')) throw new Error(`recall found nothing: ${text}`)
}
