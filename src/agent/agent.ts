/**
 * An agent with a memory: from what the user says to an answer. A turn is: take down what the user said, condense what has become too
 * much before it, gather what the model is given, let it answer, with its tools. What was said is durable before any model is asked.
 */
import type { Consolidated } from '../consolidate/consolidated.ts'
import { type GivenModel, modelOf } from '../consolidate/given-model.ts'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { startCleanup } from '../memory/start-cleanup.ts'
import { type Embedding, startEmbedding } from '../memory/start-embedding.ts'
import type { Memory, Session, Turn } from '../memory.ts'
import { withoutInjected } from '../model/injected.ts'
import { wholeNumber } from '../model/number.ts'
import { CALL_OPTIONS, type OptionNames, requireList, requireOptions } from '../model/options.ts'
import type { Model } from '../ports/complete.ts'
import type { CallOptions } from '../ports/store.ts'
import { createMemoryTools } from '../tools/index.ts'
import { answer, type Usage } from './answer.ts'
import { Condensing } from './condensing.ts'
import { type AgentEvent, Telling } from './events.ts'
import { prompted } from './prompted.ts'
import { inTurn } from './queue.ts'
import { type AgentTool, type Toolbox, toolbox } from './tool-run.ts'

export interface AgentOptions {
  readonly memory: Memory
  /** A provider's, or a function. One that looks only at the message has no memory: the rest is in its options. */
  readonly model: GivenModel
  /** Default `chat-1`. */
  readonly session?: string
  /** The owner's words, before all that is the memory's. */
  readonly instructions?: string
  /** Beside the memory's own. */
  readonly tools?: readonly AgentTool[]
  /** How many times a model may call tools before it has to answer; default 8. */
  readonly maxSteps?: number
  /** Another model for condensing, such as a cheaper one. */
  readonly condenseWith?: GivenModel
}

export interface ProcessOptions extends CallOptions {
  /** Another session than the agent's own. */
  readonly session?: string
  readonly on?: (event: AgentEvent) => void
}

export interface Reply {
  /** The last that the model said; what it said between calls of tools was told by events. */
  readonly text: string
  readonly session: string
  readonly toolCalls: number
  readonly condensed?: Consolidated
  /** Of all calls of this turn, where the model tells it. */
  readonly usage?: Usage
  readonly warnings: readonly string[]
}

export interface Agent {
  /** What the user says, to its answer. `/new` alone condenses the session and begins anew: one of the two below. */
  process(input: string, options?: ProcessOptions): Promise<Reply>
  /** What the user says to the model, whatever it is: `/new` too. */
  answer(input: string, options?: ProcessOptions): Promise<Reply>
  /** What `/new` does. */
  beginAnew(options?: ProcessOptions): Promise<Reply>
  /** Ends the cleanup, and the embedding behind the answers. The memory stays open. */
  close(): void
}

const MOST_STEPS = 1000

const AGENT_OPTIONS: OptionNames<AgentOptions> = {
  memory: true,
  model: true,
  session: true,
  instructions: true,
  tools: true,
  maxSteps: true,
  condenseWith: true,
}
const PROCESS_OPTIONS: OptionNames<ProcessOptions> = { session: true, on: true, ...CALL_OPTIONS }

export function createAgent(options: AgentOptions): Agent {
  requireOptions(options, 'createAgent', AGENT_OPTIONS)
  return new MemoryAgent(options)
}

class MemoryAgent implements Agent {
  readonly #memory: Memory
  readonly #model: Model
  readonly #condensing: Condensing
  readonly #tools: Toolbox
  readonly #ownTools: ReadonlySet<string>
  readonly #session: string
  readonly #instructions: string
  readonly #maxSteps: number
  readonly #cleaning: { stop(): void }
  readonly #embedding: Embedding
  #isClosed = false

  constructor({ memory, model, session = 'chat-1', instructions = '', tools = [], ...options }: AgentOptions) {
    if (typeof memory?.session !== 'function') throw new InvalidError('memory', 'is none', 'what openMemory gives')
    if (typeof instructions !== 'string') throw new InvalidError('instructions', 'is no text', 'text')
    requireList(tools, 'tools')
    const { condenseWith = model, maxSteps = 8 } = options
    this.#memory = memory
    this.#model = modelOf(model)
    this.#condensing = new Condensing(memory, condenseWith)
    const own = createMemoryTools(memory)
    this.#ownTools = new Set(own.map(({ name }) => name))
    this.#tools = toolbox([...own, ...tools])
    this.#session = memory.session(session).key
    this.#instructions = instructions
    this.#maxSteps = wholeNumber(maxSteps, 'maxSteps', 1, MOST_STEPS)
    this.#cleaning = startCleanup(memory, { interval: memory.settings.cleanupInterval, told: () => undefined })
    this.#embedding = startEmbedding(memory)
  }

  async process(input: string, options: ProcessOptions = {}): Promise<Reply> {
    requireOptions(options, 'agent.process', PROCESS_OPTIONS)
    requireInput(input)
    return input.trim().toLowerCase() === '/new' ? this.beginAnew(options) : this.answer(input, options)
  }

  async answer(input: string, options: ProcessOptions = {}): Promise<Reply> {
    requireOptions(options, 'agent.answer', PROCESS_OPTIONS)
    requireInput(input)
    return this.#inTurn(options, (key, telling, call) => this.#answered(key, input, telling, call))
  }

  async beginAnew(options: ProcessOptions = {}): Promise<Reply> {
    requireOptions(options, 'agent.beginAnew', PROCESS_OPTIONS)
    return this.#inTurn(options, (key, telling, call) => this.#begunAnew(key, telling, call))
  }

  async #inTurn(
    options: ProcessOptions,
    work: (key: string, telling: Telling, call: CallOptions) => Promise<Reply>,
  ): Promise<Reply> {
    const { session = this.#session, signal, on } = options
    const { key } = this.#memory.session(session)
    return inTurn(this.#memory, key, signal, async () => {
      if (this.#isClosed) throw new KeepsakeError('CLOSED', 'the agent is closed', { hint: 'Make another one.' })
      return work(key, new Telling(on), signal ? { signal } : {})
    })
  }

  close(): void {
    this.#isClosed = true
    this.#cleaning.stop()
    void this.#embedding.stop() // the memory waits for it when it is closed
  }

  async #begunAnew(key: string, telling: Telling, call: CallOptions): Promise<Reply> {
    const { text, condensed } = await this.#condensing.onNew(key, telling, call)
    telling.tell({ type: 'text', text })
    return { text, session: key, toolCalls: 0, condensed, warnings: telling.warnings }
  }

  async #answered(key: string, input: string, telling: Telling, call: CallOptions): Promise<Reply> {
    const asked = await this.#takenDown(this.#memory.session(key), input, telling, call)
    this.#embedding.asked()
    const condensed = await this.#condensing.onOverflow(key, asked, telling, call)
    const session = this.#memory.session(key)
    const { contextWindowSize: windowSize } = this.#memory.settings
    const prompt = await prompted({ session, asked, instructions: this.#instructions, windowSize, telling }, call)
    const { signal } = call
    const tools = { tools: this.#tools, ownTools: this.#ownTools, maxSteps: this.#maxSteps }
    const answered = await answer({ session, model: this.#model, ...tools, telling, signal, ...prompt })
    return { ...answered, session: key, ...(condensed ? { condensed } : {}), warnings: telling.warnings }
  }

  async #takenDown(session: Session, content: string, telling: Telling, call: CallOptions): Promise<Turn> {
    const { turns, warnings } = await session.append({ role: 'user', content }, call)
    telling.warn(...warnings)
    const [turn] = turns
    if (!turn) throw new Error('unreachable: one was appended')
    return turn
  }
}

function requireInput(input: unknown): void {
  if (typeof input !== 'string' || withoutInjected(input).trim() === '') {
    throw new InvalidError('input', 'is empty, or no text of your own', 'what the user says, or /new')
  }
}
