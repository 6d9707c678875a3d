/**
 * Whose a flat workspace is: it holds one agent, named in its `keepsake.yaml`, and needs no other file to say so. What can't be
 * read here is left to the store, which says what is wrong with it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseMapping } from '../codec/mapping.ts'
import { AGENT } from './value-types.ts'

export const SETTINGS_FILE = 'keepsake.yaml'

export function pinnedAgent(workspace: string): string | undefined {
  try {
    const values = parseMapping(readFileSync(join(workspace, SETTINGS_FILE), 'utf8'), () => undefined)
    const { layout, agent } = values as { readonly layout?: unknown; readonly agent?: unknown } // anything may stand there
    return layout === 'flat' && typeof agent === 'string' ? AGENT.read(agent, workspace) : undefined
  } catch {
    return undefined
  }
}
