/**
 * `keepsake doctor`: reports what is wrong with the files and what to do about it; `--fix` fixes what is
 * safe to fix automatically.
 */
import { identityOutside } from '../../config/identity-place.ts'
import type { Config } from '../../config/load-config.ts'
import { openFiles, openPostgres, pinsOf } from '../../config/open-store.ts'
import { isKeepsakeError, KeepsakeError } from '../../errors.ts'
import { openLasting } from '../../memory/lasting-store.ts'
import { type Finding, mendable } from '../../stores/filesystem/doctor/doctor.ts'
import type { FilesystemStoreOptions } from '../../stores/filesystem/store.ts'
import { usageError } from '../arguments.ts'
import { DRY_RUN } from '../ask.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { doctorOutcome, type Told } from '../doctor-text.ts'
import { embeddingsState } from '../embeddings-state.ts'
import { EXIT_STATUS } from '../exit-status.ts'
import { checkAgent, findMemory, noMemoryAt } from '../named-place.ts'
import { progressLine } from '../progress.ts'
import { examineServer } from '../server-doctor.ts'
import { withPending } from '../with-pending.ts'

export const doctor: Command = {
  verb: 'doctor',
  operands: [],
  about: [
    'Checks every file of the workspace, or every record of a memory on a server, and reports damage, warnings and notes. It',
    'changes no data without --fix. --fix fixes what is safe to fix automatically, and never changes your texts. Before it',
    'changes a folder, it makes a copy beside it. It keeps a damaged file under another name, and saves what can be read to a',
    'new file. The exit status is 1 if there is damage. docs/doctor.md explains each code in brackets.',
  ],
  options: [{ name: 'fix', about: 'fix what is safe to fix automatically' }, DRY_RUN],
  examples: ['keepsake doctor', 'keepsake doctor --fix --dry-run', 'keepsake doctor --fix'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const [fix, dryRun] = [given.has('fix'), given.has('dry-run')]
  if (dryRun && !fix) throw usageError('--dry-run goes with --fix', 'Without --fix nothing is changed anyway.')
  const config = await configAsked(context)
  const { backend, workspace } = config.values
  const doctor = doctorFor(context, config)
  await checkNamedAgent(config)
  const told = fix && !dryRun ? await doctor.mended() : await doctor.examined()
  const { examination } = told
  const isNowhere = examination.findings.some(({ code }) => code === 'no-workspace')
  if (isNowhere && config.sources.workspace.from === 'asked') throw noMemoryAt(workspace)
  if (examination.findings.some(({ severity }) => severity === 'damage')) process.exitCode = EXIT_STATUS.DAMAGED
  const isReached = examination.findings.every(({ code }) => code !== 'unreachable-server')
  const embeddings = isReached ? await withPending(embeddingsState(config), context) : embeddingsState(config)
  const shown = { ...told, embeddings, ...(dryRun ? wouldMend(examination.findings, backend) : {}) }
  return doctorOutcome(shown, workspace, context.screen)
}

/** An error that keeps the memory from being opened is among the findings, so it is not reported here. */
async function checkNamedAgent(config: Config): Promise<void> {
  if (config.sources.agent.from !== 'asked') return
  let store: Awaited<ReturnType<typeof openLasting>> | undefined
  try {
    store = await openLasting(config)
    if (await findMemory(config, store)) await checkAgent(config, { store }, 'read')
  } catch (error) {
    if (!isKeepsakeError(error) || error.code === 'NOT_FOUND') throw error
  } finally {
    await store?.close()
  }
}

function wouldMend(findings: readonly Finding[], backend: string): Pick<Told, 'wouldMend' | 'keeps'> {
  const mended = mendable(findings)
  if (backend === 'filesystem') return { wouldMend: mended, keeps: 'copy' }
  const keepsFile = backend === 'file' && mended.some(({ severity }) => severity === 'damage')
  return { wouldMend: mended, ...(keepsFile ? { keeps: 'damaged file' } : {}) }
}

/** One for each store that has something to look at. */
interface Doctor {
  examined(): Promise<Told>
  mended(): Promise<Told>
}

function doctorFor(context: Context, config: Config): Doctor {
  switch (config.values.backend) {
    case 'filesystem':
      return ofFolder(context, config)
    case 'file':
      return ofFile(config)
    case 'postgres':
      return ofPostgres(config)
    case 'chroma':
      return ofServer(config)
    case 'memory':
      throw new KeepsakeError('UNSUPPORTED', 'doctor looks at what is kept, and a memory in RAM is not', {
        hint: 'Name a folder, a memory in one file, or a server.',
      })
  }
}

/** Nothing on a Chroma server can be fixed automatically. */
function ofServer(config: Config): Doctor {
  return {
    examined: () => examineServer(config),
    async mended() {
      const { examination, warnings } = await examineServer(config)
      return { examination, mending: { mended: [], warnings }, warnings }
    },
  }
}

function ofFile(config: Config): Doctor {
  const { workspace: path, agent } = config.values
  const options = { wish: { agent, ...pinsOf(config) } }
  return {
    async examined() {
      const { examineFile } = await import('../../stores/doctor/file.ts')
      return { examination: await examineFile(path, options), warnings: [] }
    },
    async mended() {
      const { repairFile } = await import('../../stores/doctor/file.ts')
      const mending = await repairFile(path, options)
      return { examination: mending.examination, mending, warnings: mending.warnings }
    },
  }
}

/** Fixes nothing: the administrator of the server must judge the damage. */
function ofPostgres(config: Config): Doctor {
  const examined = async (): Promise<Told> => {
    const { examinePostgres } = await import('../../stores/doctor/postgres.ts')
    const { place, requestMs, ...wish } = openPostgres(config, (options) => options)
    return { examination: await examinePostgres({ place, requestMs, lockMs: requestMs }, wish), warnings: [] }
  }
  return { examined, mended: examined }
}

function ofFolder(context: Context, config: Config): Doctor {
  return { examined: () => examined(context, config), mended: () => mended(context, config) }
}

async function examined({ given }: Context, config: Config): Promise<Told> {
  const { examineFolder } = await import('../../stores/filesystem/store.ts')
  const progress = progressLine(given)
  try {
    const look = (done: number, total: number): void => progress.show('Looking', done, total)
    return { examination: await examineFolder(optionsOf(config), look), warnings: [] }
  } finally {
    progress.end()
  }
}

async function mended(context: Context, config: Config): Promise<Told> {
  const { filesystemStore } = await import('../../stores/filesystem/store.ts')
  const progress = progressLine(context.given)
  let store: Awaited<ReturnType<typeof filesystemStore>>
  try {
    store = await openFiles(config, filesystemStore)
  } catch (error) {
    // What keeps it from being opened is among the findings.
    if (!isKeepsakeError(error)) throw error
    const told = await examined(context, config)
    return { ...told, warnings: [`nothing was fixed, because the workspace can't be opened: ${error.message}`] }
  }
  try {
    const mending = await store.mend((done, total) => progress.show('Looking', done, total))
    return { examination: mending.examination, mending, warnings: mending.warnings }
  } finally {
    progress.end()
    await store.close()
  }
}

/** As the other commands would open it; what the workspace has otherwise is a finding here, not an error. */
function optionsOf(config: Config): FilesystemStoreOptions {
  const { workspace: root, agent } = config.values
  const identityPath = identityOutside(config)
  return { root, agent, ...pinsOf(config), ...(identityPath === undefined ? {} : { identityPath }) }
}
