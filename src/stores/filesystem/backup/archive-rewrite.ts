/** Changes files inside an archive, for what must be gone from backups too. The archive is replaced as a whole, or left. */
import type { ArchivedFile } from './archive-manifest.ts'
import { type ArchiveSink, readArchive } from './archive-read.ts'
import { type FileToArchive, publishArchive, stageArchive } from './archive-write.ts'

/**
 * `transform` is given each file's path in the workspace and its bytes, and says what stands there instead: the same bytes to
 * keep it, others, or `undefined` to drop it. Proved before and after; returns whether anything was changed.
 */
export async function rewriteArchive(
  path: string,
  transform: (path: string, bytes: Uint8Array) => Uint8Array | undefined,
): Promise<boolean> {
  const files: FileToArchive[] = []
  let changed = false
  let pieces: Uint8Array[] = []
  const sink: ArchiveSink = {
    file() {
      pieces = []
    },
    piece(bytes) {
      pieces.push(bytes)
    },
    end({ path: inside, mode, mtime }: ArchivedFile) {
      const bytes = Buffer.concat(pieces)
      const wanted = transform(inside, bytes)
      changed ||= wanted === undefined || Buffer.compare(wanted, bytes) !== 0
      if (wanted) files.push({ path: inside, mode, mtime, bytes: wanted })
    },
  }
  const { workspace, madeAt, change, folders } = await readArchive(path, { sink })
  if (!changed) return false
  await publishArchive(await stageArchive(path, { workspace, madeAt, change, folders, files }), path, true)
  return true
}
