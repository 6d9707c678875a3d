/** `keepsake serve`: one local address with the page for people, the JSON API, live updates and MCP, until it is interrupted. */
import { join } from 'node:path'
import type { Config } from '../../config/load-config.ts'
import { isKeepsakeError } from '../../errors.ts'
import type { HttpOptions, HttpServing } from '../../http/serve.ts'
import { PRESET_NAMES } from '../../model/preset.ts'
import { usageError } from '../arguments.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { doctorProcess } from '../doctor-process.ts'
import { connectText, httpOptions, httpOptionsHelp, noTokenWarnings, type RequestedHttp } from '../http-options.ts'
import { findServedMemory } from '../named-place.ts'
import { printError } from '../report.ts'
import { isSample, madeSample, removeSample } from '../sample/sample.ts'
import type { Screen } from '../screen.ts'
import { cleaned, type Serving, servedMemory } from '../serving.ts'
import { stopSignal } from '../stop-signal.ts'

const SAMPLE_FOLDER = 'sample'

export const serve: Command = {
  verb: 'serve',
  operands: [],
  about: [
    'Serves a page on which people see, search and mend what their agents remember; at the same address the JSON API',
    '(/api/v1, docs/openapi.json) and MCP (/mcp). The link that is printed works once, in one browser; then another one is',
    'printed. Programs must send the token of the server; "keepsake install CLIENT --http" writes it into the configuration',
    'of an MCP client. It speaks no TLS. Commands that run once let it search for them, by meaning too. It ends when it is',
    'interrupted.',
  ],
  options: [
    ...httpOptionsHelp(),
    { name: 'tools', value: PRESET_NAMES.join('|'), about: 'which tools a model is given at /mcp' },
    { name: 'sample', about: `serve a sample memory in ./${SAMPLE_FOLDER}, which is made on first use` },
  ],
  examples: ['keepsake serve', 'keepsake serve --port 8080', 'keepsake serve --sample'],
  run,
}

async function run(asked: Context): Promise<Outcome> {
  const context = asked.given.has('sample') ? await withSample(asked) : asked
  const config = await configAsked(context)
  await findServedMemory(config)
  // Creates a token if there is none, so it comes after the checks that can fail.
  const options = httpOptions(context)
  const quietly = context.given.has('quiet')
  const served = await servedMemory({ config, quietly })
  const { signal, end } = endable(stopSignal())
  try {
    // Now, and not with the first request: what is wrong with the memory is to be told here.
    await served.memory.store.settings()
    const page = await pageOf(context, config, served, end)
    const { origin, closed } = await listened(context, { ...options, signal }, page.partsOf)
    const cleaning = cleaned(served, quietly)
    const link = page.newLink(origin)
    page.onOpened(() => {
      const next = page.newLink(origin)
      printError(quietly ? next : `Opened in a browser. For another one: ${next}`)
    })
    const { tokenFile } = options
    return {
      json: {
        ...{ url: origin, link },
        ...(config.enabled ? { mcp: `${origin}/mcp` } : {}),
        ...(tokenFile === undefined ? {} : { tokenFile }),
      },
      text: servingText({ origin, link, config, http: options }, context.screen),
      quietText: link,
      warnings: config.enabled ? noTokenWarnings(origin, options) : [],
      until: closed.finally(() => {
        cleaning.stop()
        return served.close()
      }),
    }
  } catch (error) {
    await served.close()
    throw error
  }
}

/** Loaded only now: what serves pages is of no use to any other command. */
async function pageOf(context: Context, config: Config, served: Serving, end: () => void) {
  const { page } = await import('../page.ts')
  const { workspace: root, backend } = config.values
  return page(served, {
    folder: join(import.meta.dirname, '../page'),
    hasTools: config.enabled,
    around: {
      version: served.version,
      root,
      store: backend,
      doctor: doctorProcess(context, join(import.meta.dirname, 'main.js')),
      wrote: () => served.behind.wrote(),
      ...(isSample(root) ? { removeSample: async () => removeSample(root, end) } : {}),
    },
  })
}

/** The usual port, or where nobody named it and it is taken, any. */
async function listened(
  { given }: Context,
  options: HttpOptions,
  partsOf: Parameters<typeof import('../../http/serve.ts').serveHttp>[1],
): Promise<HttpServing> {
  const { serveHttp } = await import('../../http/serve.ts')
  try {
    return await serveHttp(options, partsOf)
  } catch (error) {
    if (given.has('port') || !isPortTaken(error)) throw error
    return serveHttp({ ...options, port: 0 }, partsOf)
  }
}

function isPortTaken(error: unknown): boolean {
  const cause = isKeepsakeError(error) ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
}

/** Whoever asks for its end: a signal, or the page. */
function endable(stop: AbortSignal): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController()
  return { signal: AbortSignal.any([stop, controller.signal]), end: () => controller.abort() }
}

async function withSample(context: Context): Promise<Context> {
  if (context.given.has('workspace')) {
    throw usageError('--sample has a folder of its own', 'Leave --workspace away, or --sample.')
  }
  const workspace = await madeSample(join(context.asked.cwd, SAMPLE_FOLDER))
  return { ...context, asked: { ...context.asked, workspace } }
}

interface Shown {
  readonly origin: string
  readonly link: string
  readonly config: Config
  readonly http: RequestedHttp
}

function servingText({ origin, link, config, http }: Shown, screen: Screen): string {
  const { agent, workspace } = config.values
  const url = `${origin}/mcp`
  return [
    `Serving the memory of ${agent} in ${screen.plain(workspace)}`,
    ...(isSample(workspace) ? SAMPLE_TEXT : []),
    '',
    `  Page   ${screen.bold(link)}`,
    '         (works once, in one browser; the next link is printed when it was used)',
    ...(config.enabled
      ? [`  MCP    ${url}`, '', ...connectText(url, http)]
      : ['  MCP    not served: agent.yaml has no spec.memory']),
    '',
    'End it with Ctrl+C.',
  ].join('\n')
}

const SAMPLE_TEXT = [
  'It is a sample: a made-up team, and what its agents remember. A button on the page removes it.',
  'For a memory of your own: keepsake init, keepsake install claude, keepsake serve',
]
