/**
 * Engines that run in this program, by what they were opened with: all who want the same one share it, for each takes 200 MB,
 * and it ends with the last of them. A crash fails for who was at it; the next call starts it anew (process-engine.ts).
 */
import { setImmediate } from 'node:timers/promises'
import type { Engine, EngineKind } from './engine.ts'

const RUNNING = new Map<string, SharedEngine>()

/** `key` tells what `open` opens from all else. Who joins it leaves it once. */
export function sharedEngine(key: string, open: () => Promise<Engine>): SharedEngine {
  const shared = RUNNING.get(key) ?? new SharedEngine(open(), () => RUNNING.delete(key))
  RUNNING.set(key, shared)
  return shared
}

export class SharedEngine {
  readonly #engine: Promise<Engine>
  readonly #forget: () => void
  #users = 0
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(engine: Promise<Engine>, forget: () => void) {
    this.#engine = engine
    this.#forget = forget
  }

  async join(): Promise<EngineKind> {
    this.#users++
    try {
      return (await this.#engine).kind
    } catch (error) {
      this.#isOver()
      throw error
    }
  }

  async leave(): Promise<void> {
    if (this.#isOver()) await (await this.#engine).close()
  }

  /** Calls take turns batch by batch, so that a short one waits for the batch that runs, and not for the end of a long call. */
  inTurn<T>(run: (engine: Engine) => Promise<T>): Promise<T> {
    // An engine in this thread holds the event loop for a batch; between two, others get theirs.
    const turn = this.#lastTurn.then(() => setImmediate()).then(async () => run(await this.#engine))
    this.#lastTurn = turn.catch(() => {})
    return turn
  }

  /** One less. Who comes after the last opens another. */
  #isOver(): boolean {
    this.#users--
    if (this.#users === 0) this.#forget()
    return this.#users === 0
  }
}
