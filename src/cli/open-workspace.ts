/** Opens the memory that a command works on. Loaded by the commands that need one, when they do. */
import { isThere as isThereAt } from '../config/find-workspace.ts'
import { isOnServer } from '../config/keys.ts'
import type { Config } from '../config/load-config.ts'
import { openStore } from '../memory/open.ts'
import { type MemoryOptions, openMemory } from '../memory.ts'
import type { Life, Opened, Use } from './command.ts'
import { embedOf } from './embed-of.ts'
import { checkAgent, findMemory, hasMemory } from './named-place.ts'
import { refuseForeignServer } from './own-server.ts'
import { ownership } from './own-workspaces.ts'
import { elsewhereOf } from './running-server.ts'

/** Of a server, for who waits at a prompt. */
const GLANCE_MS = 1000
/** Off the way to the first prompt. */
const LOAD_AFTER_MS = 500

/** `use`: a read needs the named workspace and agent to exist; a write may create them. */
export async function openWorkspace(config: Config, life: Life = 'short', use: Use = 'read'): Promise<Opened> {
  // A press of TAB in a clone asks nobody whom the clone names.
  if (life === 'glance') refuseForeignServer(config)
  const { onCreated, distrust } = ownership(config)
  const patience = life === 'glance' ? { requestMs: GLANCE_MS } : {}
  const warnings: string[] = []
  let isNew = false
  const { store, agent, settings } = await openStore(config, {
    ...patience,
    onCreated: (created) => {
      onCreated(created)
      if (isNew) warnings.push(`there was no memory at ${config.values.workspace}, so a new one was created`)
    },
  })
  const search = life === 'long' ? searchForLong(config) : searchOnce(config)
  const memory = await openMemory({ store, agent, ...settings, ...search, distrust })
  const opened = { memory, root: config.values.workspace, isThere: true, warnings }
  if (life === 'glance') return opened
  try {
    // A database server is asked only if it was named, because that costs each command one more request.
    const isLocal = !isOnServer(config.values.backend)
    const isNamed = config.sources.workspace.from === 'asked'
    const isThere = use === 'read' && (isLocal || isNamed) ? await findMemory(config, store) : true
    const mayBeNew = use === 'write' && isLocal && isNamed
    isNew = mayBeNew && (!isThereAt(config.values.workspace) || !(await hasMemory(config, store)))
    warnings.push(...(await checkAgent(config, memory, use)))
    return { ...opened, isThere }
  } catch (error) {
    await memory.close()
    throw error
  }
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
