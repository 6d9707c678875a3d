/** `keepsake backup`: the whole workspace as one archive, of one moment. */
import { once } from 'node:events'
import { resolve } from 'node:path'
import { openFiles } from '../../config/open-store.ts'
import { usageError } from '../arguments.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { rowsText } from '../entry-text.ts'
import { progressLine } from '../progress.ts'

const STANDARD_OUTPUT = '-'

export const backup: Command = {
  verb: 'backup',
  operands: [{ name: 'FILE' }],
  about: [
    'Writes the whole workspace, with its history and every other file in its folder, to FILE: an archive that "tar xzf"',
    'opens and "keepsake restore" brings back. It is of one moment, also while agents write, and is read back and',
    'compared before it gets its name. Links and what can not be read are left out and named; other archives that',
    'keepsake made are left out, too. With - as FILE the archive goes to standard output.',
  ],
  options: [{ name: 'force', about: 'replace FILE if it is there' }],
  examples: ['keepsake backup memory.tar.gz', 'keepsake backup - | ssh shelf "cat > memory.tar.gz"'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked, screen } = context
  const file = given.operand(0)
  if (file === STANDARD_OUTPUT) refuseOtherOutput(context)
  const { filesystemStore } = await import('../../stores/filesystem/store.ts')
  const store = await openFiles(await configAsked(context), filesystemStore)
  const progress = progressLine(given)
  try {
    const { archive, files, bytes, change, warnings } = await store.backup({
      to: file === STANDARD_OUTPUT ? toStandardOutput : resolve(asked.cwd, file),
      force: given.has('force'),
      onProgress: progress.show,
    })
    progress.end()
    if (archive === undefined) return { json: {}, text: '', quietText: '', warnings }
    const rows = rowsText(
      [
        ['files', String(files)],
        ['size', `${bytes} bytes`],
        ['change', String(change)],
      ],
      screen,
    )
    return {
      json: { archive, files, bytes, change, warnings },
      text: [`Backed up to ${screen.path('', archive)}`, ...rows].join('\n'),
      quietText: '',
      warnings,
    }
  } finally {
    progress.end()
    await store.close()
  }
}

function refuseOtherOutput({ given }: Context): void {
  if (given.has('json')) {
    throw usageError('with - as FILE the archive is all that is printed', 'Leave --json away, or name a file.')
  }
  if (process.stdout.isTTY === true) {
    throw usageError('an archive is nothing for a terminal', 'Name a file, or send it on with a pipe.')
  }
}

async function toStandardOutput(bytes: Uint8Array): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
}
