/**
 * What a server does behind its answers: it loads the model, makes vectors of what has none, and searches for this user's other
 * commands. It begins after the first call was answered, or a while after the start where none comes: no client waits for it.
 */
import type { AgentMemories } from '../agents/agent-memories.ts'
import type { Config } from '../config/load-config.ts'
import type { LocalServing } from '../local/serve-local.ts'
import { type Embedding, startEmbedding } from '../memory/start-embedding.ts'
import type { Memory } from '../memory.ts'
import type { Tool } from '../tools/index.ts'
import { localPlace, setupOf } from './running-server.ts'

export interface BehindOptions {
  readonly config: Config
  readonly memory: Memory
  /** Of that memory. */
  readonly memories: AgentMemories
  readonly load: () => Promise<void>
  /** Told which entries were given to who asked over the socket. */
  readonly recalled: (ids: readonly string[]) => void
  /** Told once what keeps other commands from being answered. */
  readonly warn: (problem: string) => void
}

/** As long as an answer takes to be written. */
const AFTER_ANSWER_MS = 100
const WITHOUT_CALL_MS = 2000
/** For what was embedded to be saved; the model may be in the middle of a batch, or hang. */
const SAVING_MS = 1500

export class BehindAnswers {
  readonly #options: BehindOptions
  #timer: NodeJS.Timeout
  #hasAnswered = false
  #isStopped = false
  #embedding: Embedding | undefined
  #serving: Promise<LocalServing | undefined> | undefined

  constructor(options: BehindOptions) {
    this.#options = options
    this.#timer = this.#beginAfter(WITHOUT_CALL_MS)
  }

  /** The same tools; their calls are heard of here. */
  behind(tools: readonly Tool[]): readonly Tool[] {
    return tools.map((tool) => ({
      ...tool,
      run: (args, call) => tool.run(args, call).finally(() => this.#answered(!tool.annotations.readOnlyHint)),
    }))
  }

  /** By others than the tools. */
  wrote(): void {
    this.#answered(true)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    const saved = this.#embedding?.stop()
    await (await this.#serving)?.close()
    const tooLong = new Promise<void>((resolve) => setTimeout(resolve, SAVING_MS).unref())
    await Promise.race([saved, tooLong])
  }

  #answered(mayHaveWritten: boolean): void {
    if (mayHaveWritten) this.#embedding?.changed()
    else this.#embedding?.asked()
    if (this.#hasAnswered || this.#embedding || this.#isStopped) return
    this.#hasAnswered = true
    clearTimeout(this.#timer)
    this.#timer = this.#beginAfter(AFTER_ANSWER_MS)
  }

  #beginAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#begin(), ms).unref()
  }

  #begin(): void {
    const { config, memory, load } = this.#options
    if (config.values.embedding_model === 'none') return
    void load()
    this.#embedding = startEmbedding(memory, { firstAfterMs: 0 })
    this.#serving = this.#serve()
  }

  async #serve(): Promise<LocalServing | undefined> {
    const { config, memories, warn, recalled } = this.#options
    const place = localPlace(config)
    if (place?.user === undefined) return undefined
    try {
      const { serveLocal } = await import('../local/serve-local.ts')
      return await serveLocal(memories, { place, setup: setupOf(config), recalled })
    } catch (error) {
      warn(`other commands search by words: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
}
