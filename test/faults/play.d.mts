import type { Scenario } from './scenarios.mjs'
import type { Call, FaultMode } from './tools.mjs'

export interface Play {
  readonly scenario: Scenario
  readonly states: readonly string[]
  readonly folder: string
  readonly at: number
  readonly mode: FaultMode
  readonly sticky?: boolean
  /** The fault passes: the same process must succeed when it tries again. */
  readonly once?: boolean
}

export function statesOf(scenario: Scenario, folder: string): Promise<string[]>
export function callsOf(scenario: Scenario, folder: string, mode?: FaultMode): Promise<readonly Call[]>
/** What was wrong, or nothing. */
export function play(game: Play): Promise<string | undefined>
/** Plays several at once; what was wrong. */
export function playAll(games: readonly Play[], lanes?: number): Promise<string[]>
