/** `keepsake backup`: the whole workspace of one moment, a folder as an archive, a memory in one file as such a file. */
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Config } from '../../config/load-config.ts'
import { openFiles, openOneFile } from '../../config/open-store.ts'
import { KeepsakeError } from '../../errors.ts'
import { usageError } from '../arguments.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { rowsText } from '../entry-text.ts'
import { findMemory } from '../named-place.ts'
import { progressLine } from '../progress.ts'

const STANDARD_OUTPUT = '-'

export const backup: Command = {
  verb: 'backup',
  operands: [{ name: 'FILE' }],
  about: [
    'Writes the whole workspace, with its history and every other file in its folder, to FILE: an archive that "tar xzf"',
    'opens and "keepsake restore" brings back. It is of one moment, also while agents write, and is read back and',
    'compared before it gets its name. Links and what can not be read are left out and named; other archives that',
    'keepsake made are left out, too. With - as FILE the archive goes to standard output. Of a memory in one file, FILE is a',
    'whole copy that can be used as it is. A memory on a server is copied with "keepsake move".',
  ],
  options: [{ name: 'force', about: 'replace FILE if it is there' }],
  examples: [
    'keepsake backup memory.tar.gz',
    'keepsake backup - | ssh shelf "cat > memory.tar.gz"',
    'keepsake backup copy.keepsake --workspace memory.keepsake',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked } = context
  const file = given.operand(0)
  if (file === STANDARD_OUTPUT) refuseOtherOutput(context)
  const config = await configAsked(context)
  if (config.values.backend === 'chroma') throw unsupported(config, file)
  const isOneFile = config.values.backend === 'file'
  if (isOneFile && isArchiveName(file)) {
    throw usageError(
      `${config.values.workspace} is one file, and its backup is one too, no archive`,
      'Give FILE a name that ends in .keepsake.',
    )
  }
  if (!isOneFile && isOneFileName(file)) {
    throw usageError(
      `${config.values.workspace} is a folder, and its backup is an archive, no memory in one file`,
      `Give FILE a name that ends in .tar.gz; or have the memory as one file with: keepsake move --to ${file}`,
    )
  }
  const progress = progressLine(given, isOneFile ? 'changes' : 'files')
  try {
    const request: Request = {
      to: file === STANDARD_OUTPUT ? toStandardOutput : resolve(asked.cwd, file),
      force: given.has('force'),
      onProgress: progress.show,
    }
    const made = await (isOneFile ? copied(config, request) : archived(config, request))
    progress.end()
    return told(made, context)
  } finally {
    progress.end()
  }
}

interface Request {
  readonly to: string | typeof toStandardOutput
  readonly force: boolean
  readonly onProgress: (doing: string, done: number, total: number) => void
}

interface Made {
  /** Missing when it went to standard output. */
  readonly archive?: string
  readonly counts: Readonly<Record<string, number>>
  readonly bytes: number
  readonly change: number
  readonly warnings: readonly string[]
}

async function archived(config: Config, request: Request): Promise<Made> {
  const { filesystemStore } = await import('../../stores/filesystem/store.ts')
  const store = await openFiles(config, filesystemStore)
  try {
    await findMemory(config, store)
    const { files, ...made } = await store.backup(request)
    return { ...made, counts: { files } }
  } finally {
    await store.close()
  }
}

async function copied(config: Config, request: Request): Promise<Made> {
  const [{ fileStore }, { backUpFile }] = await Promise.all([
    import('../../stores/file/store.ts'),
    import('../../stores/file/backup.ts'),
  ])
  const store = await openOneFile(config, fileStore)
  try {
    await findMemory(config, store)
    const { copy, entries, bytes, change } = await backUpFile(store, request)
    return { ...(copy === undefined ? {} : { archive: copy }), counts: { entries }, bytes, change, warnings: [] }
  } finally {
    await store.close()
  }
}

function told({ archive, counts, bytes, change, warnings }: Made, { screen }: Context): Outcome {
  if (archive === undefined) return { json: {}, text: '', quietText: '', warnings }
  const countRows = Object.entries(counts).map(([what, count]) => [what, String(count)] as const)
  const rows = rowsText([...countRows, ['size', `${bytes} bytes`], ['change', String(change)]], screen)
  return {
    json: { archive, ...counts, bytes, change, warnings },
    text: [`Backed up to ${screen.path('', archive)}`, ...rows].join('\n'),
    quietText: '',
    warnings,
  }
}

/** What runs the server has a way to copy it; a whole copy that is ours is another memory. */
function unsupported({ values: { workspace } }: Config, file: string): KeepsakeError {
  const name = isOneFileName(file) ? file : 'copy.keepsake'
  return new KeepsakeError('UNSUPPORTED', `${workspace} is a memory on a server, and has no files to back up`, {
    hint: `Copy all of it into one file, and from there back: keepsake move --to ${name} --workspace ${workspace}`,
  })
}

/** What such a name promises would be no such thing. */
function isArchiveName(file: string): boolean {
  return /\.(tar|tgz|gz|zip)$/i.test(file)
}

/** An archive of this name would be opened, and refused, as a memory. */
function isOneFileName(file: string): boolean {
  return /.\.keepsake$/i.test(file)
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
