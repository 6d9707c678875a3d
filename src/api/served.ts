/** What is served: a memory as each of its agents has it, and what only the program around it can do or tell. */
import type { Memory } from '../memory.ts'
import { normalizeAgentId } from '../model/name.ts'
import type { DoctorAnswer, Workspace } from './contract.ts'
import { UnknownAgentError } from './failures.ts'
import { KeptMaps } from './kept-maps.ts'
import { PastMemories } from './past-memories.ts'

/** Handed in by who serves: the API itself opens no store and knows no folder. */
export interface Surroundings {
  readonly version: string
  readonly root: string
  readonly store: Workspace['store']
  /** Missing: agents are given no tools here. */
  readonly mcpUrl?: string
  /** Looks at every file. */
  readonly doctor: (signal: AbortSignal) => Promise<DoctorAnswer>
  /** There where the workspace is the sample: removes all of it. */
  readonly removeSample?: () => Promise<void>
  /** After a write, so that what is new is found by meaning soon. */
  readonly wrote: () => void
}

/** Only so many: anything may be asked for. The one that was not asked for longest goes first. */
const MOST_AGENTS = 8

export class Served {
  readonly memory: Memory
  readonly around: Surroundings
  readonly past: PastMemories = new PastMemories()
  readonly maps: KeptMaps = new KeptMaps()
  readonly #others = new Map<string, Memory>()

  constructor(memory: Memory, around: Surroundings) {
    this.memory = memory
    this.around = around
  }

  /** The memory as this agent has it, now or at an instant. Left out: the agent that is served. */
  async of(agent: string | undefined, asOf?: string, signal?: AbortSignal): Promise<Memory> {
    const memory = agent === undefined ? this.memory : await this.#of(normalizeAgentId(agent))
    return asOf === undefined ? memory : this.past.at(memory, asOf, signal)
  }

  async #of(agent: string): Promise<Memory> {
    if (agent === this.memory.agent) return this.memory
    const known = this.#others.get(agent)
    if (!known && !(await this.#isThere(agent))) throw new UnknownAgentError(agent)
    const memory = known ?? this.memory.as(agent)
    this.#others.delete(agent)
    this.#others.set(agent, memory)
    const [first] = this.#others.keys()
    if (this.#others.size > MOST_AGENTS && first !== undefined) this.#others.delete(first)
    return memory
  }

  async #isThere(agent: string): Promise<boolean> {
    const { store } = this.memory
    if ((await store.heads({ scopes: [agent] })).length > 0) return true
    return (await store.sessions.list(agent)).length > 0
  }
}
