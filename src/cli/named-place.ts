/**
 * Checks that a named workspace and agent exist; a missing one is most often a typo. A read fails and suggests what may have been
 * meant. A write creates both, and warns about a new agent if others exist. A default place may be empty.
 */
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isKnownAgent, UnknownAgentError } from '../agents/known-agent.ts'
import { findPlace, isThere, SETTINGS_FILE, workspaceAt } from '../config/find-workspace.ts'
import { isOnServer, KEYS } from '../config/keys.ts'
import type { Config } from '../config/load-config.ts'
import { AGENT, isUrl } from '../config/value-types.ts'
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import { openLasting } from '../memory/lasting-store.ts'
import type { Memory } from '../memory.ts'
import { WORLD } from '../model/entry.ts'
import { nearest } from '../model/nearest.ts'
import { shellLine } from '../model/shell-line.ts'
import type { Movable, Store } from '../ports/store.ts'
import { isMade } from './is-made.ts'

/** Whether there is a memory. Throws NOT_FOUND if a named one is missing. */
export async function findMemory(config: Config, store: Store | (Store & Movable)): Promise<boolean> {
  const exists = await hasMemory(config, store)
  if (!exists && config.sources.workspace.from === 'asked') throw noMemoryAt(config.values.workspace)
  return exists
}

/** Whether Keepsake created a memory there, or people wrote its files. */
export async function hasMemory({ values }: Config, store: Store | (Store & Movable)): Promise<boolean> {
  const { backend, workspace } = values
  return backend === 'memory' || (await isMade(store, workspace)) || (await hasAnything(store))
}

/** As findMemory, for a server that has not opened its store yet. */
export async function findServedMemory(config: Config): Promise<void> {
  if (config.sources.workspace.from !== 'asked' || config.values.backend === 'memory') return
  const store = await openLasting(config)
  try {
    await findMemory(config, store)
  } finally {
    await store.close()
  }
}

/**
 * Warns if a server was started with the name of a workspace or an agent that does not exist yet. Other errors are reported by the
 * first call that opens the memory.
 */
export async function servedNameWarnings(config: Config, memory: Memory): Promise<readonly string[]> {
  const { backend, workspace } = config.values
  // A database server that does not answer must not keep the client waiting.
  if (isOnServer(backend)) return []
  try {
    await findServedMemory(config)
    return await checkAgent(config, memory, 'write')
  } catch (error) {
    if (!isKeepsakeError(error) || error.code !== 'NOT_FOUND') return []
    return [`there is no memory at ${workspace} yet; the first write creates one`]
  }
}

async function hasAnything(store: Store | (Store & Movable)): Promise<boolean> {
  if ((await store.heads()).length > 0) return true
  if (!('image' in store)) return false
  const { countImage } = await import('../move/watched-image.ts')
  const { changes, sessions, files } = await countImage(await store.image())
  return changes + sessions + files > 0
}

export function noMemoryAt(workspace: string): KeepsakeError {
  const near = isUrl(workspace) ? undefined : memoryNear(workspace)
  const check = near === undefined ? `Check the ${isUrl(workspace) ? 'address' : 'path'}.` : `Did you mean ${near}?`
  return new KeepsakeError('NOT_FOUND', `there is no memory at ${workspace}`, {
    hint: `${check} To create a new memory: ${shellLine(['keepsake', 'init', '--workspace', workspace])}`,
    data: { workspace, near },
  })
}

/** A memory with a similar name in the same folder, else the nearest one in a parent folder. */
function memoryNear(path: string): string | undefined {
  const folder = dirname(path)
  const beside = namesIn(folder).filter((name) => name !== basename(path) && isMemory(join(folder, name)))
  const near = nearest(basename(path), beside)
  if (near !== undefined) return join(folder, near)
  const { workspace } = findPlace(folder)
  return isThere(workspace) ? workspace : undefined
}

function isMemory(path: string): boolean {
  return path.endsWith('.keepsake') || isThere(join(path, SETTINGS_FILE)) || workspaceAt(path) !== path
}

/** Checks an agent that was named: a read throws if it is unknown, a write returns a warning. */
export async function checkAgent(
  { values, sources }: Config,
  memory: Pick<Memory, 'store'>,
  use: 'read' | 'write',
): Promise<readonly string[]> {
  const { backend, workspace, agent } = values
  // The default agent always exists, and a flat workspace rejects every agent but its own.
  if (sources.agent.from !== 'asked' || agent === KEYS.agent.fallback || backend === 'memory') return []
  if (existsSync(join(workspace, 'agents', agent)) || (await memory.store.settings()).layout === 'flat') return []
  if (await isKnownAgent(memory, agent)) return []
  const known = await agentsIn(memory, workspace)
  if (use === 'read') throw new UnknownAgentError(agent, `in ${workspace}`, known)
  const near = nearest(agent, known)
  if (known.length === 0) return []
  return [`agent "${agent}" is new${near === undefined ? '' : `; did you mean "${near}"?`}`]
}

/** The agents that have data here now: by folder, since an agent may have sessions but no entry yet, and by entry. */
export async function agentsIn({ store }: Pick<Memory, 'store'>, root: string): Promise<readonly string[]> {
  const folders = namesIn(join(root, 'agents')).flatMap((name) => AGENT.read(name, root) ?? [])
  const scopes = (await store.scopes?.()) ?? (await store.heads()).map(({ scope }) => scope)
  return [...new Set([...folders, ...scopes])].filter((name) => name !== WORLD).sort()
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
