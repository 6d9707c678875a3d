/** What `doctor` found and fixed, as people read it and as JSON. */
import { isUrl } from '../config/value-types.ts'
import {
  type Checked,
  type Examination,
  type Finding,
  type Mending,
  mendable,
  type Severity,
} from '../stores/filesystem/doctor/doctor.ts'
import type { Outcome } from './command.ts'
import { counted } from './counted.ts'
import { columnWidth, padToWidth } from './display-width.ts'
import type { EmbeddingsState } from './embeddings-state.ts'
import type { Screen } from './screen.ts'

const TITLES: Readonly<Record<Severity, string>> = { damage: 'Damage', warning: 'Warnings', note: 'Notes' }
const WIDEST_PATH = 48
const WOULD_FIX = {
  copy: 'Would fix, after copying the workspace',
  'damaged file': 'Would fix, and keep the damaged file',
} as const

/** What is to be told. */
export interface Told {
  readonly examination: Examination
  readonly mending?: Omit<Mending, 'examination'>
  readonly wouldMend?: readonly Finding[]
  /** What `--fix` keeps as it was: a copy of a folder, or a damaged file. */
  readonly keeps?: 'copy' | 'damaged file'
  readonly warnings: readonly string[]
}

type Shown = Told & { readonly embeddings: EmbeddingsState }

export function doctorOutcome(told: Shown, root: string, screen: Screen): Outcome {
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

function mendedText({ mending, wouldMend, keeps }: Told, root: string, screen: Screen): string[] {
  if (wouldMend) {
    if (wouldMend.length === 0) return ['Nothing here can be fixed automatically.', '']
    return [
      screen.bold(keeps === undefined ? 'Would fix' : WOULD_FIX[keeps]),
      ...rows(wouldMend, root, screen, 'brief'),
      '',
    ]
  }
  if (!mending || mending.mended.length === 0) return mending ? ['Nothing was fixed.', ''] : []
  const backup = mending.backup === undefined ? [] : [`The original is kept in ${screen.path('', mending.backup)}`]
  return [screen.bold('Fixed'), ...rows(mending.mended, root, screen, 'brief'), ...backup, '']
}

function findingsText({ examination, mending, wouldMend }: Told, root: string, screen: Screen): string[] {
  const { findings, checked } = examination
  const looked = checkedText(checked, isUrl(root))
  if (findings.length === 0)
    return [`${mending?.mended.length ? 'Nothing else is wrong.' : 'Nothing wrong.'} ${looked}`]
  const groups = Object.entries(TITLES).flatMap(([severity, title]) => {
    const ofGroup = findings.filter((finding) => finding.severity === severity)
    return ofGroup.length === 0 ? [] : [screen.bold(title), ...rows(ofGroup, root, screen, 'whole'), '']
  })
  const fixable = mendable(findings).length
  const offer = fixable === 0 || mending || wouldMend ? [] : [`"keepsake doctor --fix" fixes ${fixable} of them.`]
  return [...groups, `${countsText(findings)}. ${looked}`, ...offer]
}

function rows(findings: readonly Finding[], root: string, screen: Screen, how: 'brief' | 'whole'): string[] {
  const paths = findings.map(({ path }) => screen.path(root, path))
  const width = Math.min(WIDEST_PATH, columnWidth(paths))
  return findings.flatMap(({ code, problem, hint }, index) => [
    `  ${padToWidth(width, paths[index] ?? '')}  ${screen.line(problem)} ${screen.dim(`[${code}]`)}`,
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

function checkedText({ files, entries, changes, sessions }: Checked, isOnServer: boolean): string {
  const parts = [
    ...(isOnServer ? [] : [counted(files, 'file', 'files')]),
    counted(entries, 'entry', 'entries'),
    counted(changes, 'change', 'changes'),
    counted(sessions, 'session', 'sessions'),
  ]
  return `Looked at ${parts.join(', ')}.`
}
