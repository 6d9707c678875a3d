import type { Scenario } from './scenarios.mjs'
import type { Call, FaultMode } from './tools.mjs'
import type { StoreName } from './workspace.mjs'

export interface Play {
  readonly scenario: Scenario
  readonly states: readonly string[]
  readonly folder: string
  /** A folder unless it says otherwise. */
  readonly store?: StoreName
  readonly at: number
  readonly mode: FaultMode
  readonly sticky?: boolean
  /** The fault passes: the same process must succeed when it tries again. */
  readonly once?: boolean
}

export function statesOf(scenario: Scenario, folder: string, store?: StoreName): Promise<string[]>
export function callsOf(
  scenario: Scenario,
  folder: string,
  options?: { readonly mode?: FaultMode; readonly store?: StoreName; readonly once?: boolean },
): Promise<readonly Call[]>
/** What was wrong, or nothing. */
export function play(game: Play): Promise<string | undefined>
/** Plays several at once; what was wrong. */
export function playAll(games: readonly Play[], lanes?: number): Promise<string[]>
