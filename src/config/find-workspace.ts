/**
 * Where the memory is. By default, the nearest `agent.yaml` or `.keepsake/` decides, going upward from a folder; if there is neither,
 * it is the one in the home folder. If a project's folder is named, it is the `.keepsake` in that folder.
 */
import { lstatSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { homeFolder } from './home-folder.ts'

export const CONFIG_FILE = 'agent.yaml'
export const WORKSPACE_FOLDER = '.keepsake'
/** Every workspace of Markdown files that Keepsake created has this file. */
export const SETTINGS_FILE = 'keepsake.yaml'
/** What a memory in one file is called where nobody names it. */
export const WORKSPACE_FILE = 'memory.keepsake'

export interface Place {
  /** An `agent.yaml`; what it says about the workspace counts. */
  readonly config?: string
  /** A workspace that no `agent.yaml` speaks of. */
  readonly workspace: string
}

export function findPlace(from: string): Place {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const workspace = join(folder, WORKSPACE_FOLDER)
    const config = join(folder, CONFIG_FILE)
    // Also what has that name and is something else: it is not passed over, but refused with its reason when it is used.
    if (isThere(config)) return { config, workspace }
    if (isThere(workspace)) return { workspace }
    if (folder === dirname(folder)) return { workspace: join(homeFolder(), WORKSPACE_FOLDER) }
  }
}

/** `path` itself, or the `.keepsake` in it if `path` is not a workspace, so that no second memory is created beside that one. */
export function workspaceAt(path: string): string {
  const inside = join(path, WORKSPACE_FOLDER)
  return isThere(inside) && !isThere(join(path, SETTINGS_FILE)) ? inside : path
}

export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // in a folder that we may not look into
  }
}
