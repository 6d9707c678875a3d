/** Opens the memory that a command works on. Loaded by the commands that need one, when they do. */
import { openMemory } from '../memory.ts'
import { filesystemStore } from '../stores/filesystem/store.ts'
import type { Opened } from './command.ts'

export async function openWorkspace(root: string, agent: string | undefined): Promise<Opened> {
  const named = agent === undefined ? {} : { agent }
  const store = filesystemStore({ root, ...named })
  return { memory: await openMemory({ store, ...named }), root: store.root }
}
