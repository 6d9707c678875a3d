/**
 * Leases beside the one file: each a lock of its own in the folder that is there while the file is in use. They last for as long as
 * the work that they are for, so they keep that folder from being removed.
 */
import { rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lease } from '../../ports/store.ts'
import { namesIn } from '../disk/list-folder.ts'
import { removeLock, tryLock } from '../disk/lock.ts'
import { safeFileName } from '../disk/safe-file-name.ts'
import { isLink, refuseForeign } from './sidecar.ts'

/** So long nobody holds one who only tidies up. */
const MOMENT_MS = 5

export interface Leases {
  lease(name: string): Promise<Lease | undefined>
  /** Takes away what nobody holds, so that the folder around it can go. */
  tidy(): void
}

/** `lockFolder`: the folder beside the file. */
export function fileLeases(lockFolder: string): Leases {
  const folder = join(lockFolder, 'leases')
  return {
    async lease(name) {
      refuseForeign(lockFolder)
      const own = join(folder, safeFileName(name, 'lease'))
      let { held } = tryLock(own)
      if (!held) {
        await sleep(MOMENT_MS)
        held = tryLock(own).held
      }
      const taken = held
      return taken && { release: async () => taken.release() }
    },
    tidy() {
      if (isLink(lockFolder)) return
      for (const name of namesIn(folder)) removeLock(join(folder, name))
      try {
        rmdirSync(folder)
      } catch {
        // one is held, or there is none: nothing to take away
      }
    },
  }
}
