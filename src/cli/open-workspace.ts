/** Opens the memory that a command works on. Loaded by the commands that need one, when they do. */
import type { Config } from '../config/load-config.ts'
import { openStore } from '../memory/open.ts'
import { openMemory } from '../memory.ts'
import type { Opened } from './command.ts'

export async function openWorkspace(config: Config): Promise<Opened> {
  const { store, agent, settings } = await openStore(config)
  return { memory: await openMemory({ store, agent, ...settings }), root: config.values.workspace }
}
