/**
 * Leases beside the one file: each a lock of its own in the folder that is there while the file is in use. They last for as long as
 * the work that they are for, so they keep that folder from being removed.
 */
import { rmdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Lease } from '../../ports/store.ts'
import { namesIn } from '../disk/list-folder.ts'
import { removeLock, tryLock } from '../disk/lock.ts'
import { safeFileName } from '../disk/safe-file-name.ts'

export interface Leases {
  lease(name: string): Lease | undefined
  /** Takes away what nobody holds, so that the folder around it can go. */
  tidy(): void
}

/** `lockFolder`: the folder beside the file. */
export function fileLeases(lockFolder: string): Leases {
  const folder = join(lockFolder, 'leases')
  return {
    lease(name) {
      const { held } = tryLock(join(folder, safeFileName(name, 'lease')))
      return held && { release: async () => held.release() }
    },
    tidy() {
      for (const name of namesIn(folder)) removeLock(join(folder, name))
      try {
        rmdirSync(folder)
      } catch {
        // one is held, or there is none: nothing to take away
      }
    },
  }
}
