/** A copy of the file, folded and proved frame by frame, of an epoch of its own. Reads only; the copy is there whole or not at all. */
import { dirname } from 'node:path'
import type { Settings } from '../../ports/store.ts'
import { statFile } from '../disk/reading.ts'
import { makeFolder, removeFile } from '../disk/system.ts'
import { unfinishedPath } from '../disk/unfinished.ts'
import { FileBuilder } from './file-builder.ts'
import type { FollowedFile } from './follower.ts'
import { buildEmpty, occupied, putInPlace } from './new-file.ts'
import { rebuild } from './rebuild.ts'

/** `settings`: of a memory that has no file yet. */
export async function copyFile(state: FollowedFile | undefined, path: string, settings: Settings): Promise<void> {
  if (statFile(path)) throw occupied(path)
  const epoch = crypto.randomUUID()
  makeFolder(dirname(path))
  const temporary = unfinishedPath('archive', dirname(path))
  try {
    if (!state) await buildEmpty(temporary, settings, epoch)
    else {
      const builder = new FileBuilder(temporary)
      try {
        // Everything that is kept, whatever its age: nothing is cut off a copy.
        await rebuild(state, builder, { nowMs: 0, epoch })
      } finally {
        builder.close()
      }
    }
    await putInPlace(temporary, path)
  } catch (error) {
    removeFile(temporary)
    throw error
  }
}
