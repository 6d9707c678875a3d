/** Opens the memory that a command works on. Loaded by the commands that need one, when they do. */
import type { Config } from '../config/load-config.ts'
import { openStore } from '../memory/open.ts'
import { type MemoryOptions, openMemory } from '../memory.ts'
import type { Life, Opened } from './command.ts'
import { embedOf } from './embed-of.ts'
import { refuseForeignServer } from './own-server.ts'
import { elsewhereOf } from './running-server.ts'

/** Of a server, for who waits at a prompt. */
const GLANCE_MS = 1000
/** Off the way to the first prompt. */
const LOAD_AFTER_MS = 500

export async function openWorkspace(config: Config, life: Life = 'short'): Promise<Opened> {
  // A press of TAB in a clone asks nobody whom the clone names.
  if (life === 'glance') refuseForeignServer(config)
  const { store, agent, settings } = await openStore(config, life === 'glance' ? { requestMs: GLANCE_MS } : {})
  const search = life === 'long' ? searchForLong(config) : searchOnce(config)
  return { memory: await openMemory({ store, agent, ...settings, ...search }), root: config.values.workspace }
}

/** A model takes a second to load: who runs once searches by words, or lets a running server search, unless a mode is named. */
function searchOnce(config: Config): MemoryOptions {
  return { searchBy: 'words', embed: embedOf(config, { unattended: false }).embed, ...elsewhereOf(config) }
}

function searchForLong(config: Config): MemoryOptions {
  const { embed, load } = embedOf(config, { unattended: true })
  setTimeout(load, LOAD_AFTER_MS).unref()
  return { searchBy: 'meaning too once loaded', embed }
}
