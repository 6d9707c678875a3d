import type { Scenario } from './scenarios.mjs'
import type { KillCounts } from './snapshots.mjs'
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
/** A kill at every call of a scenario in a folder, and in the middle of every write. Resolves to the problems and the calls made. */
export function playKills(kills: {
  readonly scenario: Scenario
  readonly states: readonly string[]
  readonly folder: string
  readonly counts: KillCounts
}): Promise<{ readonly problems: readonly string[]; readonly calls: readonly Call[] }>
/** Plays several at once; what was wrong. */
export function playAll(games: readonly Play[], lanes?: number): Promise<string[]>
