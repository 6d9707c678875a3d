/** Whether a memory was made already: by the file that every made one has, and of a server by asking it. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS_FILE } from '../config/find-workspace.ts'
import type { Store } from '../ports/store.ts'
import type { ChromaStore } from '../stores/chroma/store.ts'
import type { PostgresStore } from '../stores/postgres/store.ts'

/** `workspace`: where the store is. */
export async function isMade(store: Store | ChromaStore | PostgresStore, workspace: string): Promise<boolean> {
  if ('isMade' in store) return store.isMade()
  return existsSync(join(workspace, SETTINGS_FILE)) || statSync(workspace, { throwIfNoEntry: false })?.isFile() === true
}
