import type { Store } from '../../src/ports/store.ts'

export interface Check {
  /** Given the store as it was found; throws when that is not what it should be. */
  readonly look?: (store: Store) => unknown
  /** Which process this is; see openAs. */
  readonly n?: number
  readonly clone?: string
}

export function checkWorkspace(root: string, check?: Check): Promise<void>
/** Changes when any file or folder does. */
export function fingerprint(root: string): string
