/**
 * Whose a flat workspace is: it holds one agent, named in its settings, and needs no other file to say so. What can't be read
 * here is left to the store, which says what is wrong with it.
 */
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseMapping } from '../codec/mapping.ts'
import { SETTINGS_FILE } from './find-workspace.ts'
import type { Backend } from './keys.ts'
import { AGENT } from './value-types.ts'

export async function pinnedAgent(backend: Backend, workspace: string): Promise<string | undefined> {
  try {
    const { layout, agent } = await settingsIn(backend, workspace)
    return layout === 'flat' && typeof agent === 'string' ? AGENT.read(agent, workspace) : undefined
  } catch {
    return undefined
  }
}

/** Anything may stand there. */
interface FoundSettings {
  readonly layout?: unknown
  readonly agent?: unknown
}

async function settingsIn(backend: Backend, workspace: string): Promise<FoundSettings> {
  if (backend === 'filesystem') {
    return parseMapping(readFileSync(join(workspace, SETTINGS_FILE), 'utf8'), () => undefined) as FoundSettings
  }
  if (backend !== 'file') return {}
  if (!lstatSync(workspace).isFile()) return {}
  const { Connection } = await import('../stores/engine/sqlite.ts')
  // The settings never change, so reading them needs no lock.
  const file = new Connection(workspace, { mode: 'immutable' })
  try {
    const [row] = file.allNow("SELECT value FROM settings WHERE key = 'settings'")
    return JSON.parse(String(row?.['value'])) as FoundSettings
  } finally {
    file.close()
  }
}
