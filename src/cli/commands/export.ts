/** `keepsake export`: the Markdown files of a memory, wherever it is kept, in a new folder. */
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isKeepsakeError, KeepsakeError, StorageError } from '../../errors.ts'
import { agentOf, openLasting } from '../../memory/lasting-store.ts'
import { type Moved, type MoveStep, moveMemory } from '../../move/move-memory.ts'
import type { Movable, Store } from '../../ports/store.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { rowsText } from '../entry-text.ts'
import { moveProgress } from '../move-progress.ts'
import { checkAgent, findMemory } from '../named-place.ts'
import { refuseSamePlace } from '../same-place.ts'

const STATE_FOLDER = '.state'

export const exportFolder: Command = {
  verb: 'export',
  operands: [{ name: 'FOLDER' }],
  about: [
    'Writes the memory as a folder of Markdown files: what people read and git keeps, to the byte as a folder store has it,',
    'with sessions and documents, without the history of changes. The folder is a workspace that can be used as it is, and',
    '"keepsake import folder" takes it into another memory. FOLDER must not be there yet, or be empty.',
  ],
  options: [],
  examples: ['keepsake export notes', 'keepsake export ~/notes --workspace memory.keepsake'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked, screen } = context
  const folder = resolve(asked.cwd, given.operand(0))
  refuseWhatIsThere(folder)
  const config = await configAsked(context)
  refuseSamePlace(config.values.workspace, folder, 'FOLDER')
  const from = await openLasting(config)
  const progress = moveProgress(given)
  try {
    await findMemory(config, from)
    await checkAgent(config, { store: from }, 'read')
    const { entries, sessions, warnings } = await writeFolder(from, {
      folder,
      agent: await agentOf(config, from),
      onProgress: progress.show,
    })
    progress.end()
    const files = countFiles(folder)
    const rows = rowsText(
      [
        ['entries', String(entries)],
        ['sessions', String(sessions)],
        ['files', String(files)],
      ],
      screen,
    )
    return {
      json: { folder, entries, sessions, files, ...warningsJson(warnings) },
      text: [`Exported to ${screen.path('', folder)}`, ...rows].join('\n'),
      quietText: '',
      warnings,
    }
  } finally {
    progress.end()
    await from.close()
  }
}

interface Wanted {
  readonly folder: string
  readonly agent: string
  readonly onProgress: (step: MoveStep) => void
}

/**
 * In a folder of this process beside it first: whoever sees the folder sees all of it, and none of our own state. Nothing of a
 * try that failed stays; what a killed one left, the next one removes.
 */
async function writeFolder(from: Store & Movable, { folder, agent, onProgress }: Wanted): Promise<Moved> {
  const { filesystemStore } = await import('../../stores/filesystem/store.ts')
  const { removeUnfinished, sweepUnfinished, unfinishedPath } = await import('../../stores/disk/unfinished.ts')
  const unfinished = unfinishedPath('export', dirname(folder))
  const made = join(unfinished, 'made')
  onDisk(folder, () => {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
    sweepUnfinished(dirname(folder))
    mkdirSync(unfinished, { mode: 0o700 })
  })
  const to = filesystemStore({ root: made, agent })
  const warnings: string[] = []
  try {
    const moved = await moveMemory(from, to, { onProgress })
    await to.close()
    onDisk(folder, () => {
      rmSync(join(made, STATE_FOLDER), { recursive: true, force: true })
      refuseWhatIsThere(folder)
      renameSync(made, folder)
    })
    warnings.push(...moved.warnings)
    return { ...moved, warnings }
  } finally {
    await to.close()
    warnings.push(...removeUnfinished(unfinished))
  }
}

function countFiles(folder: string): number {
  const all = onDisk(folder, () => readdirSync(folder, { recursive: true, withFileTypes: true }))
  return all.filter((file) => file.isFile()).length
}

function refuseWhatIsThere(folder: string): void {
  const found = onDisk(folder, () => lstatSync(folder, { throwIfNoEntry: false }))
  if (!found || (found.isDirectory() && onDisk(folder, () => readdirSync(folder)).length === 0)) return
  throw new KeepsakeError('CONFLICT', `${folder} is there already${found.isDirectory() ? ', and not empty' : ''}`, {
    hint: 'Nothing was written. Name a folder that is not there yet.',
    data: { path: folder },
  })
}

function onDisk<T>(folder: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (isKeepsakeError(error)) throw error
    throw new StorageError('exporting to', folder, error, 'Check the folder above it, and the room on the disk.')
  }
}
