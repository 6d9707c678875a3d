/**
 * The user's private list of their own workspaces: `keepsake/workspaces.json` in the state folder. A workspace is their own if
 * its real path and its id are in the list. Any other may have come with a clone, so a model gets its directive and identity
 * as quoted data. `init` and the write that creates a workspace add it to the list, unless it had files before.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { SETTINGS_FILE } from '../config/find-workspace.ts'
import { identityOutside } from '../config/identity-place.ts'
import type { Config } from '../config/load-config.ts'
import { StorageError } from '../errors.ts'
import { shellLine } from '../model/shell-line.ts'
import type { Settings } from '../ports/store.ts'
import { FILE_MODE, makeFolder, pause, replaceFile } from '../stores/disk/system.ts'
import { complain } from './report.ts'
import { stateFolder } from './state-folder.ts'

interface OwnWorkspace {
  readonly path: string
  readonly id: string
  /** Identity files outside the workspace that are also the user's own. Only `init --own` adds one. */
  readonly identities?: readonly string[]
}

/** Callbacks for opening a store and a memory: one adds a workspace that this process creates, the other says why one is not the user's own. */
export function ownership(config: Config): {
  readonly onCreated: (settings: Settings) => void
  /** `path`: the file that a model would follow, absolute if it is outside the workspace. */
  readonly distrust: (settings: Settings, path?: string) => string | undefined
} {
  return {
    onCreated: (settings) =>
      attempt(() => {
        if (!hasOtherFiles(config)) addOwnWorkspace(config, settings)
      }),
    distrust: (settings, path = '') => {
      try {
        return whyNotOwn(config, settings, path)
      } catch (error) {
        return errorMessage(error)
      }
    },
  }
}

function whyNotOwn(config: Config, { id }: Settings, path: string): string | undefined {
  const { backend, workspace } = config.values
  if (backend === 'memory') return undefined
  const root = realPath(workspace)
  const own = readList().find((one) => one.path === root && one.id === id)
  if (!own) return `this workspace may be someone else's. ${ownershipHint(config)}`
  if (!isAbsolute(path) || own.identities?.includes(realPath(path))) return undefined
  const hint = identityOutside(config) === path ? ` ${ownershipHint(config)}` : ''
  return `${path} is outside this workspace and may be someone else's.${hint}`
}

function ownershipHint(config: Config): string {
  const { file, values } = config
  const place =
    identityOutside(config) === undefined || file === undefined ? ['--workspace', values.workspace] : ['--config', file]
  return `If it is yours, run: ${shellLine(['keepsake', 'init', '--own', ...place])}`
}

type ConfiguredWorkspace = readonly [config: Config, settings: Settings]

/** A copy of the user's own workspace is their own. */
export function keepOwnership(from: ConfiguredWorkspace, to: ConfiguredWorkspace): void {
  attempt(() => {
    if (whyNotOwn(...from, '') === undefined) addOwnWorkspace(...to)
  })
}

/** A failure is only a warning: the memory is already written, and models get the files of an unlisted workspace as quoted data. */
function attempt(addToList: () => void): void {
  try {
    addToList()
  } catch (error) {
    complain(`warning: this workspace is not on the list of your own workspaces: ${errorMessage(error)}`)
  }
}

/** `identity`: an identity file outside the workspace that is the user's own, too. */
export function addOwnWorkspace(config: Config, { id }: Settings, identity?: string): void {
  const path = realPath(config.values.workspace)
  const file = listFile()
  makeFolder(stateFolder())
  const unlock = lock(file)
  try {
    const before = readList()
    const known = before.find((one) => one.path === path && one.id === id)?.identities ?? []
    const identities = [...new Set([...known, ...(identity === undefined ? [] : [realPath(identity)])])]
    const own: OwnWorkspace = { path, id, ...(identities.length === 0 ? {} : { identities }) }
    const workspaces = [...before.filter((one) => one.path !== path), own]
    const text = `${JSON.stringify({ workspaces }, undefined, 2)}\n`
    replaceFile(file, Buffer.from(text), stateFolder(), FILE_MODE)
  } finally {
    unlock()
  }
}

/** Whether there are files that this process did not write, and whose owner is unknown. It has not begun the journal yet. */
function hasOtherFiles({ values: { backend, workspace } }: Config): boolean {
  if (backend !== 'filesystem') return false
  if (existsSync(join(workspace, '.state/journal'))) return true
  return readdirSync(workspace).some((name) => name !== SETTINGS_FILE && name !== '.state')
}

function listFile(): string {
  return join(stateFolder(), 'workspaces.json')
}

function readList(): readonly OwnWorkspace[] {
  const file = listFile()
  if (!existsSync(file)) return []
  refuseForeignFile(file)
  try {
    const { workspaces } = JSON.parse(readFileSync(file, 'utf8')) as { workspaces: OwnWorkspace[] } // as we wrote it
    return workspaces.filter(({ path, id }) => typeof path === 'string' && typeof id === 'string')
  } catch (cause) {
    throw new StorageError('reading', file, cause, `Repair it, or ${START_OVER}`)
  }
}

const START_OVER = 'remove it and run "keepsake init --own" in each of your workspaces.'

/** A list that another user can write can't be trusted. */
function refuseForeignFile(file: string): void {
  const { uid, mode } = statSync(file)
  const user = process.getuid?.()
  if (user === undefined || (uid === user && (mode & 0o022) === 0)) return
  const isOwn = uid === user
  const reason = isOwn ? 'other users can change it' : 'it belongs to another user'
  const hint = isOwn ? `Check it, then run: ${shellLine(['chmod', '600', file])}` : `Take it over, or ${START_OVER}`
  throw new StorageError('reading', file, reason, hint)
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The path as given for a server's address, and for a workspace that does not exist yet. */
function realPath(workspace: string): string {
  try {
    return realpathSync(workspace)
  } catch {
    return workspace
  }
}

const LOCK_TRIES = 200
const LOCK_PAUSE_MS = 5
const STALE_LOCK_MS = 10_000

/** Two processes may create workspaces at once, and each writes the whole list. */
function lock(file: string): () => void {
  const path = `${file}.lock`
  for (let tries = 1; ; tries++) {
    try {
      closeSync(openSync(path, 'wx', 0o600))
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (tries === LOCK_TRIES || (error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new StorageError('locking', file, error, `Remove ${path} if no other keepsake command is running.`)
      }
      const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (since !== undefined && Date.now() - since > STALE_LOCK_MS) rmSync(path, { force: true })
      pause(LOCK_PAUSE_MS)
    }
  }
}
