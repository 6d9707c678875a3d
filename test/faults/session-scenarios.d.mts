import type { Memory, TurnInput } from '../../src/memory.ts'
import type { Opened } from './scenarios.mjs'

/** A state that is prepared and a call; what else it has is for the module that keeps its account. */
export interface SessionScenario {
  readonly name: string
  /** Run unharmed, in a folder that exists. */
  readonly prepare: (opened: Opened) => unknown
  /** The call that meets the fault. */
  readonly step: (opened: Opened) => unknown
  /** How it is called again when it is not known whether it was done; default: as before. */
  readonly again?: (opened: Opened, scenario: SessionScenario) => unknown
  /** What must hold; default: as session-account.mjs has it. */
  readonly account?: {
    checkFound(memory: Memory, scenario: SessionScenario, isPromised: boolean): Promise<void>
    checkAfter(memory: Memory, scenario: SessionScenario): Promise<void>
  }
}

export interface AccountedScenario extends SessionScenario {
  /** The turns that were promised before it. */
  readonly before: readonly TurnInput[]
  /** Those that it brings, all or none. */
  readonly brings?: readonly TurnInput[]
  /** The turn whose words it takes away. */
  readonly purges?: string
  /** What is there when it was done, and one more exchange was said. */
  readonly after: {
    readonly live: readonly string[]
    /** Each by its number, its first and its last turn. */
    readonly archives?: readonly (readonly [number, string, string])[]
    readonly resets?: readonly (readonly [string, string])[]
    readonly conversation: readonly string[]
  }
}

export const sessionScenarios: readonly AccountedScenario[]
