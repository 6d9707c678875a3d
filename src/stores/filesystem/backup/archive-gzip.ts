/**
 * Compressing and uncompressing, a piece at a time. What does it is loaded when it is called: it takes longer to load than
 * most commands to run, and the bundled command line would load a static import at every start.
 */
import { closeSync, createReadStream, openSync } from 'node:fs'
import { readBytes } from '../../disk/reading.ts'

/** Each piece that is compressed costs a turn of a thread, so that small ones go together. */
const BLOCK_BYTES = 256 * 1024
const BEGINNING_BYTES = 4096

/** Compresses what is given and hands it on in pieces, waiting for each to be taken. */
export async function gzipTo(
  chunks: Iterable<Uint8Array>,
  write: (bytes: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const [{ createGzip }, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream/promises')])
  await pipeline(inBlocks(chunks), createGzip(), async (packed: AsyncIterable<Uint8Array>) => {
    for await (const bytes of packed) await write(bytes)
  })
}

/** Uncompresses a file for `read`, which must read to the end: only there its checksum is proved. */
export async function gunzipFrom<T>(path: string, read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
  const [{ createGunzip }, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream/promises')])
  return await pipeline(createReadStream(path), createGunzip(), read)
}

/** The first bytes that a file unpacks to; none when it is not compressed, or can't be read. */
export async function firstBytesOf(path: string): Promise<Uint8Array> {
  const { gunzipSync, constants } = await import('node:zlib')
  try {
    const fd = openSync(path, 'r')
    try {
      // The end is missing, on purpose.
      return gunzipSync(readBytes(fd, 0, BEGINNING_BYTES), { finishFlush: constants.Z_SYNC_FLUSH })
    } finally {
      closeSync(fd)
    }
  } catch {
    return new Uint8Array()
  }
}

function* inBlocks(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let held: Uint8Array[] = []
  let bytes = 0
  for (const chunk of chunks) {
    held.push(chunk)
    bytes += chunk.length
    if (bytes < BLOCK_BYTES) continue
    yield held.length === 1 ? chunk : Buffer.concat(held)
    held = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(held)
}
