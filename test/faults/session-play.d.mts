import type { SessionScenario } from './session-scenarios.mjs'
import type { KillCounts } from './snapshots.mjs'
import type { Call, FaultMode } from './tools.mjs'

export interface SessionPlay {
  readonly scenario: SessionScenario
  readonly folder: string
  readonly at: number
  readonly mode: FaultMode
  readonly sticky?: boolean
  /** The fault passes: the same process must succeed when it tries again. */
  readonly once?: boolean
}

/** A kill at every call of a scenario, and in the middle of every write. Resolves to the problems and the calls made. */
export function playKills(kills: {
  readonly scenario: SessionScenario
  readonly folder: string
  readonly counts: KillCounts
}): Promise<{ readonly problems: readonly string[]; readonly calls: readonly Call[] }>
/** Plays several at once; what was wrong. */
export function playAll(games: readonly SessionPlay[], lanes?: number): Promise<string[]>
