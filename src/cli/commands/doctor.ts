/**
 * `keepsake doctor`: what is wrong with the files, what to do about it, and with `--fix` the doing of what needs no
 * judging.
 */
import { identityOutside } from '../../config/identity-place.ts'
import type { Config } from '../../config/load-config.ts'
import { openFiles, pinsOf } from '../../config/open-store.ts'
import { isKeepsakeError, KeepsakeError } from '../../errors.ts'
import { mendable, type Severity } from '../../stores/filesystem/doctor/codes.ts'
import type { Checked, Examination } from '../../stores/filesystem/doctor/examine.ts'
import type { Finding } from '../../stores/filesystem/doctor/finding.ts'
import type { Mending } from '../../stores/filesystem/doctor/mend.ts'
import type { FilesystemStoreOptions } from '../../stores/filesystem/store.ts'
import { usageError } from '../arguments.ts'
import { DRY_RUN } from '../ask.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { type EmbeddingsState, embeddingsState } from '../embeddings-state.ts'
import { EXIT_STATUS } from '../exit-status.ts'
import { progressLine } from '../progress.ts'
import type { Screen } from '../screen.ts'
import { withPending } from '../with-pending.ts'

const TITLES: Readonly<Record<Severity, string>> = { damage: 'Damage', warning: 'Warnings', note: 'Notes' }
const WIDEST_PATH = 48

export const doctor: Command = {
  verb: 'doctor',
  operands: [],
  about: [
    'Looks at every file of the workspace and says what is wrong, or may be: damage, warnings, notes. Looking changes',
    'nothing. With --fix it makes a backup and then mends what needs no judging; your texts stay as they are. The exit',
    'status is 1 when there is damage. Each code in brackets is explained in docs/doctor.md.',
  ],
  options: [{ name: 'fix', about: 'make a backup, then mend what needs no judging' }, DRY_RUN],
  examples: ['keepsake doctor', 'keepsake doctor --fix --dry-run', 'keepsake doctor --fix'],
  run,
}

/** What is to be told. */
interface Told {
  readonly examination: Examination
  readonly mending?: Omit<Mending, 'examination'>
  readonly wouldMend?: readonly Finding[]
  readonly warnings: readonly string[]
}

type Shown = Told & { readonly embeddings: EmbeddingsState }

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const [fix, dryRun] = [given.has('fix'), given.has('dry-run')]
  if (dryRun && !fix) throw usageError('--dry-run goes with --fix', 'Without --fix nothing is changed anyway.')
  const config = await configAsked(context)
  if (config.values.backend !== 'filesystem') {
    throw new KeepsakeError('UNSUPPORTED', 'doctor looks only at workspaces that are folders', {
      hint: 'Name a folder.',
    })
  }
  const told = fix && !dryRun ? await mended(context, config) : await examined(context, config)
  const { examination } = told
  if (examination.findings.some(({ severity }) => severity === 'damage')) process.exitCode = EXIT_STATUS.DAMAGED
  const wouldMend = mendable(examination.findings)
  const embeddings = await withPending(embeddingsState(config), context)
  const shown = { ...told, embeddings, ...(dryRun ? { wouldMend } : {}) }
  return outcome(shown, config.values.workspace, context.screen)
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
    return { ...told, warnings: [`nothing was mended, for the workspace can't be opened: ${error.message}`] }
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

function outcome(told: Shown, root: string, screen: Screen): Outcome {
  const { examination, mending, wouldMend, warnings, embeddings } = told
  const { findings, checked } = examination
  const serious = findings.filter(({ severity }) => severity !== 'note')
  return {
    json: {
      problems: findings,
      clean: findings.length === 0,
      counts: countsOf(findings),
      checked,
      embeddings,
      ...(mending ? { mended: mending.mended, backup: mending.backup ?? null } : {}),
      ...(wouldMend ? { wouldMend, dryRun: true } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    },
    text: [
      ...mendedText(told, root, screen),
      ...findingsText(told, root, screen),
      screen.dim(screen.line(`Embeddings: ${embeddings.state}.`)),
    ].join('\n'),
    quietText: serious.map(({ path, problem }) => `${screen.path(root, path)}: ${screen.line(problem)}`).join('\n'),
    warnings,
  }
}

function countsOf(findings: readonly Finding[]): Record<Severity, number> {
  const count = (severity: Severity): number => findings.filter((finding) => finding.severity === severity).length
  return { damage: count('damage'), warning: count('warning'), note: count('note') }
}

function mendedText({ mending, wouldMend }: Told, root: string, screen: Screen): string[] {
  if (wouldMend) {
    if (wouldMend.length === 0) return ['Nothing could be mended without judging.', '']
    return [screen.bold('Would mend, after a backup'), ...rows(wouldMend, root, screen, 'brief'), '']
  }
  if (!mending || mending.mended.length === 0) return mending ? ['Nothing was mended.', ''] : []
  const backup = mending.backup === undefined ? [] : [`As it was before: ${screen.path('', mending.backup)}`]
  return [screen.bold('Mended'), ...rows(mending.mended, root, screen, 'brief'), ...backup, '']
}

function findingsText({ examination, mending, wouldMend }: Told, root: string, screen: Screen): string[] {
  const { findings, checked } = examination
  const looked = checkedText(checked)
  if (findings.length === 0)
    return [`${mending?.mended.length ? 'Nothing else is wrong.' : 'Nothing wrong.'} ${looked}`]
  const groups = Object.entries(TITLES).flatMap(([severity, title]) => {
    const ofGroup = findings.filter((finding) => finding.severity === severity)
    return ofGroup.length === 0 ? [] : [screen.bold(title), ...rows(ofGroup, root, screen, 'whole'), '']
  })
  const fixable = mendable(findings).length
  const offer = fixable === 0 || mending || wouldMend ? [] : [`"keepsake doctor --fix" mends ${fixable} of them.`]
  return [...groups, `${countsText(findings)}. ${looked}`, ...offer]
}

function rows(findings: readonly Finding[], root: string, screen: Screen, how: 'brief' | 'whole'): string[] {
  const paths = findings.map(({ path }) => screen.path(root, path))
  const width = Math.min(WIDEST_PATH, Math.max(...paths.map((path) => path.length)))
  return findings.flatMap(({ code, problem, hint }, index) => [
    `  ${paths[index]?.padEnd(width)}  ${screen.line(problem)} ${screen.dim(`[${code}]`)}`,
    ...(how === 'whole' ? [`  ${' '.repeat(width)}  ${screen.dim(screen.line(hint))}`] : []),
  ])
}

function countsText(findings: readonly Finding[]): string {
  const { damage, warning, note } = countsOf(findings)
  const parts = [
    damage > 0 ? `${damage} damaged` : '',
    warning > 0 ? counted(warning, 'warning', 'warnings') : '',
    note > 0 ? counted(note, 'note', 'notes') : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

function checkedText({ files, entries, changes, sessions }: Checked): string {
  const parts = [
    counted(files, 'file', 'files'),
    counted(entries, 'entry', 'entries'),
    counted(changes, 'change', 'changes'),
    counted(sessions, 'session', 'sessions'),
  ]
  return `Looked at ${parts.join(', ')}.`
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
