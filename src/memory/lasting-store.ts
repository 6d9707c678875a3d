/**
 * Opens the stores that outlive their process: Markdown files, one file, a server. Each is loaded for who asks for it. Nothing is
 * written, and a server is asked only where nobody but it can say whose memory it is.
 */
import { workspaceAt } from '../config/find-workspace.ts'
import { isOnServer } from '../config/keys.ts'
import type { Config } from '../config/load-config.ts'
import { openFiles, openOneFile, openPostgres, openServer, type Pins } from '../config/open-store.ts'
import { pinnedAgent } from '../config/pinned-agent.ts'
import { isUrl, resolvePath } from '../config/value-types.ts'
import { backendOf } from '../config/workspace-backend.ts'
import { normalizeAgentId } from '../model/name.ts'
import { parsePostgresAddress } from '../model/postgres-address.ts'
import { parseAddress } from '../model/server-address.ts'
import type { Clock } from '../ports/clock.ts'
import type { Settings, Store } from '../ports/store.ts'
import type { ChromaStore, chromaStore as openChromaStore } from '../stores/chroma/store.ts'
import type { FileStore, fileStore as openFileStore } from '../stores/file/store.ts'
import { type FilesystemStore, filesystemStore } from '../stores/filesystem/store.ts'
import type { postgresStore as openPostgresStore, PostgresStore } from '../stores/postgres/store.ts'

/** What stands in the place of defaults of the store itself. */
export interface StoreMore {
  readonly clock?: Clock
  readonly lockWaitMs?: number
  /** The most that a server may take for one request, if it is less than what the configuration says. */
  readonly requestMs?: number
  /** Called when this store creates the workspace, before anything else is written to it. Not called for a database server. */
  readonly onCreated?: (settings: Settings) => void
}

/** A store that outlives its process, by its own type: for who makes it or moves it. */
export async function openLasting(
  config: Config,
  more: StoreMore = {},
): Promise<FilesystemStore | FileStore | PostgresStore | ChromaStore> {
  const { requestMs = Number.POSITIVE_INFINITY, ...rest } = more
  switch (config.values.backend) {
    case 'file': {
      const fileStore = await fileStores()
      return openOneFile(config, (options) => fileStore({ ...options, ...more }))
    }
    case 'postgres': {
      const postgresStore = await postgresStores()
      return openPostgres(config, (options) =>
        postgresStore({ ...options, ...rest, requestMs: Math.min(options.requestMs, requestMs) }),
      )
    }
    case 'chroma': {
      const chromaStore = await chromaStores()
      return openServer(config, (options) =>
        chromaStore({ ...options, ...rest, requestMs: Math.min(options.requestMs, requestMs) }),
      )
    }
    default:
      return openFiles(config, (options) => filesystemStore({ ...options, ...more }))
  }
}

/** Whose memory it is. A flat one on a server tells that itself, where nobody says it: only then the server is asked. */
export async function agentOf({ values, sources }: Config, store: Store): Promise<string> {
  if (!isOnServer(values.backend) || sources.agent.from !== 'default') return values.agent
  return (await agentIn(store)) ?? values.agent
}

/** The one agent of a flat memory. What can't be asked is not left open. */
async function agentIn(store: Store): Promise<string | undefined> {
  try {
    return (await store.settings()).agent
  } catch (error) {
    await store.close()
    throw error
  }
}

async function fileStores(): Promise<typeof openFileStore> {
  return (await import('../stores/file/store.ts')).fileStore
}

async function postgresStores(): Promise<typeof openPostgresStore> {
  return (await import('../stores/postgres/store.ts')).postgresStore
}

async function chromaStores(): Promise<typeof openChromaStore> {
  return (await import('../stores/chroma/store.ts')).chromaStore
}

interface OpenedPlace {
  readonly store: Store
  readonly agent: string
}

interface NamedPlace {
  readonly workspace: string
  readonly agent: string | undefined
  readonly token: string | undefined
  readonly made: StoreMore & Pick<Pins, 'layout' | 'timezone'>
}

/** Who names a workspace and no `agent.yaml`. */
export async function openNamed({ workspace, agent, token, made }: NamedPlace): Promise<OpenedPlace> {
  const path = isUrl(workspace) ? workspace : workspaceAt(resolvePath(workspace, '.'))
  const backend = backendOf(path, 'workspace')
  if (backend === 'chroma') {
    const place = { ...parseAddress(path), ...(token === undefined ? {} : { token }) }
    const said = agent === undefined ? {} : { agent: normalizeAgentId(agent) }
    const store = (await chromaStores())({ place, ...said, ...made })
    return { store, agent: said.agent ?? (await agentIn(store)) ?? 'main' }
  }
  if (backend === 'postgres') {
    const said = agent === undefined ? {} : { agent: normalizeAgentId(agent) }
    const store = (await postgresStores())({ place: parsePostgresAddress(path), ...said, ...made })
    return { store, agent: said.agent ?? (await agentIn(store)) ?? 'main' }
  }
  const name = normalizeAgentId(agent ?? (await pinnedAgent(backend, path)) ?? 'main')
  const options = { agent: name, ...made }
  if (backend === 'file') return { store: (await fileStores())({ path, ...options }), agent: name }
  return { store: filesystemStore({ root: path, ...options }), agent: name }
}
