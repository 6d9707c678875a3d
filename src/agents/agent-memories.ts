/**
 * The memory as each agent of the workspace has it, which is kept for its index; only a few, since anything may be asked for. The
 * server embeds for its own agent; for another, what an answer had to do without is embedded behind that answer.
 */
import type { Memory } from '../memory.ts'
import { normalizeAgentId } from '../model/name.ts'
import { isKnownAgent, UnknownAgentError } from './known-agent.ts'

const MOST_AGENTS = 8
/** Then the next answer goes on with it: nobody is to keep others from embedding for long. */
const LONGEST_EMBEDDING_MS = 60_000
/** After a failure, which the agent's own commands tell of. */
const PAUSE_MS = 30_000

export class AgentMemories {
  /** Of the agent that is served. */
  readonly own: Memory
  readonly #others = new Map<string, Memory>()
  readonly #closing = new AbortController()
  #embedding: Promise<void> | undefined
  /** By `performance.now()`. */
  #notBeforeMs = 0

  constructor(own: Memory) {
    this.own = own
  }

  /** NOT_FOUND where there never was such an agent. */
  async of(asked: string): Promise<Memory> {
    const agent = normalizeAgentId(asked)
    if (agent === this.own.agent) return this.own
    const memory = this.#others.get(agent) ?? (await this.#opened(agent))
    // To the end of the line: the first to go is the one that was not asked for longest.
    this.#others.delete(agent)
    this.#others.set(agent, memory)
    const [first] = this.#others.keys()
    if (this.#others.size > MOST_AGENTS && first !== undefined) this.#others.delete(first)
    return memory
  }

  /** One at a time; who is not served now is served after a later answer. The server's own is embedded anyway. */
  embedBehind(memory: Memory): void {
    if (memory.agent === this.own.agent || this.#closing.signal.aborted) return
    if (this.#embedding || performance.now() < this.#notBeforeMs) return
    this.#embedding = this.#embed(memory).finally(() => {
      this.#embedding = undefined
    })
  }

  /** What is under way is given up, and what is done of it is kept. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#embedding
  }

  async #embed(memory: Memory): Promise<void> {
    const clock = AbortSignal.timeout(LONGEST_EMBEDDING_MS)
    try {
      await memory.embed({ signal: AbortSignal.any([this.#closing.signal, clock]) })
    } catch {
      this.#notBeforeMs = clock.aborted ? 0 : performance.now() + PAUSE_MS
    }
  }

  async #opened(agent: string): Promise<Memory> {
    if (!(await isKnownAgent(this.own, agent))) throw new UnknownAgentError(agent)
    return this.own.as(agent)
  }
}
