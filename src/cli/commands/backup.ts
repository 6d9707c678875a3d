/** `keepsake backup`: a full copy of the memory in one file, from any store. */
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openLasting } from '../../memory/lasting-store.ts'
import { type Backup, backUp } from '../../move/backup.ts'
import { usageError } from '../arguments.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { countRows, moveProgress } from '../move-progress.ts'
import { findMemory, noMemoryAt } from '../named-place.ts'

const STANDARD_OUTPUT = '-'

export const backup: Command = {
  verb: 'backup',
  operands: [{ name: 'FILE' }],
  about: [
    'Copies the whole memory, as of one moment, to FILE: entries, history, sessions, documents and settings. You can use',
    'FILE as it is with --workspace, and "keepsake restore" restores it to a folder, a file or a server. Agents may write',
    'meanwhile. FILE appears only after the copy has been compared with the memory. Files of a folder that are not part of',
    'the memory are left out and named. If FILE is -, the backup goes to standard output.',
  ],
  options: [{ name: 'force', about: 'replace FILE if it is there' }],
  examples: ['keepsake backup memory.keepsake', 'keepsake backup - | ssh shelf "cat > memory.keepsake"'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked, screen } = context
  const file = given.operand(0)
  if (file === STANDARD_OUTPUT) return toStandardOutput(context)
  const made = await backUpTo(context, resolve(asked.cwd, file))
  const { path, bytes, change, warnings, ...counts } = made
  const rows = countRows(counts, screen, [
    ['size', `${bytes} bytes`],
    ['change', String(change)],
  ])
  return {
    json: { backup: path, ...counts, bytes, change, ...warningsJson(warnings) },
    text: [`Backed up to ${screen.path('', path)}`, ...rows].join('\n'),
    quietText: '',
    warnings,
  }
}

async function backUpTo(context: Context, to: string): Promise<Backup> {
  const config = await configAsked(context)
  const from = await openLasting(config)
  const progress = moveProgress(context.given)
  try {
    if (!(await findMemory(config, from))) throw noMemoryAt(config.values.workspace)
    return await backUp(from, { to, force: context.given.has('force'), onProgress: progress.show })
  } finally {
    progress.end()
    await from.close()
  }
}

async function toStandardOutput(context: Context): Promise<Outcome> {
  if (context.given.has('json')) {
    throw usageError('if FILE is -, standard output is the backup itself', 'Leave out --json, or name a file.')
  }
  if (process.stdout.isTTY === true) {
    throw usageError("a backup can't be shown on a terminal", 'Name a file, or pipe it to another program.')
  }
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-backup-'))
  try {
    const { path, warnings } = await backUpTo(context, join(folder, 'memory.keepsake'))
    await pipeline(createReadStream(path), process.stdout, { end: false })
    return { json: {}, text: '', quietText: '', warnings }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
