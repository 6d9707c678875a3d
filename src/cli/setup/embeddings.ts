/** Installs MiniLM for this user, once for all workspaces, and proves that it works before it counts. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { embeddingsFolder, installedFolder, miniLmPlaces } from '../../embed/embeddings-folder.ts'
import type { EngineKind } from '../../embed/minilm/engine.ts'
import { openMiniLm } from '../../embed/minilm/open-minilm.ts'
import { isKeepsakeError, KeepsakeError } from '../../errors.ts'
import { npmInstall } from './npm.ts'
import { type PackageSet, packageFiles, versionOf } from './packages.ts'
import { fillPlace, requireRoom } from './place.ts'

export interface EmbeddingsSetup {
  readonly folder: string
  /** Whether something was installed; not where it was there and works. */
  readonly changed: boolean
  readonly engine: EngineKind
  /** Why the native engine was not to be had, where it was wanted. */
  readonly notNative?: string
}

export interface SetupSteps {
  /** Before anything is downloaded. */
  readonly downloading: (folder: string) => void
  readonly proving: () => void
}

export async function setUpEmbeddings(
  packages: PackageSet,
  wanted: readonly EngineKind[],
  steps: SetupSteps,
): Promise<EmbeddingsSetup> {
  const folder = installedFolder(embeddingsFolder())
  if (await isInstalled(folder, packages)) {
    steps.proving()
    const proved = await prove(folder, wanted).catch(() => undefined)
    if (proved) return { folder, changed: false, ...proved }
  }
  let proved: Proved | undefined
  await fillPlace(folder, async (beside) => {
    await requireRoom(beside, packages.downloadMb + packages.diskMb)
    steps.downloading(folder)
    const { manifest, lock } = packageFiles(packages)
    await writeFile(join(beside, 'package.json'), manifest)
    await writeFile(join(beside, 'package-lock.json'), lock)
    await npmInstall(beside)
    if (!(await isInstalled(beside, packages))) throw incomplete(beside)
    steps.proving()
    proved = await prove(beside, wanted)
  })
  if (!proved) throw new Error('unreachable: what is not proved has thrown')
  return { folder, changed: true, ...proved }
}

type Proved = Pick<EmbeddingsSetup, 'engine' | 'notNative'>

/** The first engine that works. */
async function prove(folder: string, [engine, ...others]: readonly EngineKind[]): Promise<Proved> {
  if (engine === undefined) throw new Error('unreachable: one is wanted')
  try {
    await embedOnce(folder, engine)
    return { engine }
  } catch (error) {
    if (others.length === 0 || !isKeepsakeError(error)) throw error
    return { ...(await prove(folder, others)), notNative: error.message }
  }
}

async function embedOnce(folder: string, engine: EngineKind): Promise<void> {
  const embed = await openMiniLm({ ...miniLmPlaces(), from: [folder], engine, inThread: true })
  try {
    await embed.embed(['This is an example sentence'])
  } finally {
    await embed.close()
  }
}

/** By the lock file, which stands for the hashes, and by what lies there. */
async function isInstalled(folder: string, packages: PackageSet): Promise<boolean> {
  try {
    if ((await readFile(join(folder, 'package-lock.json'), 'utf8')) !== packageFiles(packages).lock) return false
    const versions = packages.names.map(async (name) => {
      const { version } = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
      return version === versionOf(name)
    })
    return (await Promise.all(versions)).every(Boolean)
  } catch {
    return false
  }
}

function incomplete(folder: string): KeepsakeError {
  return new KeepsakeError('IO', 'npm ended well, but the packages are not all there', {
    hint: 'Look at what npm is set to: npm config list',
    data: { folder },
  })
}
