/**
 * The embedding of a program that runs for long: once soon after it began, then after each change. While it waits it keeps no process
 * alive, and whoever searches meanwhile goes by words for what has no vector yet. It fails silently (`memory.embeddings()` tells why)
 * and tries again, later each time.
 */
import { isKeepsakeError } from '../errors.ts'
import type { Watch } from '../ports/store.ts'
import type { Embedded } from '../recall/vectors/meaning-view.ts'
import type { Embeddings, EmbedOptions } from './embedding.ts'

export interface StartEmbeddingOptions {
  /** Called after something was embedded. */
  readonly told?: (embedded: Embedded) => void
  /** Default two seconds: off the way to the first answer. */
  readonly firstAfterMs?: number
  /** From a change to the embedding of it, so that what comes together is embedded together; default one second. */
  readonly changeAfterMs?: number
}

/** A memory. */
interface Embeddable {
  embeddings(): Promise<Embeddings>
  embed(options: EmbedOptions): Promise<Embedded>
  watch(changed: () => void): Promise<Watch>
}

export interface Embedding {
  /** After a write of one's own, which not every store tells. */
  changed(): void
  /** After a search: a model that was missing may have been installed since. */
  asked(): void
  /** What is under way is given up; what is done of it is kept, once this is through. A memory that is closed waits for that too. */
  stop(): Promise<void>
}

const FIRST_BACK_OFF_MS = 30_000
const LAST_BACK_OFF_MS = 3_600_000
/** Another process embeds; what it has not come to is looked at then. */
const BUSY_AGAIN_MS = 10_000

export function startEmbedding(memory: Embeddable, options: StartEmbeddingOptions = {}): Embedding {
  const running = new RunningEmbedding(memory, options)
  running.begin()
  return running
}

class RunningEmbedding implements Embedding {
  readonly #memory: Embeddable
  readonly #options: StartEmbeddingOptions
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #watch: Promise<Watch | undefined> | undefined
  #isRunning = false
  #running: Promise<void> | undefined
  /** Something changed while it ran. */
  #isStale = false
  #failures = 0
  /** By `performance.now()`: when there was no model, the last time. */
  #missedAtMs: number | undefined

  constructor(memory: Embeddable, options: StartEmbeddingOptions) {
    this.#memory = memory
    this.#options = options
  }

  begin(): void {
    this.#wait(this.#options.firstAfterMs ?? 2000)
  }

  changed(): void {
    this.#isStale = true
    // A failure has its own time to be tried again.
    if (!this.#isRunning && this.#failures === 0) this.#wait(this.#options.changeAfterMs ?? 1000)
    else this.asked()
  }

  asked(): void {
    if (this.#isRunning || this.#missedAtMs === undefined) return
    if (performance.now() - this.#missedAtMs >= FIRST_BACK_OFF_MS) this.#wait(0)
  }

  async stop(): Promise<void> {
    this.#end()
    await this.#running
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#controller.abort()
    void this.#watch?.then((watch) => watch?.stop())
  }

  #wait(ms: number): void {
    if (this.#controller.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#running = this.#run()
    }, ms).unref()
  }

  async #run(): Promise<void> {
    const { signal } = this.#controller
    this.#isRunning = true
    this.#isStale = false
    this.#missedAtMs = undefined
    try {
      if ((await this.#memory.embeddings()).model === undefined) return this.#end() // there will be none
      // Before the first look, so that nothing falls between.
      this.#watch ??= this.#memory.watch(() => this.changed()).catch(() => undefined)
      await this.#watch
      const embedded = await this.#memory.embed({ signal })
      this.#failures = 0
      if (embedded.embedded > 0) this.#options.told?.(embedded)
      if (embedded.pending > 0) this.#wait(BUSY_AGAIN_MS)
    } catch (error) {
      if (isKeepsakeError(error) && error.code === 'NO_EMBEDDINGS') this.#missedAtMs = performance.now()
      this.#wait(Math.min(FIRST_BACK_OFF_MS * 2 ** this.#failures, LAST_BACK_OFF_MS))
      this.#failures++
    }
    this.#isRunning = false
    if (this.#isStale) this.changed()
  }
}
