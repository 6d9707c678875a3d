/** `keepsake mcp`: the memory as a server for programs that speak MCP, until its client goes. */
import { resolve } from 'node:path'
import type { Config } from '../../config/load-config.ts'
import { readTextFile } from '../../config/read-text-file.ts'
import { InvalidError } from '../../errors.ts'
import { lookAgain } from '../../follow/follow-memory.ts'
import type { HttpOptions } from '../../http/serve.ts'
import { laterStore } from '../../mcp/later-store.ts'
import type { ServedMemory } from '../../mcp/server.ts'
import { openStore, settingsOf } from '../../memory/open.ts'
import { type Cleaning, startCleanup } from '../../memory/start-cleanup.ts'
import { openMemory } from '../../memory.ts'
import { wholeNumber } from '../../model/number.ts'
import { PRESET_NAMES } from '../../model/preset.ts'
import type { Store } from '../../ports/store.ts'
import { createMemoryTools } from '../../tools/index.ts'
import { usageError } from '../arguments.ts'
import { configAsked } from '../asked-config.ts'
import { BehindAnswers } from '../behind-answers.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { embedOf } from '../embed-of.ts'
import { EXIT_STATUS } from '../exit-status.ts'
import { instructionsOf } from '../instructions.ts'
import { refuseForeignServer } from '../own-server.ts'
import { stopSignal } from '../stop-signal.ts'
import { programVersion } from '../version.ts'
import { withoutMemory } from '../without-memory.ts'

const DEFAULT_PORT = 4242
const DEFAULT_HOST = '127.0.0.1'
const ONLY_WITH_HTTP = ['port', 'host', 'token-file', 'allow-host'] as const

/** After all is closed: what a client has not read by then it never will. */
const LAST_WORDS_MS = 400

export const mcp: Command = {
  verb: 'mcp',
  operands: [],
  about: [
    'Serves the memory to a program that speaks MCP, the Model Context Protocol: tools to recall and to remember, and',
    'the entries as resources. The program starts this command itself and talks to it over standard input and output;',
    '"keepsake install" sets that up. With --http it serves at http://HOST:PORT/mcp until it is interrupted; beyond',
    'this machine clients must show a token.',
  ],
  options: [
    { name: 'tools', value: PRESET_NAMES.join('|'), about: 'which tools a model is given; else what agent.yaml says' },
    { name: 'http', about: 'serve over HTTP' },
    { name: 'port', value: 'PORT', about: `with --http: where to listen, default ${DEFAULT_PORT}; 0 takes a free one` },
    { name: 'host', value: 'HOST', about: `with --http: the address to listen at, default ${DEFAULT_HOST}` },
    { name: 'token-file', value: 'FILE', about: 'with --http: a file with the token that clients must show' },
    {
      name: 'allow-host',
      value: 'NAME',
      many: true,
      about: 'with --http: one more name that clients may call this machine by; may be repeated',
    },
  ],
  examples: [
    'keepsake mcp',
    'keepsake mcp --tools crabtalk --agent scout',
    'keepsake mcp --http --port 4242 --token-file ~/.keepsake-token',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const http = given.has('http') ? httpOptions(context) : undefined
  const needless = ONLY_WITH_HTTP.find((name) => given.has(name))
  if (!http && needless) throw usageError(`--${needless} belongs to --http`, 'Give --http too, or leave it away.')
  const config = await configAsked(context)
  if (!config.enabled) throw withoutMemory(config.file ?? 'agent.yaml')
  const signal = stopSignal()
  const quietly = given.has('quiet')
  const asked: Asked = { config, quietly, open: () => openedFor(config) }
  if (http) return overHttp(asked, { ...http, signal })
  if (process.stdin.isTTY && !quietly) process.stderr.write(`${FOR_A_PERSON}\n`)
  await overStdio(asked, signal)
  return { json: undefined, text: '', quietText: '', warnings: [] }
}

interface Asked {
  readonly config: Config
  readonly quietly: boolean
  readonly open: () => Promise<Store>
}

/** Whose a flat memory on a server is, that server tells; by then the tools speak for the agent that was asked for. */
async function openedFor(config: Config): Promise<Store> {
  refuseForeignServer(config)
  const { store, agent } = await openStore(config)
  const { agent: wanted, workspace } = config.values
  if (agent === wanted) return store
  await store.close()
  throw new InvalidError('agent', `${workspace} is the memory of "${agent}", not of "${wanted}"`, `--agent ${agent}`)
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
    await close(served)
  }
}

async function overHttp(asked: Asked, options: HttpOptions): Promise<Outcome> {
  const [served, { serveMcpHttp }] = await Promise.all([servedMemory(asked), import('../../mcp/http/serve.ts')])
  const { url, closed } = await serveMcpHttp(served, options).catch(async (error) => {
    await close(served)
    throw error
  })
  const cleaning = cleaned(served, asked.quietly)
  const end = (): Promise<void> => {
    cleaning.stop()
    return close(served)
  }
  return {
    json: { url },
    text: `Serving the memory of ${asked.config.values.agent} at ${url}\nFor Claude Code: claude mcp add --transport http keepsake ${url}`,
    quietText: url,
    warnings: [],
    until: closed.finally(end),
  }
}

/** Also what goes because its time is over is news to who follows the resources. */
function cleaned({ memory }: ServedMemory, quietly: boolean): Cleaning {
  return startCleanup(memory, {
    interval: memory.settings.cleanupInterval,
    told: (deleted) => {
      lookAgain(memory)
      const what = deleted === 1 ? '1 entry that has' : `${deleted} entries that have`
      if (!quietly) process.stderr.write(`keepsake: removed ${what} expired\n`)
    },
  })
}

const FOR_A_PERSON =
  'keepsake mcp: a server for programs, which speak JSON to it on standard input. Set one up with: keepsake install'

function httpOptions({ given, asked }: Context): Omit<HttpOptions, 'signal'> {
  const file = given.one('token-file')
  const token = file === undefined ? process.env['KEEPSAKE_MCP_TOKEN'] || undefined : tokenOf(resolve(asked.cwd, file))
  return {
    host: given.one('host') ?? DEFAULT_HOST,
    port: wholeNumber(given.number('port') ?? DEFAULT_PORT, 'port', 0, 65_535),
    ...(token === undefined ? {} : { token }),
    allowHosts: given.all('allow-host'),
  }
}

function tokenOf(path: string): string {
  const token = readTextFile(path).trim()
  if (token === '') throw new InvalidError('token-file', `${path} is empty`, 'a file with a token in it')
  return token
}

interface Serving extends ServedMemory {
  readonly behind: BehindAnswers
}

/** The memory opens with the first thing that is asked of it, and says then what is wrong with it. */
async function servedMemory({ config, quietly, open }: Asked): Promise<Serving> {
  const store = laterStore(open, { nativeVectors: config.values.backend === 'chroma' })
  const { embed, load } = embedOf(config, { unattended: true })
  const settings = { ...settingsOf(config), searchBy: 'meaning too once loaded' } as const
  const memory = await openMemory({ store, agent: config.values.agent, ...settings, embed })
  const warn = (problem: string): void => {
    if (!quietly) process.stderr.write(`keepsake: ${problem}\n`)
  }
  const behind = new BehindAnswers({ config, memory, load, warn })
  return {
    memory,
    behind,
    tools: behind.behind(createMemoryTools(memory)),
    instructions: await instructionsOf(memory, config),
    version: programVersion(),
  }
}

async function close({ memory, behind }: Serving): Promise<void> {
  await behind.stop()
  // Answers that nobody reads must not keep the process, and a store may be left at any moment.
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref()
  await memory.close()
}
