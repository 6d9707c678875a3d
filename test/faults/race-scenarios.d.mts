import type { Recorded } from '../../src/ports/store.ts'
import type { Opened } from './scenarios.mjs'

export interface RaceScenario {
  readonly name: string
  readonly prepare: (opened: Opened) => unknown
  readonly step: (opened: Opened) => unknown
  /** What the person saves. */
  readonly file: string
  readonly hand: (before: string) => string
  readonly weSay: string | undefined
  readonly holdsBoth?: boolean
  readonly mayBeAsBefore?: boolean
  readonly mayDouble?: string
  readonly isOurs: (recorded: Recorded) => boolean
}

export const raceScenarios: readonly RaceScenario[]
export const HAND_SAYS: string
