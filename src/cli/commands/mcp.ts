/** `keepsake mcp`: the memory as a server for programs that speak MCP, until its client goes. */
import { PRESET_NAMES } from '../../model/preset.ts'
import { usageError } from '../arguments.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { EXIT_STATUS } from '../exit-status.ts'
import {
  connectText,
  HTTP_OPTIONS,
  httpOptions,
  httpOptionsHelp,
  noTokenWarnings,
  type RequestedHttp,
} from '../http-options.ts'
import { type Asked, cleaned, servedMemory } from '../serving.ts'
import { stopSignal } from '../stop-signal.ts'
import { withoutMemory } from '../without-memory.ts'

export const mcp: Command = {
  verb: 'mcp',
  operands: [],
  about: [
    'Serves the memory to a program that speaks MCP, the Model Context Protocol: tools to recall and to remember, and',
    'the entries as resources. The program starts this command itself and talks to it over standard input and output;',
    '"keepsake install" sets that up. With --http it serves at http://HOST:PORT/mcp until it is interrupted, to clients that',
    'send its token; "keepsake install CLIENT --http" writes its address and token into the configuration of a client.',
    '"keepsake serve" also serves a page for people.',
  ],
  options: [
    { name: 'tools', value: PRESET_NAMES.join('|'), about: 'which tools a model is given; else what agent.yaml says' },
    { name: 'http', about: 'serve over HTTP' },
    ...httpOptionsHelp('with --http: '),
  ],
  examples: ['keepsake mcp', 'keepsake mcp --tools crabtalk --agent scout', 'keepsake mcp --http --port 4242'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const needless = HTTP_OPTIONS.find((name) => given.has(name))
  if (!given.has('http') && needless)
    throw usageError(`--${needless} works only with --http`, `Add --http, or leave --${needless} out.`)
  const config = await configAsked(context)
  if (!config.enabled) throw withoutMemory(config.file ?? 'agent.yaml')
  const http = given.has('http') ? httpOptions(context) : undefined
  const signal = stopSignal()
  const asked: Asked = { config, quietly: given.has('quiet') }
  if (http) return overHttp(asked, http, signal)
  if (process.stdin.isTTY && !asked.quietly) process.stderr.write(`${FOR_A_PERSON}\n`)
  await overStdio(asked, signal)
  return { json: undefined, text: '', quietText: '', warnings: [] }
}

async function overStdio(asked: Asked, signal: AbortSignal): Promise<void> {
  const [served, { serveMcpStdio }] = await Promise.all([servedMemory(asked), import('../../mcp/stdio.ts')])
  const cleaning = cleaned(served, asked.quietly)
  try {
    const end = await serveMcpStdio(served, { input: process.stdin, output: process.stdout, signal })
    // Each was told by an answer of its own; standard output belongs to those.
    if (end === 'cut off') process.exitCode = EXIT_STATUS.IO
  } finally {
    cleaning.stop()
    await served.close()
  }
}

async function overHttp(asked: Asked, http: RequestedHttp, signal: AbortSignal): Promise<Outcome> {
  const [served, { serveMcpHttp }] = await Promise.all([servedMemory(asked), import('../../mcp/http/serve.ts')])
  const { url, closed } = await serveMcpHttp(served, { ...http, signal }).catch(async (error) => {
    await served.close()
    throw error
  })
  const cleaning = cleaned(served, asked.quietly)
  const end = (): Promise<void> => {
    cleaning.stop()
    return served.close()
  }
  return {
    json: { url, ...(http.tokenFile === undefined ? {} : { tokenFile: http.tokenFile }) },
    text: [`Serving the memory of ${asked.config.values.agent} at ${url}`, ...connectText(url, http)].join('\n'),
    quietText: url,
    warnings: noTokenWarnings(url, http),
    until: closed.finally(end),
  }
}

const FOR_A_PERSON =
  'keepsake mcp: a server for programs, which speak JSON to it on standard input. Set one up with: keepsake install'
