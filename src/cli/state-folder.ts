/** The user's private folder for data outside every memory: the list of their own workspaces, and the token of their servers. */
import { isAbsolute, join } from 'node:path'
import { homeFolder } from '../config/home-folder.ts'

/** It may not exist yet. As the XDG specification says, a relative path is ignored. */
export function stateFolder(): string {
  const state = process.env['XDG_STATE_HOME'] ?? ''
  return join(isAbsolute(state) ? state : join(homeFolder(), '.local/state'), 'keepsake')
}
