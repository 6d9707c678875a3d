/**
 * Where what belongs to embeddings lies on this machine, for all workspaces of a user: `embeddings/`, which `keepsake setup embeddings`
 * fills, and `graphs/`, the graph that is built of the weights. All of it can be removed and had again. Never a folder that others may
 * write: programs are loaded from it.
 */
import { homedir, platform, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { KeepsakeError } from '../errors.ts'

export function embeddingsFolder(): string {
  const folder = knownFolder()
  if (folder !== undefined) return folder
  throw new KeepsakeError('IO', 'the home folder is not known', { hint: 'Set HOME.' })
}

export function installedFolder(folder: string): string {
  return join(folder, 'embeddings')
}

/** What MiniLM is opened with. Without a home folder it may still come with this package. */
export function miniLmPlaces(folder: string | undefined = knownFolder()): {
  readonly from: readonly string[]
  readonly cacheFolder?: string
} {
  if (folder === undefined) return { from: [] }
  return { from: [installedFolder(folder)], cacheFolder: join(folder, 'graphs') }
}

function knownFolder(): string | undefined {
  // A relative or empty HOME would name a place in whatever folder one happens to be.
  const home = [homedir, () => userInfo().homedir].map(attempted).find((path) => isAbsolute(path))
  if (home === undefined) return undefined
  return platform() === 'win32' ? join(home, 'AppData', 'Local', 'keepsake') : join(home, '.cache', 'keepsake')
}

/** A user without a line in the system's list has none. */
function attempted(ask: () => string): string {
  try {
    return ask()
  } catch {
    return ''
  }
}
