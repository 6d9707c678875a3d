import type { SessionScenario } from './session-scenarios.mjs'
import type { Call, FaultMode } from './tools.mjs'
import type { StoreName } from './workspace.mjs'

export interface SessionPlay {
  readonly scenario: SessionScenario
  readonly folder: string
  readonly store?: StoreName
  readonly at: number
  readonly mode: FaultMode
  readonly sticky?: boolean
  /** The fault passes: the same process must succeed when it tries again. */
  readonly once?: boolean
}

export function callsOf(
  scenario: SessionScenario,
  folder: string,
  options?: { readonly mode?: FaultMode; readonly store?: StoreName },
): Promise<readonly Call[]>
/** Plays several at once; what was wrong. */
export function playAll(games: readonly SessionPlay[], lanes?: number): Promise<string[]>
