import type { Call, FaultyResult } from './tools.mjs'

/** Counts over the scenarios of a sweep. */
export interface KillCounts {
  /** Kills played: before each call and in the middle of each write. */
  readonly states: number
  /** How many distinct states they left. */
  readonly checked: number
  /** The program was killed for real. */
  readonly real: number
}

export interface Kill {
  readonly mode: 'kill' | 'kill-half'
  readonly at: number
}

export interface KillEverywhere {
  readonly folder: string
  readonly counts: KillCounts
  /** Makes the folder that the program is given. */
  readonly prepare: (root: string) => unknown
  /** What follows `node`. */
  readonly args: (root: string) => readonly string[]
  /** What is wrong with what was left, or nothing. `kill` is undefined if the program finished. */
  readonly check: (root: string, ended: FaultyResult, kill: Kill | undefined) => Promise<string | undefined>
  /** Plays a kill in a process of its own, where its state can't be made from copies. */
  readonly killForReal: (kill: Kill) => Promise<string | undefined>
}

export function newKillCounts(): KillCounts
/** Plays a kill before every call of a program, in the middle of every write, and after the last call. */
export function killAtEveryCall(
  game: KillEverywhere,
): Promise<{ readonly problems: readonly string[]; readonly calls: readonly Call[] }>
