/** `keepsake restore`: restores a backup to an empty place. */
import { join, resolve } from 'node:path'
import { WORKSPACE_FOLDER } from '../../config/find-workspace.ts'
import { isUrl } from '../../config/value-types.ts'
import { openLasting } from '../../memory/lasting-store.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { openBackup, refuseToReplace, restore as restoreTo } from '../../move/backup.ts'
import { countImage } from '../../move/watched-image.ts'
import { usageError } from '../arguments.ts'
import { DRY_RUN } from '../ask.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { countRows, moveProgress } from '../move-progress.ts'

const STANDARD_INPUT = '-'

export const restore: Command = {
  verb: 'restore',
  operands: [{ name: 'FILE' }],
  about: [
    'Restores the memory that "keepsake backup" wrote to FILE: to .keepsake in this folder, or to the folder, file or server',
    'that --workspace or an agent.yaml here or above names. It only restores to an empty place, so move away what is there.',
    'Nothing appears there until all of FILE has been copied and compared. FILE is not changed.',
  ],
  options: [DRY_RUN],
  examples: [
    'keepsake restore memory.keepsake',
    'keepsake restore memory.keepsake --dry-run',
    'keepsake restore memory.keepsake --workspace ~/copy',
    'keepsake restore memory.keepsake --workspace postgres://db.example/team',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked, screen } = context
  if (given.operand(0) === STANDARD_INPUT) {
    throw usageError("a backup can't be read from standard input", 'Save it to a file first.')
  }
  const named = given.one('agent')
  if (named !== undefined) normalizeAgentId(named)
  const backup = await openBackup(resolve(asked.cwd, given.operand(0)))
  const progress = moveProgress(given)
  try {
    const { agent } = await backup.settings()
    // Like init: a memory further up, or at home, is not the one to restore.
    const here = join(asked.cwd, WORKSPACE_FOLDER)
    const owner = agent === undefined ? {} : { agent: { text: agent, source: 'the backup' } }
    const config = await configAsked(context, owner, here)
    const { workspace } = config.values
    if (!isUrl(workspace)) refuseToReplace(workspace)
    const place = screen.path('', workspace)
    if (given.has('dry-run')) {
      const image = await backup.image()
      const counts = await countImage(image)
      return {
        json: { workspace, ...counts, dryRun: true, ...warningsJson(image.warnings) },
        text: [`Would restore to ${place}`, ...countRows(counts, screen), 'Nothing was changed.'].join('\n'),
        quietText: '',
        warnings: image.warnings,
      }
    }
    const to = await openLasting(config)
    try {
      const { warnings, ...counts } = await restoreTo(backup, to, { onProgress: progress.show })
      progress.end()
      return {
        json: { workspace, ...counts, ...warningsJson(warnings) },
        text: [`Restored ${place}`, ...countRows(counts, screen)].join('\n'),
        quietText: '',
        warnings,
      }
    } finally {
      await to.close()
    }
  } finally {
    progress.end()
    await backup.close()
  }
}
