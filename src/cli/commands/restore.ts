/** `keepsake restore`: a workspace from an archive; the one that is there is kept beside it. */
import { join, resolve } from 'node:path'
import { WORKSPACE_FOLDER } from '../../config/find-workspace.ts'
import { InvalidError, KeepsakeError } from '../../errors.ts'
import type { Restored, RestorePlan } from '../../stores/filesystem/backup/restore.ts'
import { usageError } from '../arguments.ts'
import { DRY_RUN, insist, YES } from '../ask.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { rowsText } from '../entry-text.ts'
import { progressLine } from '../progress.ts'
import type { Screen } from '../screen.ts'

const STANDARD_INPUT = '-'

export const restore: Command = {
  verb: 'restore',
  operands: [{ name: 'FILE' }],
  about: [
    'Brings the workspace back that "keepsake backup" wrote to FILE. All of FILE is read and checked first; one that is',
    'damaged changes nothing. It comes to .keepsake in this folder; or to the place that --workspace names, or an agent.yaml',
    'here or above. A workspace that is there now is kept: it gets another name beside the new one. On a terminal it asks',
    'before that; a program says --yes. One that is another memory than that in FILE is replaced only where --workspace',
    'names it.',
  ],
  options: [YES, DRY_RUN],
  examples: [
    'keepsake restore memory.tar.gz',
    'keepsake restore memory.tar.gz --dry-run',
    'keepsake restore memory.tar.gz --workspace ~/copy --yes',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked, screen } = context
  const { planRestore, restoreWorkspace } = await import('../../stores/filesystem/backup/restore.ts')
  if (given.operand(0) === STANDARD_INPUT) {
    throw usageError('an archive can not be read from standard input', 'Save it to a file first, and name that.')
  }
  // As init: what is found further up, or at home, is not what was lost here.
  const { backend, workspace } = (await configAsked(context, {}, join(asked.cwd, WORKSPACE_FOLDER))).values
  if (backend !== 'filesystem') throw new InvalidError('workspace', `${workspace} is not a folder`, 'a folder')
  const progress = progressLine(given)
  try {
    const archive = resolve(asked.cwd, given.operand(0))
    const plan = await planRestore({ archive, root: workspace, onProgress: progress.show })
    progress.end()
    if (given.has('dry-run')) return tried(plan, screen)
    refuseOther(plan, context)
    if (plan.replaces) {
      const place = screen.path('', plan.root)
      const other = plan.replacesOther === undefined ? '' : `, which is ${otherText(plan)}`
      await insist(context, {
        question: `Restore ${describe(plan)} to ${place}${other}? The workspace that is there is kept under another name.`,
        would: `this would put ${describe(plan)} in the place of the workspace ${place}${other}`,
        spared: 'nothing was restored',
        deed: 'restore it; the workspace that is there is kept under another name',
      })
    }
    const restored = await restoreWorkspace(plan, { nowMs: Date.now(), onProgress: progress.show })
    return done(plan, restored, screen)
  } finally {
    progress.end()
  }
}

/** `--yes` agrees to a new state of a memory, not to another memory. */
function refuseOther(plan: RestorePlan, { given, screen }: Context): void {
  if (plan.replacesOther === undefined || given.has('workspace')) return
  const place = screen.path('', plan.root)
  throw new KeepsakeError('CONFLICT', `${place} is ${otherText(plan)}`, {
    hint: `Nothing was restored. To put it there all the same: --workspace ${word(place)}. Else name another folder.`,
    data: { path: plan.root },
  })
}

function otherText({ replacesOther, workspace }: RestorePlan): string {
  return `another memory (id ${replacesOther}) than the one in the archive (id ${workspace})`
}

function tried(plan: RestorePlan, screen: Screen): Outcome {
  const { root, files, replaces, warnings } = plan
  const place = screen.path('', root)
  return {
    json: { workspace: root, files, replaces, ...otherJson(plan), dryRun: true, ...warningsJson(warnings) },
    text: [
      `Would restore ${describe(plan)} to ${place}`,
      replaces ? 'The workspace that is there would be kept under another name.' : 'Nothing is there now.',
      ...(plan.replacesOther === undefined ? [] : [`It is ${otherText(plan)}; only --workspace replaces it.`]),
      'Nothing was changed.',
    ].join('\n'),
    quietText: '',
    warnings,
  }
}

function done(plan: RestorePlan, { workspace, files, previous, warnings }: Restored, screen: Screen): Outcome {
  const [here, before] = [screen.path('', workspace), previous && screen.path('', previous)]
  const rows = rowsText(
    [
      ['files', String(files)],
      ['change', String(plan.change)],
      ['before', before],
    ],
    screen,
  )
  const all = [...plan.warnings, ...warnings]
  return {
    json: { workspace, files, ...(previous === undefined ? {} : { previous }), ...warningsJson(all) },
    text: [
      `Restored ${here}`,
      ...rows,
      ...(before === undefined
        ? []
        : [`To go back: mv ${word(here)} ${word(`${here}.undone`)} && mv ${word(before)} ${word(here)}`]),
    ].join('\n'),
    quietText: '',
    warnings: all,
  }
}

function otherJson({ replacesOther }: RestorePlan): object {
  return replacesOther === undefined ? {} : { replacesOther }
}

/** As a shell takes it for one word. */
function word(path: string): string {
  return /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

function describe({ files, madeAt, change }: RestorePlan): string {
  return `${files} ${files === 1 ? 'file' : 'files'} as of change ${change}, ${madeAt}`
}
