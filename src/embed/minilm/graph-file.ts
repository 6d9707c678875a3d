/**
 * The graph, kept in a file: to build it takes three times as long as to read it, and 100 MB more. The file is a cache. Its bytes
 * are always the same, so it is checked by a hash that stands here; one that is cut off, old or somebody else's is made anew, and
 * a folder that can't be written to is no error.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Packages, readModelFile } from './model-files.ts'
import { Safetensors } from './safetensors.ts'
import { sentenceGraph } from './sentence-graph.ts'

export const GRAPH_SHA256 = 'adc12cd5b646920fb8063b019c3741c0a9581b3c2df1c013b9b2a68203aabd62'

const NAME = `all-MiniLM-L6-v2-${GRAPH_SHA256.slice(0, 16)}.onnx`
const UNFINISHED = `${NAME}.unfinished-`
const CHUNK_BYTES = 1 << 20
const ABANDONED_AFTER_MS = 60_000

/** The file where there is one that is right, because a session then reads it without a copy; else the bytes. */
export function loadGraph(packages: Packages, cacheFolder: string | undefined): string | Uint8Array {
  if (cacheFolder !== undefined && isRight(join(cacheFolder, NAME))) return join(cacheFolder, NAME)
  const graph = sentenceGraph(new Safetensors(readModelFile('weights', packages)))
  if (cacheFolder !== undefined) keep(graph, cacheFolder)
  return graph
}

function isRight(path: string): boolean {
  try {
    const file = openSync(path, 'r')
    try {
      return sha256Of(file) === GRAPH_SHA256
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}

function sha256Of(file: number): string {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read))
  return hash.digest('hex')
}

function keep(graph: Uint8Array, folder: string): void {
  const unfinished = join(folder, UNFINISHED + randomBytes(6).toString('hex'))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    removeAbandoned(folder)
    try {
      writeFileSync(unfinished, graph, { flag: 'wx' })
      renameSync(unfinished, join(folder, NAME))
    } finally {
      rmSync(unfinished, { force: true })
    }
  } catch {
    // Read-only, full, or a file where the folder should be: the next start builds it again.
  }
}

/** What a process left that was killed while it wrote: 67 MB each. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith(UNFINISHED) && Date.now() - statSync(path).mtimeMs > ABANDONED_AFTER_MS)
      rmSync(path, { force: true })
  }
}
