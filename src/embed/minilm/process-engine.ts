/** The engine in a process of its own: one that ended is replaced when it is next needed. */
import type { Engine, EngineKind, EngineSettings } from './engine.ts'
import { StartedWorker, WorkerEndedError } from './started-worker.ts'

/** Opens it, so that what is missing is known at once. */
export async function openProcessEngine(program: string, settings: EngineSettings): Promise<Engine> {
  try {
    return await ProcessEngine.open(program, settings)
  } catch (error) {
    // An odd processor shows in a signal: there is no error that the process could have told.
    const mayTryWasm = settings.kind === undefined && settings.packages['@lat.md/embed'] !== undefined
    if (!(error instanceof WorkerEndedError) || !mayTryWasm) throw error
    return ProcessEngine.open(program, { ...settings, kind: 'wasm' })
  }
}

class ProcessEngine implements Engine {
  readonly kind: EngineKind
  readonly #start: () => Promise<StartedWorker>
  #worker: StartedWorker
  #isClosed = false

  private constructor(kind: EngineKind, start: () => Promise<StartedWorker>, worker: StartedWorker) {
    this.kind = kind
    this.#start = start
    this.#worker = worker
  }

  static async open(program: string, settings: EngineSettings): Promise<ProcessEngine> {
    const first = new StartedWorker(program)
    const kind = await opened(first, settings)
    const start = async (): Promise<StartedWorker> => {
      const next = new StartedWorker(program)
      await opened(next, { ...settings, kind })
      return next
    }
    return new ProcessEngine(kind, start, first)
  }

  async run(texts: readonly string[]): Promise<readonly Float32Array[]> {
    if (this.#worker.hasEnded) await this.#replace()
    return this.#worker.run(texts)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker.close()
  }

  async #replace(): Promise<void> {
    this.#worker = await this.#start()
    if (this.#isClosed) await this.#worker.close() // meanwhile
  }
}

async function opened(worker: StartedWorker, settings: EngineSettings): Promise<EngineKind> {
  try {
    return await worker.open(settings)
  } catch (error) {
    await worker.close()
    throw error
  }
}
