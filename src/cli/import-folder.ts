/** `keepsake import folder`: a folder of Markdown files as keepsake writes them, with all that is in it. */

import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SETTINGS_FILE } from '../config/find-workspace.ts'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { isLogged } from '../model/operation.ts'
import { type ImportedFolder, importFolder } from '../move/import-folder.ts'
import type { Movable, Store } from '../ports/store.ts'
import { filesystemStore } from '../stores/filesystem/store.ts'
import { changeJson } from './change-json.ts'
import type { Context, Outcome } from './command.ts'
import { counted } from './counted.ts'
import { warningsJson } from './entry-json.ts'
import { rowsText } from './entry-text.ts'
import { isMade } from './is-made.ts'
import { progressLine } from './progress.ts'
import type { Screen } from './screen.ts'

/** `called`: as the person named it. */
export async function takeFolder({ given, asked, screen, openToWrite }: Context, called: string): Promise<Outcome> {
  const root = resolve(asked.cwd, called)
  requireFolder(root, called)
  const { memory, root: workspace } = await openToWrite()
  const dryRun = given.has('dry-run')
  const progress = progressLine(given, 'done')
  const folder = filesystemStore({ root })
  try {
    await requireOurs(folder, root, called)
    const imported = await importFolder(movable(folder), movable(memory.store), {
      dryRun,
      isMade: await isMade(memory.store, workspace),
      onProgress: ({ doing, done, total }) => progress.show(doing, done, total),
    })
    return outcomeOf(imported, { called, dryRun, agent: memory.agent }, screen)
  } finally {
    progress.end()
    await folder.close()
  }
}

/** A store takes a missing folder for an empty one. */
function requireFolder(root: string, called: string): void {
  const stats = statSync(root, { throwIfNoEntry: false })
  if (stats === undefined) {
    throw new KeepsakeError('NOT_FOUND', `there is no folder ${called}`, {
      hint: 'Check the path.',
      data: { path: root },
    })
  }
  if (!stats.isDirectory()) throw new InvalidError('PATH', `${called} is not a folder`, 'a folder that keepsake wrote')
}

/** Any folder opens as a memory, and one of another program as a memory without entries. */
async function requireOurs(folder: Store, root: string, called: string): Promise<void> {
  if (existsSync(join(root, SETTINGS_FILE)) || (await folder.heads()).length > 0) return
  throw new InvalidError('PATH', `${called} has nothing that keepsake wrote`, 'a folder that keepsake wrote')
}

function movable(store: Store | (Store & Movable)): Store & Movable {
  if ('image' in store && 'adopt' in store) return store
  throw new KeepsakeError('UNSUPPORTED', 'this store takes no folder in', { hint: 'Import into a folder or a file.' })
}

function outcomeOf(
  imported: ImportedFolder,
  { called, dryRun, agent }: { readonly called: string; readonly dryRun: boolean; readonly agent: string },
  screen: Screen,
): Outcome {
  const { whole, added, alreadyThere, leftOut, changes } = imported
  const warnings = [...leftOut.map(({ entry, reason }) => `${entry} was left out: ${reason}`), ...imported.warnings]
  const logged = changes.filter(({ change }) => isLogged(change))
  const rows = rowsText(
    [
      ['new', counted(added, 'entry', 'entries')],
      ['known', alreadyThere === 0 ? undefined : `${alreadyThere}, here already`],
      ['left out', leftOut.length === 0 ? undefined : counted(leftOut.length, 'entry', 'entries')],
      ['from', called],
      ['change', logged.length === 0 ? undefined : logged.map(({ change }) => change.number).join(', ')],
    ],
    screen,
  )
  return {
    json: {
      format: 'folder',
      from: called,
      dryRun,
      whole,
      new: added,
      known: alreadyThere,
      leftOut,
      changes: logged.map((one) => ({ ...changeJson(one.change), ...(one.agent ? { agent: one.agent } : {}) })),
      ...warningsJson(warnings),
    },
    text: [doneText(imported, dryRun, agent), ...rows].join('\n'),
    quietText: '',
    warnings,
  }
}

function doneText({ whole, added, changes }: ImportedFolder, dryRun: boolean, agent: string): string {
  if (added === 0 && !whole) return 'Nothing to import: all is here already, or has no room here'
  if (dryRun) return 'Dry run, nothing was written. An import would do this:'
  if (whole) return 'Imported all of the folder, with its history and sessions'
  if (changes.length === 0) return 'Nothing was changed'
  const logged = changes.filter(({ change }) => isLogged(change))
  if (logged.length === 0) return 'Imported'
  const undos = logged.map(({ change, agent: of = agent }) => {
    return `keepsake undo ${change.number}${of === agent ? '' : ` --agent ${of}`}`
  })
  return undos.length === 1
    ? `Imported; to take it back: ${undos[0]}`
    : ['Imported, a change for each agent; to take it back:', ...undos.map((one) => `  ${one}`)].join('\n')
}
