/**
 * Reads an archive and proves it: the list of files first, then each file, of the size and hash that the list says, nothing
 * else and nothing missing, up to the checksum at the very end. What would be larger than the list says is refused before
 * it is read, so that a few bytes can't unpack to a full disk. Memory holds one piece at a time.
 */
import { createHash, type Hash } from 'node:crypto'
import type { TarMember } from '../../../codec/tar.ts'
import { readTar, TarError } from '../../../codec/tar-read.ts'
import { ForeignError, isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import { codeOf, wrapped } from '../../disk/system.ts'
import { gunzipFrom } from './archive-gzip.ts'
import {
  type ArchivedFile,
  damaged,
  FILES_FOLDER,
  MANIFEST_NAME,
  type Manifest,
  parseManifest,
} from './archive-manifest.ts'

const MOST_MANIFEST_BYTES = 256 * 1024 * 1024

/** Takes what is read, as it comes. A file is proved when its `end` is called, and all of it when readArchive returns. */
export interface ArchiveSink {
  readonly begin?: (manifest: Manifest) => void
  readonly file?: (file: ArchivedFile) => void
  readonly piece?: (bytes: Uint8Array) => void
  readonly end?: (file: ArchivedFile) => Promise<void> | void
}

export interface ReadOptions {
  readonly sink?: ArchiveSink
  /** Told after each file. */
  readonly onFile?: (done: number, total: number) => void
}

export async function readArchive(path: string, options: ReadOptions = {}): Promise<Manifest> {
  let isOurs = false
  const sink: ArchiveSink = {
    ...options.sink,
    begin(manifest) {
      isOurs = true
      options.sink?.begin?.(manifest)
    },
  }
  try {
    return await gunzipFrom(path, (chunks) => readMembers(path, readTar(chunks), { ...options, sink }))
  } catch (error) {
    throw archiveError(path, error, isOurs)
  }
}

async function readMembers(
  path: string,
  items: AsyncGenerator<TarMember | Uint8Array>,
  { sink, onFile }: ReadOptions,
): Promise<Manifest> {
  const manifest = await readManifest(path, items)
  const files = new Map(manifest.files.map((file) => [`${FILES_FOLDER}/${file.path}`, file]))
  const folders = new Set(manifest.folders.map((folder) => `${FILES_FOLDER}/${folder.path}`.replace(/\/$/, '')))
  sink?.begin?.(manifest)
  let open: { readonly file: ArchivedFile; readonly hash: Hash } | undefined
  const finish = async (): Promise<void> => {
    if (!open) return
    if (open.hash.digest('hex') !== open.file.sha256) throw damaged(path, `${open.file.path} in it is damaged`)
    await sink?.end?.(open.file)
    open = undefined
    onFile?.(manifest.files.length - files.size, manifest.files.length)
  }
  for await (const item of items) {
    if (item instanceof Uint8Array) {
      open?.hash.update(item)
      sink?.piece?.(item)
      continue
    }
    await finish()
    if (item.type === 'folder' && folders.delete(item.path)) continue
    const file = item.type === 'file' ? files.get(item.path) : undefined
    if (!file) throw damaged(path, `it holds ${JSON.stringify(item.path)}, which its list does not name, or twice`)
    if (file.size !== item.size) throw damaged(path, `${file.path} in it has not the size that its list says`)
    files.delete(item.path)
    open = { file, hash: createHash('sha256') }
    sink?.file?.(file)
  }
  await finish()
  const [missing] = [...files.keys(), ...folders]
  if (missing !== undefined) throw damaged(path, `${JSON.stringify(missing)} is missing in it`)
  return manifest
}

async function readManifest(path: string, items: AsyncGenerator<TarMember | Uint8Array>): Promise<Manifest> {
  const { value: first } = await items.next()
  if (first === undefined || first instanceof Uint8Array || first.path !== MANIFEST_NAME || first.type !== 'file') {
    throw new ForeignError(path, 'this is no backup of Keepsake')
  }
  if (first.size > MOST_MANIFEST_BYTES) throw damaged(path, 'its list of files is too long')
  const pieces: Uint8Array[] = []
  for (let left = first.size; left > 0; ) {
    const { value: piece } = await items.next()
    if (!(piece instanceof Uint8Array)) throw new Error('unreachable: a member is followed by all of its bytes')
    pieces.push(piece)
    left -= piece.length
  }
  return parseManifest(path, Buffer.concat(pieces))
}

function archiveError(path: string, error: unknown, isOurs: boolean): KeepsakeError {
  if (isKeepsakeError(error)) return error
  if (error instanceof TarError) return damaged(path, error.message)
  const code = codeOf(error)
  if (code === 'ENOENT') {
    return new KeepsakeError('NOT_FOUND', `there is no archive ${path}`, { hint: 'Check the path.', data: { path } })
  }
  if (code === 'EISDIR') {
    const hint = 'Name the file that "keepsake backup" wrote.'
    return new KeepsakeError('INVALID', `${path} is a folder, not an archive`, { hint, data: { path } })
  }
  if (!code?.startsWith('Z_')) return wrapped('reading', path, error)
  const reason = error instanceof Error ? error.message : ''
  if (reason === 'incorrect header check') {
    return isOurs
      ? damaged(path, 'something follows after its end')
      : new ForeignError(path, 'this is no backup of Keepsake')
  }
  return damaged(path, reason === 'unexpected end of file' ? 'it ends in the middle' : `it is damaged (${reason})`)
}
