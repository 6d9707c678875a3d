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

export function projectFolder({ client, event, begunIn }: SessionOfClient, asked: Pick<Asked, 'cwd'>): string {
  const variable = VARIABLES[client]
  const folders = [variable === undefined ? undefined : process.env[variable], begunIn]
  return (
    folders.find((folder) => folder !== undefined && isAbsolute(folder) && isFolder(folder)) ??
    eventFolder(event, asked)
  )
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
