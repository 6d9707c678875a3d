/** A purge also cleans the known backups, each of which is such a file itself. */
import { isKeepsakeError } from '../../errors.ts'
import type { Purged, Settings } from '../../ports/store.ts'
import { FileFollower } from './follower.ts'
import { type PurgeOptions, purge } from './purge.ts'
import { sidecarOf, tidySidecar } from './sidecar.ts'
import { FileWriter, type WriterOptions } from './writer.ts'

/** `settings`: of the memory. What stands at the path of a backup may be another one by now, and is left alone. */
export async function purgeBackups(
  paths: readonly string[],
  purging: Omit<PurgeOptions, 'sidecar'>,
  settings: Settings,
  options: Omit<WriterOptions, 'sidecar' | 'settings'>,
): Promise<Omit<Purged, 'occurrences'>> {
  const cleaned: string[] = []
  const outOfReach: string[] = []
  for (const path of paths) {
    const sidecar = sidecarOf(path)
    const follower = new FileFollower(path, () => undefined)
    const writer = new FileWriter(follower, { ...options, sidecar, settings: () => settings })
    try {
      if (follower.catchUp()?.catalogue.settings.id !== settings.id) continue
      const { occurrences } = await writer.exclusively((turn) => purge(turn, { ...purging, sidecar }))
      cleaned.push(`the backup ${path}`)
      if (occurrences.length > 0)
        outOfReach.push(`the backup ${path}: other entries or sessions in it have the same words`)
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      outOfReach.push(`the backup ${path}: ${error.message}`)
    } finally {
      await writer.idle() // to let go of the lock
      writer.close()
      follower.close()
      await tidySidecar(path)
    }
  }
  return { cleaned, outOfReach }
}
