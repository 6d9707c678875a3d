/** What is served: a memory as each of its agents has it, and what only the program around it can do or tell. */
import type { AgentMemories } from '../agents/agent-memories.ts'
import type { Followed } from '../follow/entry-changes.ts'
import { lookAgain } from '../follow/follow-memory.ts'
import type { Memory } from '../memory.ts'
import type { DoctorAnswer, Workspace } from './contract.ts'
import { KeptMaps } from './kept-maps.ts'
import { PastMemories } from './past-memories.ts'

/** Handed in by who serves: the API itself opens no store and knows no folder. */
export interface Surroundings {
  readonly version: string
  readonly root: string
  readonly store: Workspace['store']
  /** Missing: agents are given no tools here. */
  readonly mcpUrl?: string
  readonly needsToken: boolean
  /** Looks at every file. */
  readonly doctor: () => Promise<DoctorAnswer>
  /** There where the workspace is the sample: removes all of it. */
  readonly removeSample?: () => Promise<void>
  /** After a write, so that what is new is found by meaning soon. */
  readonly wrote: () => void
}

export class Served {
  readonly memories: AgentMemories
  readonly around: Surroundings
  readonly past: PastMemories = new PastMemories()
  readonly maps: KeptMaps = new KeptMaps()

  constructor(memories: AgentMemories, around: Surroundings) {
    this.memories = memories
    this.around = around
  }

  /** Of the agent that is served. */
  get memory(): Memory {
    return this.memories.own
  }

  /** The memory as this agent has it, now or at an instant. Left out: the agent that is served. */
  async of(agent: string | undefined, asOf?: string, signal?: AbortSignal): Promise<Memory> {
    const memory = agent === undefined ? this.memory : await this.memories.of(agent)
    return asOf === undefined ? memory : this.past.at(memory, asOf, signal)
  }

  /** What a stream of events is about: as `of`, or with `*` every agent. */
  async followed(agent: string | undefined): Promise<Followed> {
    const { store, clock } = this.memory
    return agent === '*' ? { store, clock } : this.of(agent)
  }

  /** After a write: what is new is found by meaning soon, and who follows hears of it, also from a store that tells nobody. */
  wrote(memory: Memory): void {
    this.around.wrote()
    this.memories.embedBehind(memory)
    lookAgain(memory)
  }
}
