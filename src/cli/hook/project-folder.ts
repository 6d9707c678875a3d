/**
 * The folder from which the memory of a session is looked for. It is the same in each event of a session: the folder that an event
 * names follows every `cd` of the agent, and what was said must not be scattered over the memories of all that it walked through.
 */
import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Asked } from '../command.ts'
import type { HookEvent } from './event.ts'
import type { HookClient } from './hook-clients.ts'

/** What the clients set for their hooks. One may have been started by another, so only its own counts. */
const VARIABLES: Readonly<Partial<Record<HookClient, string>>> = {
  claude: 'CLAUDE_PROJECT_DIR',
  gemini: 'GEMINI_PROJECT_DIR',
}

export interface SessionOfClient {
  readonly client: HookClient
  readonly event: HookEvent
  /** Where its transcript says that it began. */
  readonly begunIn?: string | undefined
}

export function projectFolder(of: SessionOfClient, asked: Pick<Asked, 'cwd'>): string {
  return folderToldBy(of.client) ?? existing(of.begunIn) ?? eventFolder(of.event, asked)
}

/** What the client itself says of it: then nothing else counts. */
export function folderToldBy(client: HookClient): string | undefined {
  const variable = VARIABLES[client]
  return variable === undefined ? undefined : existing(process.env[variable])
}

function existing(folder: string | undefined): string | undefined {
  return folder !== undefined && isAbsolute(folder) && isFolder(folder) ? folder : undefined
}

/** The folder of the process, which may be gone, is asked for only where it counts. */
export function eventFolder({ cwd }: HookEvent, asked: Pick<Asked, 'cwd'>): string {
  if (cwd === undefined) return asked.cwd
  const folder = isAbsolute(cwd) ? cwd : resolve(asked.cwd, cwd)
  return isFolder(folder) ? folder : asked.cwd
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
