/** `keepsake restore`: a workspace from an archive; the one that is there is kept beside it. */
import { resolve } from 'node:path'
import { InvalidError } from '../../errors.ts'
import type { Restored, RestorePlan } from '../../stores/filesystem/backup/restore.ts'
import { DRY_RUN, insist, YES } from '../ask.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { rowsText } from '../entry-text.ts'
import { progressLine } from '../progress.ts'
import type { Screen } from '../screen.ts'

export const restore: Command = {
  verb: 'restore',
  operands: [{ name: 'FILE' }],
  about: [
    'Brings the workspace back that "keepsake backup" wrote to FILE. All of FILE is read and checked first; one that is',
    'damaged changes nothing. A workspace that is there now is kept: it gets another name beside the new one. On a',
    'terminal it asks before that; a program says --yes.',
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
  const { backend, workspace } = (await configAsked(context)).values
  if (backend !== 'filesystem') throw new InvalidError('workspace', `${workspace} is not a folder`, 'a folder')
  const progress = progressLine(given)
  try {
    const archive = resolve(asked.cwd, given.operand(0))
    const plan = await planRestore({ archive, root: workspace, onProgress: progress.show })
    progress.end()
    if (given.has('dry-run')) return tried(plan, screen)
    if (plan.replaces) {
      const place = screen.path('', plan.root)
      await insist(context, {
        question: `Restore ${describe(plan)} to ${place}? The workspace that is there is kept under another name.`,
        would: `this would put ${describe(plan)} in the place of the workspace ${place}`,
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

function tried(plan: RestorePlan, screen: Screen): Outcome {
  const { root, files, replaces, warnings } = plan
  const place = screen.path('', root)
  return {
    json: { workspace: root, files, replaces, dryRun: true, ...warningsJson(warnings) },
    text: [
      `Would restore ${describe(plan)} to ${place}`,
      replaces ? 'The workspace that is there would be kept under another name.' : 'Nothing is there now.',
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

/** As a shell takes it for one word. */
function word(path: string): string {
  return /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

function describe({ files, madeAt, change }: RestorePlan): string {
  return `${files} ${files === 1 ? 'file' : 'files'} as of change ${change}, ${madeAt}`
}
